"""`python -m support.cuda_on_cpu.campaign 0 1000`: ports of as many random nests, each in several launches, on the CPU.

Prints what failed with its source, and why ports are refused. `python -m support.cuda_on_cpu.campaign` runs the corpus.
"""

from __future__ import annotations

import argparse
import re
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.corpus.all import CORPUS
from support.cuda_on_cpu.mapped_ports import mapped_ports, stepped_ports
from support.cuda_on_cpu.ports import Refused, ports
from support.cuda_on_cpu.programs import Checked, Failure, Port, failures
from support.cuda_on_cpu.random_imperfect import random_imperfect
from support.cuda_on_cpu.random_kernels import random_cases
from support.cuda_on_cpu.random_stencils import random_stencils
from support.cuda_on_cpu.random_tiles import random_tiles
from support.cuda_on_cpu.random_triangles import random_triangles
from warplens.analysis.engine.report import Report

_BATCH = 50

Written = Callable[[Case, Report, int, int], tuple[list[Port], list[Refused]]]
"""Ports of a case that a report tells of, and what is refused: which of them a seed says, so many at most."""


@dataclass
class Outcome:
    """`ported` are the cases that have a port, with those; `refused` every launch of every case that was refused."""

    ported: list[Checked] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)

    @property
    def launches(self) -> int:
        """Ports that were run."""
        return sum(len(checked.ports) for checked in self.ported)

    def reasons(self) -> Counter[str]:
        """Cases without any port by the reason, with the names in it left out."""
        names = {checked.case.name for checked in self.ported}
        first = {refused.case: refused.reason for refused in reversed(self.refused) if refused.case not in names}
        return Counter(re.sub(r"`[^`]*`", "`...`", reason) for reason in first.values())

    def refused_launches(self) -> Counter[str]:
        """Launches that were refused of cases that have other ports."""
        names = {checked.case.name for checked in self.ported}
        return Counter(re.sub(r"`[^`]*`", "`...`", one.reason) for one in self.refused if one.case in names)


def check_all(
    cases: Sequence[Case],
    folder: Path,
    most_ports: int = 99,
    cases_in_c_unit: int = 1,
    written: Written = ports,
) -> Outcome:
    """Write the ports and run them; of each case at most `most_ports`."""
    outcome = Outcome()
    for seed, case in enumerate(cases):
        try:
            found, refused = written(case, analysed(case), seed, most_ports)
        except Exception as defect:  # noqa: BLE001 - any exception but a refusal is a finding of the campaign
            outcome.defects.append(f"{case.name}: {''.join(traceback.format_exception(defect)[-3:])}\n{case.source}")
            continue
        outcome.refused += refused
        if found:
            outcome.ported.append(Checked(case, tuple(found)))
    if outcome.ported:
        outcome.failures = failures(outcome.ported, folder, 2, 2, cases_in_c_unit)
    return outcome


def main() -> int:
    """Run; 1 when a port is wrong or an exception escaped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="*", type=int, help="first seed and the one behind the last")
    parser.add_argument("--stencils", action="store_true", help="seeds are those of stencils")
    parser.add_argument("--imperfect", action="store_true", help="seeds are those of imperfect nests, in all mappings")
    parser.add_argument(
        "--triangles", action="store_true", help="seeds are those of sums that need each other, in steps"
    )
    parser.add_argument("--tiles", action="store_true", help="seeds are those of nests that are tiled already")
    parser.add_argument("--mappings", action="store_true", help="nests in all mappings instead of several launches")
    parser.add_argument("--keep", type=Path, help="folder for the CUDA files of what failed")
    options = parser.parse_args()
    total = Outcome()
    batches: list[Sequence[Case]] = [CORPUS]
    if options.seeds:
        first, end = options.seeds
        made = random_stencils if options.stencils else random_imperfect if options.imperfect else random_cases
        made = random_triangles if options.triangles else random_tiles if options.tiles else made
        batches = [made(range(at, min(at + _BATCH, end))) for at in range(first, end, _BATCH)]
    for cases in batches:
        with TemporaryDirectory() as folder:
            written = mapped_ports if options.imperfect or options.mappings else ports
            written = stepped_ports if options.triangles else written
            in_unit = _BATCH if options.seeds else 1
            outcome = check_all(cases, Path(folder), cases_in_c_unit=in_unit, written=written)
        for failure in outcome.failures:
            _show(failure, outcome, options.keep)
        print(*outcome.defects, sep="\n", end="\n" if outcome.defects else "")
        total.ported += outcome.ported
        total.refused += outcome.refused
        total.failures += outcome.failures
        total.defects += outcome.defects
        print(_summary(total), flush=True)
    print("cases without a port:", *_lines(total.reasons()), sep="\n")
    print("launches refused of cases with a port:", *_lines(total.refused_launches()), sep="\n")
    return 1 if total.failures or total.defects or not total.ported else 0


def _summary(outcome: Outcome) -> str:
    without = sum(outcome.reasons().values())
    return (
        f"{len(outcome.ported)} cases ported in {outcome.launches} launches, {without} refused, "
        f"{len(outcome.failures)} wrong, {len(outcome.defects)} exceptions"
    )


def _lines(reasons: Counter[str]) -> list[str]:
    return [f"{count:5} {reason}" for reason, count in reasons.most_common()]


def _show(failure: Failure, outcome: Outcome, keep: Path | None) -> None:
    checked = next(one for one in outcome.ported if one.case.name == failure.case)
    print(f"=== {failure.case}, port {failure.port}, status {failure.status}\n{failure.said}\n{checked.case.source}")
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(checked.ports[failure.port].cuda):
            (keep / f"{failure.case}_{failure.port}_{number}.cu").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
