"""An analysis process that does what the job's text says: for tests of the server's side only."""

import os
import sys
import time
from pathlib import Path

from warplens.analysis.engine.report import Recomputed
from warplens.server.worker.frames import (
    Failed,
    Finished,
    FrameWriter,
    GaveWay,
    GiveWay,
    NestStarted,
    Part,
    Ready,
    read_frame,
)
from warplens.server.worker.job import AnalysisJob, Answer


def answer(job: AnalysisJob, served: int) -> Answer:
    return Answer((), (), (), (), (), job.settings.gpu, job.settings.cpu, job.text, 0, 0, Recomputed(served, 0, 0))


def main() -> None:
    served = 0
    out = FrameWriter(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    out.write(Ready(os.getpid()))
    while (job := read_frame(sys.stdin.buffer)) is not None:
        if isinstance(job, GiveWay):
            continue  # it came too late
        served += 1
        print("noise on standard output")
        out.write(NestStarted("slow", 2))
        if job.text == "hang":
            time.sleep(600)
        if job.text == "slow but sure":
            for ordinal in range(5):
                time.sleep(0.1)
                out.write(NestStarted("slow", ordinal))
                out.write(Part(answer(job, ordinal)))
        if job.text == "long":
            assert isinstance(read_frame(sys.stdin.buffer), GiveWay)
            out.write(GaveWay())
            continue
        if job.text == "die":
            os.abort()
        if job.text == "die once" and not Path(job.path).exists():
            Path(job.path).touch()
            os.abort()
        out.write(Failed("Traceback") if job.text == "raise" else Finished(answer(job, served)))


if __name__ == "__main__":
    main()
