"""The survey's tables as markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accuracy.real_c.package import Package
from accuracy.real_c.record import FileRecord
from accuracy.real_c.totals import ReasonCount, Totals, by_reason, distinct_marks, totals

BEGIN = "<!-- real C: begin, written by tests/accuracy/real_c/report.py -->"
END = "<!-- real C: end -->"
_MOST_REASONS = 25
SETS: Mapping[str, tuple[str, str]] = {
    "tune": ("Tune set", "Its failures are looked at and mended."),
    "opened": (
        "First hold-out, opened",
        "Judged at commit 104f095: 85.5 % of its 465 OpenMP loops together (36.5 % proved); looked at since then.",
    ),
    "opened-2": (
        "Second hold-out, opened",
        "Judged at commit 9698fc4: 71.8 % of its 822 OpenMP loops together (41.7 % proved); looked at since then.",
    ),
    "holdout": ("Third hold-out", "Only ever measured: nobody looks at what fails here."),
}
"""Title and purpose of each set of packages."""

PROMISE_SUBJECTS: Mapping[str, str] = {
    "independent": "functions of other files touch no memory that other iterations touch; flags only report",
    "injective": "tables of subscripts have no repeats, or increase",
    "increasing": "tables of subscripts have no repeats, or increase",
    "size": "relations between sizes",
    "acyclic": "no step of all pairs' shortest paths shortens itself",
    "kept": "nothing fails: flags that would say so keep their values",
    "private": "work memory is written before it is read in each iteration",
    "separate": "names do not lead to one memory",
    "unordered": "nobody minds in which order a loop prints",
    "uncalled": "no error ends a loop by `longjmp`",
    "ordinary": "nothing but the loop touches memory that is volatile or atomic",
    "unshared": "iterations do not meet in the elements that data decides",
    "agreeing": "iterations do not meet in the elements that data decides",
}
"""What each kind of promise is about."""

Surveyed = Sequence[tuple[Package, Sequence[FileRecord]]]


def table(header: Sequence[str], rows: Sequence[Sequence[object]], numbers_from: int = 1) -> str:
    """A markdown table; columns from `numbers_from` on are aligned to the right.

    >>> print(table(["a", "n"], [["x|y", 3]]))
    | a | n |
    | --- | ---: |
    | x\\|y | 3 |
    """
    rules = ["---" if index < numbers_from else "---:" for index in range(len(header))]
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [list(header), rules, *cells])


def share(part: int, whole: int) -> str:
    """A percentage with one decimal, never rounded up to 100.

    >>> share(9999, 10000), share(3, 3), share(0, 0)
    ('99.9 %', '100 %', '-')
    """
    if not whole:
        return "-"
    return "100 %" if part == whole else f"{int(1000 * part / whole) / 10:.1f} %"


def set_tables(which: str, surveyed: Surveyed, accepted: Mapping[str, int], c_files: Mapping[str, int]) -> str:
    """All tables of one set; reasons only where failures may be looked at."""
    chosen = [(package, records) for package, records in surveyed if package.set == which]
    by_package = [(p, totals(records, accepted.get(p.name, 0))) for p, records in chosen]
    every = [record for _, records in chosen for record in records]
    total = totals(every, sum(accepted.get(p.name, 0) for p, _ in chosen))
    parts = [
        "### {}\n\n{}".format(*SETS[which]),
        _sources(by_package, c_files),
        _parsing(by_package, total),
        _verdicts(by_package, total),
        promised(every),
    ]
    if which != "holdout":
        marked = [(m.place, m.reason) for m in distinct_marks(every) if not m.is_found]
        unknown = [(v.place, v.reason) for record in every for v in record.verdicts if v.verdict == "unknown"]
        opaque = [(o.place, f"{o.kind}: {o.reason}") for record in every for o in record.opaque]
        parts += [
            _reasons("Why marked loops are not proved (a loop counts for each of its reasons)", by_reason(marked)),
            _reasons("Why loops are unknown (a loop counts for each of its reasons)", by_reason(unknown)),
            _reasons("What is opaque", by_reason(opaque)),
        ]
    return "\n\n".join(parts)


def document(parts: Sequence[str]) -> str:
    """The section between the marks."""
    return "\n\n".join([BEGIN, *parts, END])


def replaced_section(page: str, section: str) -> str:
    """The page with its marked section replaced; raises ValueError when it has none."""
    begin, end = page.index(BEGIN), page.index(END) + len(END)
    return page[:begin] + section + page[end:]


def _sources(by_package: Sequence[tuple[Package, Totals]], c_files: Mapping[str, int]) -> str:
    rows = [
        (p.name, p.version, p.source, p.licence, " ".join(p.needs), c_files.get(p.name, 0), t.accepted, t.lines)
        for p, t in by_package
    ]
    header = ["package", "version", "from", "licence", "needs", ".c files", "gcc accepts", "lines"]
    return table(header, rows, numbers_from=5)


def _parsing(by_package: Sequence[tuple[Package, Totals]], total: Totals) -> str:
    header = [
        "package", "analysed", "nothing lost", "functions", "found", "not parsed", "loops", "found", "failures",
        "exceptions",
    ]  # fmt: skip
    rows = [(p.name, *_parsing_row(t)) for p, t in by_package] + [("all", *_parsing_row(total))]
    return table(header, rows)


def _parsing_row(t: Totals) -> tuple[object, ...]:
    lossless = f"{t.nothing_lost} ({share(t.nothing_lost, t.analysed)})"
    return (
        t.analysed, lossless, t.functions, t.functions_found, t.functions_unparsed, t.loops, t.loops_found, t.failures,
        t.exceptions,
    )  # fmt: skip


def _verdicts(by_package: Sequence[tuple[Package, Totals]], total: Totals) -> str:
    header = [
        "package", "parallel", "reduction", "carried", "unknown", "OpenMP loops", "parallel or reduction",
        "on assumptions", "if promised", "together", "carried", "unknown", "opaque", "uses", "uses together",
    ]  # fmt: skip
    rows = [(p.name, *_verdict_row(t)) for p, t in by_package] + [("all", *_verdict_row(total))]
    return table(header, rows)


def _verdict_row(t: Totals) -> tuple[object, ...]:
    positive = f"{t.marked_positive} ({share(t.marked_positive, t.marked)})"
    together = share(t.marked_positive + t.marked_promised, t.marked)
    unknown = t.marked_unknown - t.marked_promised
    return (
        *t.verdicts, t.marked, positive, t.conditional, t.marked_promised, together, t.marked_carried, unknown,
        t.marked_opaque, t.uses, share(t.uses_found, t.uses),
    )  # fmt: skip


def promised(records: Sequence[FileRecord]) -> str:
    """What marked loops would need to be promised, by what the promises are about."""
    needed = [
        {PROMISE_SUBJECTS[p.rpartition(" ")[2]] for p in m.promises} for m in distinct_marks(records) if m.promises
    ]
    header = ["what would have to be promised", "marked loops", "nothing else"]
    rows = [
        (about, sum(about in each for each in needed), sum(each == {about} for each in needed))
        for about in dict.fromkeys(PROMISE_SUBJECTS.values())
    ]
    return table(header, rows)


def _reasons(title: str, counted: Sequence[ReasonCount]) -> str:
    most = counted[:_MOST_REASONS]
    cells = [(str(each.count), str(each.alone), each.reason.replace("|", "\\|"), each.examples[0]) for each in most]
    if len(counted) > len(most):
        cells.append(("", "", f"{len(counted) - len(most)} rarer reasons", ""))
    lines = [f"| {' | '.join(row)} |" for row in cells]
    header = "| loops | no other reason | reason | for example |\n| ---: | ---: | --- | --- |"
    return "\n".join([f"{title}:", "", header, *lines])
