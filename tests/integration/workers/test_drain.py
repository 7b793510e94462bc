"""The drain flag across processes: children forked before it was set see it, as a worker's pool processes must."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_CHECKOUT = Path(__file__).parents[3]
_PARENT_AND_CHILD = """
import os, signal, sys, time
from workers.drain import Drain

drain = Drain()
ready, tell = os.pipe()
child = os.fork()
if child == 0:
    os.write(tell, b"1")
    began = time.monotonic()
    stopped = drain.wait(20)
    os._exit(0 if stopped and time.monotonic() - began < 10 else 1)
os.read(ready, 1)
began = time.monotonic()
{begin}
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(status, drain.should_stop(), round(time.monotonic() - began, 3))
"""


def _run(begin: str) -> tuple[str, str, float]:
    program = _PARENT_AND_CHILD.format(begin=begin)
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=_CHECKOUT, capture_output=True, text=True, timeout=30, check=True
    )
    status, flag, seconds = ended.stdout.split()
    return status, flag, float(seconds)


def test_a_forked_child_sees_it_within_a_second() -> None:
    status, flag, seconds = _run("drain.begin()")
    assert (status, flag) == ("0", "True")
    assert seconds < 1


def test_a_signal_to_the_parent_reaches_the_child() -> None:
    status, flag, seconds = _run("drain.on_signals(); os.kill(os.getpid(), signal.SIGTERM)")
    assert (status, flag) == ("0", "True")
    assert seconds < 1
