"""Running all steps that fit into the time: in order, beside each other where they may be, the failed ones last."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from accuracy.gpu_day.there.budget import next_of
from accuracy.gpu_day.there.checked_parts import checked_parts
from accuracy.gpu_day.there.journal import Ran, append, is_done
from accuracy.gpu_day.there.ncu_metrics import available_metrics
from accuracy.gpu_day.there.run_step import METRICS, Place, run_step
from accuracy.gpu_day.there.steps import Kit, Step

_MOST_AT_ONCE = 6
_FAILURES_IN_A_ROW = 2
"""After so many the GPU is asked whether it is still there, and a tool that steps need is given up."""


class GpuGoneError(Exception):
    """The GPU does not answer any more."""


@dataclass
class Day:
    """One run: `ran` has what has ended, in its order, as the journal does."""

    kit: Kit
    place: Place
    start: float
    journal: Path
    ran: list[Ran] = field(default_factory=list)
    failures: int = 0

    def keep(self, one: Ran) -> None:
        """Write a result and say it; raises OSError where it can't be written."""
        append(self.journal, one)
        self.ran.append(one)
        problem = next((each.difference for each in checked_parts(one) if each.difference), "")
        self.say(f"{time.monotonic() - self.start:5.0f} s  {one.state:7}  {one.step}  {one.wall_s:.1f} s  {problem}")
        self.failures = self.failures + 1 if one.state == "failed" else 0

    @property
    def has_lost_gpu(self) -> bool:
        """Whether the GPU does not answer any more; it is asked where things go wrong."""
        return self.failures == _FAILURES_IN_A_ROW and run_step(self.kit.identify, self.place).state == "failed"

    def say(self, text: str) -> None:
        """Print, if there is somebody to read it."""
        with contextlib.suppress(OSError):
            print(text, flush=True)


def run_all(day: Day, steps: Sequence[Step], known: Mapping[str, Ran]) -> None:
    """Run what is not done, until the time is used; `day.ran` and the journal get each step as soon as it has ended."""
    fresh = [step for step in steps if step.digest not in known or known[step.digest].state == "ended"]
    again = [step for step in steps if step not in fresh and not is_done(known[step.digest])]
    whole_s = day.place.end - day.start
    running: dict[Future[Ran], Step] = {}
    refusals: Counter[str] = Counter()

    def take(finished: Collection[Future[Ran]]) -> None:
        for future in finished:
            day.keep(future.result())
            step = running.pop(future)
            if day.has_lost_gpu:
                raise GpuGoneError
            refusals[step.needs] = refusals[step.needs] + 1 if day.ran[-1].state == "failed" else 0
            if step.needs and refusals[step.needs] >= _FAILURES_IN_A_ROW:
                for waiting in (fresh, again):
                    waiting[:] = [each for each in waiting if each.needs != step.needs]

    with ThreadPoolExecutor(_MOST_AT_ONCE) as pool:
        try:
            while True:
                expected_s = time.monotonic() - day.start + sum(step.estimate_s for step in running.values())
                step = next_of(fresh, again, expected_s, whole_s)
                if running and (step is None or not _may_join(step, running.values())):
                    take(wait(running, return_when=FIRST_COMPLETED).done)
                    continue
                if step is None:
                    return
                (fresh if step in fresh else again).remove(step)
                if METRICS in step.argv and day.place.metrics is None:
                    metrics = available_metrics(day.kit.always, day.kit.counters)
                    day.place = replace(day.place, metrics=metrics)
                running[pool.submit(run_step, step, day.place)] = step
        except GpuGoneError:
            day.say("the GPU does not answer any more")
        finally:
            day.place.processes.end()
            for future in wait(running).done:  # what had ended when the run was asked to
                day.keep(future.result())


def _may_join(step: Step, running: Collection[Step]) -> bool:
    """Whether a step may start beside those that run."""
    if step.alone or any(other.alone or other.stage != step.stage for other in running):
        return False
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    bytes_in_use = step.host_bytes + sum(other.host_bytes for other in running)
    return len(running) < max(1, min(_MOST_AT_ONCE, cores() // 2)) and bytes_in_use < memory_bytes // 2


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
