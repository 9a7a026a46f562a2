"""The real analysis process, but analyses of nests over `forever` and fixes of nests over `endless` do not end."""

import time

from warplens.analysis.engine import report_nest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ports.fix import FixContext, FixEdits, LaunchWish, OfferedFix
from warplens.server.worker import chosen_fix
from warplens.server.worker.child import main

analyse_nest = report_nest.analyse_nest
edits_of = chosen_fix.edits_of


def slow_edits(context: FixContext, offer: OfferedFix, wish: LaunchWish) -> FixEdits:
    if any(array.name == "endless" for array in context.evaluation.facts.nest.arrays):
        time.sleep(600)
    if any(array.name == "late" for array in context.evaluation.facts.nest.arrays):
        time.sleep(1)
    return edits_of(context, offer, wish)


def slow(nest: LoopNest, promises: tuple[Promise, ...] = ()) -> NestFacts:
    if any(array.name == "forever" for array in nest.arrays):
        time.sleep(600)
    return analyse_nest(nest, promises)


if __name__ == "__main__":
    report_nest.analyse_nest = slow
    chosen_fix.edits_of = slow_edits
    main()
