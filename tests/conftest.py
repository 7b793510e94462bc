"""What every test shares: how properties are searched for.

They are judged by what they find, not by how fast a busy machine finds it. A developer's run looks elsewhere each
time; continuous integration looks at the same examples, so that a change is judged by what it changed.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "unhurried",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("unhurried")
