"""`make gpu-day-results`: put what a day with a GPU wrote into the tree, and into the GPU's profile.

    PYTHONPATH=tests .venv/bin/python -m accuracy.gpu_day.take_in FOLDER

adds FOLDER/<GPU>.jsonl to tests/accuracy/gpu_day/results/<GPU>.jsonl.gz, and hands the samples of the calibration to
`warplens calibrate gpu --update`, which puts what was measured into the profile of that GPU. `make accuracy` holds the
models to what is there then.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from accuracy.gpu_day.recorded import (
    RESULTS,
    RecordedDay,
    recorded_calibration,
    recorded_checks,
    recorded_day,
    recorded_mappings,
    recorded_nests,
)
from accuracy.gpu_day.there.journal import parsed
from warplens.server.cli.main import main as warplens
from warplens.server.files.atomic_file import replace_file
from warplens.server.measure.calibration.gpu_results import save_results

_ORIGIN = (
    b"# Measured for Warplens by the kit of `make gpu-day-kit` (docs/gpu-day.md); a run, then what its steps wrote.\n"
)
"""The first line of a file in the tree; it is no JSON, and read as no line."""
PROFILES = Path(__file__).parents[3] / "hwprofiles" / "gpu" / "nvidia"


def main(arguments: Sequence[str] | None = None) -> int:
    """Take in every file of results; 1 where something is wrong in them or the profile could not be updated."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the run wrote")
    parser.add_argument("--results", type=Path, default=RESULTS, help="(default: the tree's)")
    parser.add_argument("--profiles", type=Path, default=PROFILES, help="(default: the tree's)")
    parser.add_argument("--no-profile", action="store_true", help="leave the profile as it is")
    options = parser.parse_args(arguments)
    found = sorted(options.folder.glob("*.jsonl"))
    if not found:
        print(f"{options.folder} has no results", file=sys.stderr)
        return 1
    code = 0
    for path in found:
        try:
            day = recorded_day(_merged(path, options.results))
        except (OSError, EOFError, ValueError) as error:
            print(error, file=sys.stderr)
            code = 1
            continue
        times = f"{len(recorded_nests(day))} times of nests, {len(recorded_mappings(day))} of mappings"
        print(f"{day.name}: {len(day.steps)} steps, {times}")
        wrong = [each for each in recorded_checks(day) if each.difference]
        print(*(f"WRONG {each.label}: {each.difference}" for each in wrong), sep="\n", end="\n" if wrong else "")
        code = max(code, 1 if wrong else 0, 0 if options.no_profile else _update_profile(day, options.profiles))
    return code


def _merged(path: Path, results: Path) -> Path:
    """The tree's file with the lines that it did not have; raises OSError, EOFError and ValueError."""
    kept = results / f"{path.name}.gz"
    before = gzip.decompress(kept.read_bytes()).splitlines(keepends=True) if kept.exists() else [_ORIGIN]
    known = set(before)
    new = [line for line in path.read_bytes().splitlines(keepends=True) if line not in known and parsed(line)]
    results.mkdir(parents=True, exist_ok=True)
    replace_file(kept, gzip.compress(b"".join((*before, *new)), mtime=0))
    return kept


def _update_profile(day: RecordedDay, profiles: Path) -> int:
    results = recorded_calibration(day)
    if results is None:
        print(f"{day.name}: nothing of the GPU itself was measured")
        return 0
    with tempfile.TemporaryDirectory(prefix="warplens-gpu-day-") as folder:
        raw = Path(folder) / "calibration.raw.jsonl"
        save_results(raw, results)
        profile = profiles / f"{day.profile}.toml"
        return warplens(("calibrate", "gpu", "--from-raw", str(raw), "--update", str(profile)))


if __name__ == "__main__":
    raise SystemExit(main())
