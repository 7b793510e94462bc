"""The guard of throw-away servers: waits until its starter is gone, then stops what is left and deletes the data."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from scheduler_project.embedded.leftovers import stop_leftovers


def main(arguments: list[str]) -> None:
    """Read standard input to its end, which comes when the starter has ended in whatever way; then clear up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--keep", action="store_true", help="stop the servers, but leave the data folder")
    options = parser.parse_args(arguments)
    sys.stdin.read()
    if not options.data_dir.exists():
        return
    stop_leftovers(options.data_dir)
    if not options.keep:
        shutil.rmtree(options.data_dir, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
