"""`run`: run a kit on this machine's GPU within the time, going on where earlier runs ended.

    ./run --minutes 8 --results FOLDER [--earlier FILE_OR_FOLDER ...]

Every step's result is written into FOLDER/<GPU>.jsonl at once. Results in that file and in --earlier, of the same GPU
and of steps that are still the same, are not measured again. FOLDER/summary.txt says at the end what is wrong, done and
left.

exit codes:
  0  everything is done and right
  1  something is left, failed or wrong: the summary says what
  2  there is no GPU or no kit, another run has the kit, or the command line was wrong
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from accuracy.gpu_day.there.checked_parts import lines_of
from accuracy.gpu_day.there.gpu_state import Clocks, stated
from accuracy.gpu_day.there.journal import Ran, Run, append, best_by_digest, better, is_done, journal_name
from accuracy.gpu_day.there.libraries import VARIABLE, library_folders
from accuracy.gpu_day.there.processes import claimed, end_left_behind
from accuracy.gpu_day.there.run_step import Place, run_step
from accuracy.gpu_day.there.schedule import Day, cores, run_all
from accuracy.gpu_day.there.steps import STAGES, read_kit
from accuracy.gpu_day.there.summary import summary, wrong_parts

_END_MARGIN_S = 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what fits into the time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=8.0, help="end after so many (default: %(default)g)")
    parser.add_argument("--results", type=Path, default=Path("gpu-day-results"), help="(default: %(default)s)")
    parser.add_argument("--earlier", type=Path, nargs="*", default=[], help="results of earlier runs")
    parser.add_argument("--kit", type=Path, default=Path(__file__).parents[3], help="(default: this one)")
    parser.add_argument("--stages", nargs="*", choices=STAGES, default=STAGES, help="only these")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    kit_folder: Path = options.kit.resolve()
    for name in ("stdout", "stderr"):
        getattr(sys, name).reconfigure(errors="replace")
    try:
        kit = read_kit(kit_folder)
        options.results.mkdir(parents=True, exist_ok=True)
        claim = claimed(kit_folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"no kit that can be run in {kit_folder} (it must be writable): {error!r}", file=sys.stderr)
        return 2
    if claim is None:
        print(f"another run has {kit_folder}", file=sys.stderr)
        return 2
    with claim, tempfile.TemporaryDirectory(prefix="gpu-day-") as own:
        if left := end_left_behind(kit_folder):
            print(f"ended {left} programs that an earlier run left", flush=True)
        os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
        os.environ.setdefault(VARIABLE, library_folders())
        place = Place(kit_folder, Path(own) / "turn", start + 60 * options.minutes - _END_MARGIN_S)
        identified = run_step(kit.identify, place)
        properties = _properties(identified)
        if identified.state != "done" or "name" not in properties:
            print(f"the GPU was not found: {identified.messages or identified.output}", file=sys.stderr)
            return 2
        gpu = str(properties["name"])
        journal = options.results / journal_name(gpu)
        known = _known(gpu, [*_files(options.earlier), *([journal] if journal.exists() else [])])
        host = {"machine": platform.machine(), "cores": cores(), "python": platform.python_version()}
        append(journal, Run(properties | {"nvidia_smi": stated()}, kit.made, identified.began, host, options.minutes))
        steps = [step for step in kit.steps if step.stage in options.stages]
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a job in the background ignores the first
            signal.signal(each, _interrupt)
        clocks = Clocks()
        day = Day(kit, replace(place, clocks=clocks), start, journal)
        try:
            run_all(day, steps, known)
        except KeyboardInterrupt:
            print("ended; the same command goes on from here", file=sys.stderr)
        finally:
            place.processes.end()
            clocks.close()
    for one in day.ran:
        known[one.digest] = better(known.get(one.digest), one)
    text = summary(gpu, steps, known, len(day.ran), time.monotonic() - start)
    (options.results / "summary.txt").write_text(text + "\n", encoding="utf-8")
    day.say(text)
    found = [known.get(step.digest) for step in steps]
    return 0 if all(map(is_done, found)) and not wrong_parts([one for one in found if one]) else 1


def _known(gpu: str, paths: Sequence[Path]) -> dict[str, Ran]:
    """What earlier runs did; a file that can't be read is said and left out."""
    found: dict[str, Ran] = {}
    for path in paths:
        try:
            for digest, ran in best_by_digest(gpu, [path]).items():
                found[digest] = better(found.get(digest), ran)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            print(f"{path} is left out: {error!r}", file=sys.stderr)
    return found


def _properties(identified: Ran) -> dict[str, Any]:
    """Texts and numbers of the lines that say what the GPU is."""
    found: dict[str, Any] = {}
    for line in lines_of(identified.output):
        if "series" in line:
            found[str(line["series"])] = line["text"] if "text" in line else line["samples"][0]
    return found


def _files(paths: Sequence[Path]) -> list[Path]:
    found = [each for path in paths for each in (sorted(path.iterdir()) if path.is_dir() else [path])]
    return [path for path in found if path.is_file() and path.name.endswith((".jsonl", ".jsonl.gz"))]


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
