"""An analysis process that does what the job's text says: for tests of the server's side only."""

import os
import sys
import time
from pathlib import Path

from warplens.analysis.engine.report import Recomputed
from warplens.server.worker.frames import Failed, Finished, NestStarted, Ready, read_frame, write_frame
from warplens.server.worker.job import AnalysisJob, Answer


def answer(job: AnalysisJob, served: int) -> Answer:
    return Answer((), (), (), (), (), job.settings.gpu, job.settings.cpu, job.text, 0, 0, Recomputed(served, 0, 0))


def main() -> None:
    served = 0
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    write_frame(out, Ready(os.getpid()))
    while isinstance(job := read_frame(sys.stdin.buffer), AnalysisJob):
        served += 1
        print("noise on standard output")
        write_frame(out, NestStarted("slow", 2))
        if job.text == "hang":
            time.sleep(600)
        if job.text == "die":
            os.abort()
        if job.text == "die once" and not Path(job.path).exists():
            Path(job.path).touch()
            os.abort()
        write_frame(out, Failed("Traceback") if job.text == "raise" else Finished(answer(job, served)))


if __name__ == "__main__":
    main()
