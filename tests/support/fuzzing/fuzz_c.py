"""Mutated C through the real analysis process: what crashed it, hung it, or came out as an error of its own.

`make fuzz` runs ten thousand inputs. Each input has the same limits as in an editor. The process is a fresh one after a
number of inputs, so that what it keeps from file to file is also tried; its memory is bounded by the kernel.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from support.fuzzing.mutated_c import corpus, mutated
from warplens.server.settings.settings import Settings
from warplens.server.worker.job import AnalysisJob, Answer
from warplens.server.worker.process import AnalysisFailedError, AnalysisProcess, AnalysisTimedOutError

INTERNAL = "internal error"
MEMORY_LIMIT_BYTES = 6 << 30
"""Of addresses, the 256 MiB of the thread's stack among them."""
_INPUTS_PER_PROCESS = 250
_HEADERS = {
    "self.h": '#include "self.h"\nextern double self_h[4];\n',
    "bomb.h": 'int bomb_h;\n#include "bomb.h"\n#include "bomb.h"\n',
}


@dataclass(slots=True)
class Outcome:
    """What came of many inputs; `defects` are (seed, what was said)."""

    inputs: int = 0
    analysed: int = 0
    nests: int = 0
    timed_out: list[int] = field(default_factory=list)
    defects: list[tuple[int, str]] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest_seed: int = 0
    most_memory_bytes: int = 0

    def __str__(self) -> str:
        return (
            f"{self.inputs} inputs, {self.analysed} analysed, {self.nests} nests, {len(self.defects)} defects, "
            f"ended by the limit {self.timed_out}, slowest {self.slowest_s:.1f} s (seed {self.slowest_seed}), "
            f"memory {self.most_memory_bytes >> 20} MiB"
        )


def text_of(seed: int, texts: list[str]) -> str:
    """The input of a seed."""
    return mutated(Random(seed), texts)


def prepare(folder: Path) -> None:
    """Headers that include themselves, beside the inputs."""
    for name, text in _HEADERS.items():
        (folder / name).write_text(text)


async def fuzz(seeds: range, folder: Path, limit_s: float, outcome: Outcome, *, trusted: bool = True) -> None:
    """Analyse the inputs of the seeds, one after the other, and note what happened."""
    texts = corpus()
    process = AnalysisProcess()
    settings = Settings(analysis_time_limit_s=limit_s)
    try:
        for seed in seeds:
            await process.start()
            if process.process_id is not None:
                resource.prlimit(process.process_id, resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
            job = AnalysisJob(str(folder / "main.c"), text_of(seed, texts), settings, (str(folder),), trusted)
            before_s = time.monotonic()
            await _one(process, job, seed, outcome)
            took_s = time.monotonic() - before_s
            if took_s > outcome.slowest_s:
                outcome.slowest_s, outcome.slowest_seed = took_s, seed
            outcome.most_memory_bytes = max(outcome.most_memory_bytes, peak_memory_bytes(process.process_id))
    finally:
        await process.stop()


async def _one(process: AnalysisProcess, job: AnalysisJob, seed: int, outcome: Outcome) -> None:
    outcome.inputs += 1
    try:
        answer = await process.run(job)
    except AnalysisTimedOutError:
        outcome.timed_out.append(seed)
    except AnalysisFailedError as failed:
        outcome.defects.append((seed, f"{failed}: {failed.details.strip()[-800:]}"))
    else:
        outcome.analysed += 1
        outcome.nests += sum(len(function.nests) for function in answer.functions)
        outcome.defects += [(seed, said) for said in internal_errors(answer, job.text)]


def internal_errors(answer: Answer, text: str) -> Iterator[str]:
    """What an answer says of defects of ours, and places of it that lie outside of the text."""
    said = [p.message for p in answer.problems] + [o.reason for o in answer.opaque]
    for function in answer.functions:
        if not 0 <= function.span.start <= function.span.end <= len(text):
            yield f"the function `{function.name}` lies outside of the text"
        for nest in function.nests:
            said += [nest.failure, *(finding.message for finding in nest.findings)]
            said += [offer.refusal for offer in nest.fixes]
    yield from (message for message in said if INTERNAL in message)


def peak_memory_bytes(process_id: int | None) -> int:
    """The most resident memory that a process has had, 0 without one."""
    try:
        status = Path(f"/proc/{process_id}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def main() -> int:
    """Run, print what came out; 1 if there was a defect."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for one input")
    parser.add_argument("--untrusted", action="store_true", help="as in a workspace that is not trusted")
    parser.add_argument("--show", type=int, help="print the input of this seed")
    arguments = parser.parse_args()
    if arguments.show is not None:
        sys.stdout.buffer.write(text_of(arguments.show, corpus()).encode("utf-8", "surrogatepass"))
        return 0
    outcome = Outcome()
    end = arguments.first + arguments.count
    with TemporaryDirectory() as name:
        prepare(Path(name))
        for start in range(arguments.first, end, _INPUTS_PER_PROCESS):
            shown = len(outcome.defects)
            seeds = range(start, min(start + _INPUTS_PER_PROCESS, end))
            asyncio.run(fuzz(seeds, Path(name), arguments.limit, outcome, trusted=not arguments.untrusted))
            print(f"to seed {seeds[-1]}: {outcome}", flush=True)
            for seed, said in outcome.defects[shown:]:
                print(f"  seed {seed}: {said}", flush=True)
    return 1 if outcome.defects else 0


if __name__ == "__main__":
    sys.exit(main())
