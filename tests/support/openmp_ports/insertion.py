"""A C file with the OpenMP ports of its nests, as an editor writes them."""

import re
from dataclasses import dataclass

from support.fix_fixtures.contexts import contexts
from support.fix_fixtures.unbroken import unbroken
from warplens.analysis.engine.report import Report
from warplens.analysis.ports.fix import AS_PREDICTED, FixEdits, TextEdit, applied
from warplens.analysis.ports.openmp import openmp_fix


@dataclass(frozen=True)
class Ported:
    """What came of one nest: the pragmas of OpenMP in its part of the text after, or why there is no port."""

    function: str
    lines: tuple[str, ...]
    refusal: str
    granted: tuple[str, ...] = ()
    """Arrays of which data decides how much of the section is used."""


def ported_text(source: str, report: Report, function: str = "work") -> tuple[str, list[Ported]]:
    """Source with the ports of all nests of a function (all functions where empty), and what came of each nest."""
    edits: list[TextEdit] = []
    ports: list[Ported] = []
    for context in contexts(source, report):
        if function and context.function != function:
            continue
        offers = openmp_fix.FIX.offer(context)
        if not offers:
            ports.append(Ported(context.function, (), "no loop of this nest is known to be parallel"))
            continue
        (offer,) = offers
        made = openmp_fix.FIX.edit(context, offer, AS_PREDICTED)
        assert bool(made.refusal) <= bool(offer.refusal)
        lines = re.findall(r"#pragma omp [^\n]*", unbroken("\n".join(edit.text for edit in made.edits)))
        granted = tuple(re.findall(r"`(\w+)\[", made.note))
        ports.append(Ported(context.function, tuple(line.rstrip() for line in lines), offer.refusal, granted))
        edits += made.edits
    edits.sort(key=lambda edit: edit.span)
    return unbroken(applied(source, FixEdits(tuple(edits)))), ports
