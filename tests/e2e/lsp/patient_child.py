"""The real analysis process, which notes the arrays of each nest it analyses in the file `LOG`.

A nest over `slow` takes a while; one over `gated` waits until the file `GATE` is there.
"""

import os
import time
from pathlib import Path

from warplens.analysis.engine import pipeline
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promise import Promise
from warplens.server.worker.child import main

analyse_nest = pipeline.analyse_nest


def patient(nest: LoopNest, promises: tuple[Promise, ...] = ()) -> NestFacts:
    names = [array.name for array in nest.arrays]
    with Path(os.environ["LOG"]).open("a") as log:
        print(*names, file=log)
    if "slow" in names:
        time.sleep(0.3)
    while "gated" in names and not Path(os.environ["GATE"]).exists():
        time.sleep(0.02)
    return analyse_nest(nest, promises)


if __name__ == "__main__":
    pipeline.analyse_nest = patient
    main()
