"""The real analysis process, which notes the arrays of each nest it analyses in the file `LOG`.

A nest over `slow` takes a while; one over `gated` waits until the file `GATE` is there. No analysis begins while the
file `HOLD` is there; `LOG` with `.ends` behind it gets a line for each that ended.
"""

import os
import time
from pathlib import Path
from typing import Any

from warplens.analysis.engine import report_nest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.promise import Promise
from warplens.server.worker import answers
from warplens.server.worker.child import main
from warplens.server.worker.job import Answer

analyse_nest = report_nest.analyse_nest
analyse_document = answers.analyse_document


def patient(nest: LoopNest, promises: tuple[Promise, ...] = ()) -> NestFacts:
    names = [array.name for array in nest.arrays]
    with Path(os.environ["LOG"]).open("a") as log:
        print(*names, file=log)
    if "slow" in names:
        time.sleep(0.3)
    while "gated" in names and not Path(os.environ["GATE"]).exists():
        time.sleep(0.02)
    return analyse_nest(nest, promises)


def held(*arguments: Any) -> Answer:
    while Path(os.environ.get("HOLD", "")).is_file():
        time.sleep(0.02)
    answer = analyse_document(*arguments)
    with Path(os.environ["LOG"] + ".ends").open("a") as log:
        print("ended", file=log)
    return answer


if __name__ == "__main__":
    report_nest.analyse_nest = patient
    answers.analyse_document = held
    main()
