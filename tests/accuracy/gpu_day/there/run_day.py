"""`run`: run a kit on this machine's GPU within the time, going on where earlier runs ended.

    ./run --minutes 8 --results FOLDER [--earlier FILE_OR_FOLDER ...]

Every step's result is written into FOLDER/<GPU>.jsonl at once. Results in that file and in --earlier, of the same GPU
and of steps that are still the same, are not measured again. FOLDER/summary.txt says at the end what is wrong, done and
left.

exit codes:
  0  everything is done and right
  1  something is left, failed or wrong: the summary says what
  2  there is no GPU, or the command line was wrong
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import time
from collections.abc import Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

from accuracy.gpu_day.there.budget import next_step
from accuracy.gpu_day.there.checked_parts import checked_parts, lines_of
from accuracy.gpu_day.there.gpu_state import Clocks, stated
from accuracy.gpu_day.there.journal import Ran, Run, append, is_done, journal_name, last_by_digest
from accuracy.gpu_day.there.libraries import VARIABLE, library_folders
from accuracy.gpu_day.there.ncu_metrics import available_metrics
from accuracy.gpu_day.there.run_step import METRICS, Place, run_step
from accuracy.gpu_day.there.steps import Kit, Step, read_kit
from accuracy.gpu_day.there.summary import summary, wrong_parts

_END_MARGIN_S = 5.0
_MOST_AT_ONCE = 6


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what fits into the time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=8.0, help="end after so many (default: %(default)g)")
    parser.add_argument("--results", type=Path, default=Path("gpu-day-results"), help="(default: %(default)s)")
    parser.add_argument("--earlier", type=Path, nargs="*", default=[], help="results of earlier runs")
    parser.add_argument("--kit", type=Path, default=Path(__file__).resolve().parents[3], help="(default: this one)")
    parser.add_argument("--stages", default="", help="only these, with commas between")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    try:
        kit = read_kit(options.kit)
        options.results.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"no kit: {error!r}", file=sys.stderr)
        return 2
    place = Place(options.kit, start + 60 * options.minutes - _END_MARGIN_S)
    identified = run_step(kit.identify, place)
    properties = _properties(identified)
    if identified.state != "done" or "name" not in properties:
        print(f"no GPU: {identified.messages or identified.output}", file=sys.stderr)
        return 2
    gpu = str(properties["name"])
    journal = options.results / journal_name(gpu)
    known = last_by_digest(gpu, [*_files(options.earlier), *([journal] if journal.exists() else [])])
    host = {"machine": platform.machine(), "cores": _cores(), "python": platform.python_version()}
    append(journal, Run(properties | {"nvidia_smi": stated()}, kit.made, identified.began, host, options.minutes))
    wanted = options.stages.split(",") if options.stages else None
    steps = [step for step in kit.steps if wanted is None or step.stage in wanted]
    waiting = [step for step in steps if not is_done(known.get(step.digest))]
    waiting.sort(key=lambda step: step.digest in known and known[step.digest].state == "failed")  # again, but last
    os.environ.setdefault(VARIABLE, library_folders())
    signal.signal(signal.SIGTERM, _interrupt)
    clocks = Clocks()
    place = replace(place, clocks=clocks)
    ran: list[Ran] = []
    try:
        _run_all(kit, waiting, place, start, journal, ran)
    except KeyboardInterrupt:
        print("ended; the same command goes on from here", file=sys.stderr)
    finally:
        place.processes.end()
        clocks.close()
    known |= {one.digest: one for one in ran}
    text = summary(gpu, steps, known, len(ran), time.monotonic() - start)
    (options.results / "summary.txt").write_text(text + "\n", encoding="utf-8")
    print(text)
    found = [known.get(step.digest) for step in steps]
    return 0 if all(map(is_done, found)) and not wrong_parts([one for one in found if one]) else 1


def _run_all(kit: Kit, waiting: list[Step], place: Place, start: float, journal: Path, ran: list[Ran]) -> None:
    """Run steps beside each other where they may be; `ran` and the journal get each as soon as it has ended."""
    whole_s = place.end - start
    running: dict[Future[Ran], Step] = {}

    def take(finished: set[Future[Ran]]) -> None:
        for future in finished:
            running.pop(future)
            one = future.result()
            append(journal, one)
            ran.append(one)
            problem = next((each.difference for each in checked_parts(one) if each.difference), "")
            print(
                f"{time.monotonic() - start:5.0f} s  {one.state:6}  {one.step}  {one.wall_s:.1f} s  {problem}",
                flush=True,
            )

    with ThreadPoolExecutor(_MOST_AT_ONCE) as pool:
        try:
            while True:
                expected_s = time.monotonic() - start + sum(step.estimate_s for step in running.values())
                step = next_step(waiting, expected_s, whole_s)
                if running and (step is None or not _may_join(step, running.values())):
                    take(wait(running, return_when=FIRST_COMPLETED).done)
                    continue
                if step is None:
                    return
                waiting.remove(step)
                if METRICS in step.argv and not place.metrics:
                    place = replace(place, metrics=available_metrics(kit.always, kit.counters))
                running[pool.submit(run_step, step, place)] = step
        finally:
            place.processes.end()
            take(wait(running).done)  # what had ended when the run was asked to


def _may_join(step: Step, running: Collection[Step]) -> bool:
    """Whether a step may start beside those that run."""
    if step.alone or any(other.alone or other.stage != step.stage for other in running):
        return False
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    bytes_in_use = step.host_bytes + sum(other.host_bytes for other in running)
    return len(running) < max(1, min(_MOST_AT_ONCE, _cores() // 2)) and bytes_in_use < memory_bytes // 2


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _properties(identified: Ran) -> dict[str, Any]:
    """Texts and numbers of the lines that say what the GPU is."""
    found: dict[str, Any] = {}
    for line in lines_of(identified.output):
        if "series" in line:
            found[str(line["series"])] = line["text"] if "text" in line else line["samples"][0]
    return found


def _files(paths: Sequence[Path]) -> list[Path]:
    found = [each for path in paths for each in (sorted(path.iterdir()) if path.is_dir() else [path])]
    return [path for path in found if path.name.endswith((".jsonl", ".jsonl.gz"))]


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
