"""What a bench's figures depend on: the machine, Python, the packages, how long it ran and how busy the machine was."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

_CPU_INFO = Path("/proc/cpuinfo")


def quick(environ: Mapping[str, str]) -> bool:
    """Whether QUICK asks for fewer rounds."""
    return environ.get("QUICK", "") not in ("", "0")


def circumstances(now: datetime, *, rounds: int, in_a_hurry: bool, packages: Mapping[str, str]) -> dict[str, Any]:
    """For the results file and the table's caption."""
    return {
        "made_at": now.isoformat(timespec="seconds"),
        "quick": in_a_hurry,
        "rounds": rounds,
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load_at_start": round(os.getloadavg()[0], 2),
        "packages": dict(packages),
    }


def versions(*names: str) -> dict[str, str]:
    """The installed version of each package."""
    return {name: version(name) for name in names}


def _processor() -> str:
    lines = _CPU_INFO.read_text().splitlines() if _CPU_INFO.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
