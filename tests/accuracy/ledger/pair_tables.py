"""The ledger's headline as markdown: errors over pairs of a kernel and a GPU, with nothing and with much left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accuracy.ledger.left_out import Judged, coverage, median_range_factor
from accuracy.ledger.pairs import ERRORS_HEAD, errors_cells, pair_errors
from accuracy.real_c.tables import table
from warplens.analysis.models.choice.launch_kind import KINDS, LaunchKind, kind_of

BEGIN = "<!-- pairs: begin, written by tests/accuracy/ledger/report.py -->"
END = "<!-- pairs: end -->"
WORST = 10
_HEAD = [*ERRORS_HEAD, "inside", "range"]


def pair_tables(
    shown: Sequence[Judged], without_family: Sequence[Judged], without_gpu: Sequence[Judged], correction: str
) -> str:
    """All of them, between the markers."""
    cases = {"as shown": shown, "family left out": without_family, "GPU left out": without_gpu}
    parts = [
        table(["", *_HEAD], [[name, *_cells(found)] for name, found in cases.items()]),
        "### By kind of launch",
        *(_by_kind(name, found) for name, found in cases.items()),
        "### What was left out",
        _grouped("family left out", without_family, lambda one: one.launch.family),
        _grouped("GPU left out", without_gpu, lambda one: one.launch.gpu),
        f"### The {WORST} worst pairs",
        _worst(shown),
        "### One correction for all",
        correction,
    ]
    return "\n\n".join([BEGIN, *parts, END])


def kind_of_judged(one: Judged) -> LaunchKind:
    """Kind of a launch as the model sees it whose time is shown."""
    return kind_of(one.launch.expected[one.model].traits)


def _by_kind(name: str, found: Sequence[Judged]) -> str:
    kinds = {kind: [one for one in found if kind_of_judged(one) == kind] for kind in KINDS}
    return table([name, *_HEAD], [[kind, *_cells(members)] for kind, members in kinds.items() if members])


def _grouped(name: str, found: Sequence[Judged], group: Callable[[Judged], str]) -> str:
    groups = {key: [one for one in found if group(one) == key] for key in sorted({group(one) for one in found})}
    return table([name, *_HEAD], [[key, *_cells(members)] for key, members in groups.items()])


def _cells(found: Sequence[Judged]) -> list[object]:
    ratios = {id(one.launch): one.ratio for one in found}
    errors = pair_errors([one.launch for one in found], lambda one: ratios[id(one)])
    return [*errors_cells(errors), f"{100 * coverage(found):.0f} %", f"{median_range_factor(found):.2f}"]


def by_pair(found: Sequence[Judged]) -> dict[tuple[str, str], list[Judged]]:
    """Launches of each kernel on each GPU."""
    pairs: dict[tuple[str, str], list[Judged]] = {}
    for one in found:
        pairs.setdefault(one.launch.pair, []).append(one)
    return pairs


def typical_factor(members: Sequence[Judged]) -> float:
    """Geometric mean of the factors by which a pair's launches are off."""
    ratios = {id(one.launch): one.ratio for one in members}
    return pair_errors([one.launch for one in members], lambda one: ratios[id(one)]).typical


def _worst(found: Sequence[Judged]) -> str:
    pairs = sorted(by_pair(found).items(), key=lambda item: -typical_factor(item[1]))
    rows: list[list[object]] = [
        [kernel, gpu, members[0].launch.family, kind_of_judged(members[0]), *_cells(members)[1:]]
        for (kernel, gpu), members in pairs[:WORST]
    ]
    return table(["kernel", "GPU", "family", "kind", *_HEAD[1:]], rows, 4)
