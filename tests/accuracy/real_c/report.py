"""Tables of the survey: `report.py [--write] [--lists FOLDER] [--times]`.

`--write` puts them into `docs/accuracy.md`; `--lists` writes every opaque and every marked loop that is not proved, of
what may be looked at: the hold-out is only measured.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path

from accuracy.real_c.accept import read_accepted
from accuracy.real_c.package import PROJECT, Package, packages
from accuracy.real_c.record import FileRecord
from accuracy.real_c.survey import Answers, tasks_of
from accuracy.real_c.tables import SETS, document, replaced_section, set_tables
from accuracy.real_c.totals import distinct_marks

_PAGE = PROJECT / "docs" / "accuracy.md"


def main() -> None:
    """Print the tables of the packages surveyed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-package", type=int, default=0, help="as the survey was run")
    parser.add_argument("--marked", action="store_true", help="as the survey was run")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--lists", type=Path)
    parser.add_argument("--times", action="store_true")
    options = parser.parse_args()
    if options.write and (options.marked or options.per_package):
        parser.error("the page is written from a whole survey only")
    answers = Answers()
    surveyed: list[tuple[Package, tuple[FileRecord, ...]]] = []
    for package in packages():
        tasks = tuple(tasks_of((package,), options.per_package, marked_only=options.marked))
        surveyed.append((package, tuple(answers[task] for task in tasks if task in answers)))
    accepted = {name: sum(file.is_accepted for file in files) for name, files in read_accepted().items()}
    c_files = {name: len(files) for name, files in read_accepted().items()}
    section = document([set_tables(which, surveyed, accepted, c_files) for which in SETS])
    print(section)
    if options.times:
        print(_times([record for _, records in surveyed for record in records]))
    if options.write:
        _PAGE.write_text(replaced_section(_PAGE.read_text(encoding="utf-8"), section), encoding="utf-8")
    if options.lists:
        looked_at = [record for package, records in surveyed if package.set != "holdout" for record in records]
        _write_lists(options.lists, looked_at)


def _write_lists(folder: Path, records: Sequence[FileRecord]) -> None:
    marked = [
        f"{loop.place}: {loop.verdict}: {loop.reason}  [omp {loop.directive}]"
        for loop in distinct_marks(records)
        if not loop.is_found
    ]
    opaque = [f"{each.place}: {each.kind} {each.function}: {each.reason}" for r in records for each in r.opaque]
    lost = [
        f"{record.path}: {record.failure or 'lost'}: functions {record.functions_found}/{record.functions} "
        f"unparsed {record.functions_unparsed} loops {record.loops_found}/{record.loops} (own {record.loops_counted}) "
        f"{' '.join(record.lost)}"
        for record in records
        if not record.nothing_lost
    ]
    exceptions = [line for record in records for line in record.exceptions]
    lists = {"omp_unknown": marked, "opaque": opaque, "lost": lost, "exceptions": exceptions}
    for name, lines in lists.items():
        (folder / f"{name}.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _times(records: Sequence[FileRecord]) -> str:
    lines = max(sum(record.lines for record in records), 1)
    front_s = sum(record.front_end_s for record in records)
    rows = [f"{lines} lines; front end {1e6 * front_s / lines:.0f} ms per 1000 lines"]
    for name, values in (
        ("facts", [ms for record in records for ms in record.nest_ms]),
        ("dependence", [ms for record in records for ms in record.dependence_ms]),
    ):
        if len(values) > 1:
            cuts = statistics.quantiles(values, n=100)
            rows.append(f"{name} of a nest: median {cuts[49]:.2f} ms, p99 {cuts[98]:.1f}, most {max(values):.0f}")
    slow = sorted(records, key=lambda r: -(r.front_end_s + sum(r.nest_ms) / 1e3))[:5]
    rows += [f"{record.path}: {record.front_end_s:.1f} s + {sum(record.nest_ms) / 1e3:.1f} s" for record in slow]
    return "\n".join(rows)


if __name__ == "__main__":
    main()
