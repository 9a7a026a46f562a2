"""A C file with the OpenACC ports of its nests, as an editor writes them, and the same directives in OpenMP."""

import re
from dataclasses import dataclass

from support.fix_fixtures.contexts import contexts
from support.fix_fixtures.unbroken import unbroken
from warplens.analysis.engine.report import Report
from warplens.analysis.ports.fix import AS_PREDICTED, FixEdits, LaunchWish, TextEdit, applied
from warplens.analysis.ports.openacc import openacc_fix

NO_KERNEL = "no loop of this nest is known to be parallel"


@dataclass(frozen=True)
class Ported:
    """What came of one nest: the pragmas of OpenACC in its part of the text after, or why there is no port."""

    function: str
    lines: tuple[str, ...]
    refusal: str


def ported_text(
    source: str, report: Report, function: str = "work", wish: LaunchWish = AS_PREDICTED
) -> tuple[str, list[Ported]]:
    """Source with the ports of all nests of a function (all functions where empty), and what came of each nest."""
    edits: list[TextEdit] = []
    ports: list[Ported] = []
    for context in contexts(source, report):
        if function and context.function != function:
            continue
        offers = openacc_fix.FIX.offer(context)
        if not offers:
            ports.append(Ported(context.function, (), NO_KERNEL))
            continue
        (offer,) = offers
        made = openacc_fix.FIX.edit(context, offer, wish)
        if wish == AS_PREDICTED:
            assert bool(made.refusal) <= bool(offer.refusal)
        said = offer.refusal if wish == AS_PREDICTED else ""
        lines = re.findall(r"#pragma acc [^\n]*", unbroken("\n".join(edit.text for edit in made.edits)))
        ports.append(Ported(context.function, tuple(line.rstrip() for line in lines), made.refusal or said))
        edits += made.edits
    edits.sort(key=lambda edit: edit.span)
    return unbroken(applied(source, FixEdits(tuple(edits)))), ports


def as_openmp(text: str) -> str:
    """The directives as those of OpenMP that mean the same: gcc runs OpenACC on one thread, where no race shows.

    Sequential loops and cached sections have no counterpart. Gangs are teams, the vector lanes of one its threads.
    """
    return re.sub(r"#pragma acc ([^\n]*)", lambda match: _openmp(match[1]), unbroken(text))


_KINDS = {"copyin": "to", "copyout": "from", "copy": "tofrom", "create": "alloc", "present": "alloc"}
_CLAUSE = re.compile(r"\b(\w+)\(((?:[^()]|\([^()]*\))*)\)")


def _openmp(directive: str) -> str:
    if directive.startswith("atomic"):
        return f"#pragma omp {directive}"
    if directive.startswith("data"):
        construct = "target data"
    elif directive.startswith("loop vector"):
        construct = "parallel for"
    elif directive.startswith("parallel loop"):
        words = re.split(r"\W+", re.sub(r"\(.*", "", directive))
        construct = "target teams distribute parallel for" if "vector" in words else "target teams distribute"
    else:
        return ""
    kept = []
    for name, inner in _CLAUSE.findall(directive):
        if name in _KINDS:
            kept.append(f"map({_KINDS[name]}: {inner})")
        elif name == "tile":
            kept.append(f"collapse({inner.count(',') + 1})")
        elif name == "if":
            kept.append(f"if({'target data' if construct == 'target data' else 'target'}: {inner})")
        elif name in {"collapse", "private", "reduction"}:
            kept.append(f"{name}({inner})")
    return " ".join((f"#pragma omp {construct}", *kept))
