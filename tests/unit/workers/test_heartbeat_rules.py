"""How often a lease is prolonged: early enough to miss one beat, seldom enough to cost nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.heartbeat import LONGEST_SECONDS, heartbeat_seconds


@pytest.mark.parametrize(("lease", "period"), [(3, 1), (1.5, 0.5), (180, 60), (900, 60), (86_400, 60)])
def test_a_third_of_the_lease_and_at_most_a_minute(lease: float, period: float) -> None:
    assert heartbeat_seconds(lease) == pytest.approx(period)


@given(st.floats(min_value=0.1, max_value=1e7))
def test_two_beats_fit_into_every_lease(lease: float) -> None:
    assert 0 < heartbeat_seconds(lease) < lease / 2
    assert heartbeat_seconds(lease) <= LONGEST_SECONDS
