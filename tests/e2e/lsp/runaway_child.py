"""The real analysis process, but the dependence analysis of a nest over `forever` does not end."""

import time

from warplens.analysis.engine import pipeline
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promise import Promise
from warplens.server.worker.child import main

analyse_nest = pipeline.analyse_nest


def slow(nest: LoopNest, promises: tuple[Promise, ...] = ()) -> NestFacts:
    if any(array.name == "forever" for array in nest.arrays):
        time.sleep(600)
    return analyse_nest(nest, promises)


if __name__ == "__main__":
    pipeline.analyse_nest = slow
    main()
