"""The findings of a file by what is at stake: each nest's severities, and no more than a reader can take in."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.advice.finding import SEVERITY_ORDER, Finding
from warplens.analysis.advice.noise_levels import Noise
from warplens.analysis.advice.severity import severity_of
from warplens.analysis.advice.stakes import Stake, together, total_now_s
from warplens.analysis.engine.report import NestReport, Report
from warplens.analysis.ir.ids import LoopId

MOST_ENTRIES = 10
"""So many of a file are more than hints."""


def weighed(report: Report, worthwhile_s: float, noise: Noise) -> Report:
    """The report with severities by each nest's share of the file's predicted time, at most MOST_ENTRIES above hints.

    Those of the nests that take the most time stay; at "quiet" warnings alone do. It depends on all nests of the
    report, and on nothing else.
    """
    nests = [nest for function in report.functions for nest in function.nests]
    stakes = together([nest.stake for nest in nests if nest.stake is not None])
    total_s = total_now_s(stakes)
    by_nest = dict(zip((nest.id for nest in nests if nest.stake is not None), stakes, strict=True))
    found = {nest.id: _of_nest(nest, by_nest.get(nest.id), total_s, worthwhile_s) for nest in nests}
    kept = _most_at_stake(found, by_nest)

    def shown(nest: NestReport) -> NestReport:
        lowered = tuple(
            finding if finding.severity == "hint" or (nest.id, at) in kept else replace(finding, severity="hint")
            for at, finding in enumerate(found[nest.id])
        )
        wanted = lowered if noise != "quiet" else tuple(each for each in lowered if each.severity == "warning")
        return nest if wanted == nest.findings else replace(nest, findings=wanted)

    functions = tuple(
        replace(function, nests=tuple(shown(nest) for nest in function.nests)) for function in report.functions
    )
    return replace(report, functions=functions)


def _of_nest(nest: NestReport, stake: Stake | None, total_s: float, worthwhile_s: float) -> tuple[Finding, ...]:
    if stake is None:
        return nest.findings
    severities = [severity_of(finding, stake, total_s, worthwhile_s) for finding in nest.findings]
    return tuple(
        finding if finding.severity == severity else replace(finding, severity=severity)
        for finding, severity in zip(nest.findings, severities, strict=True)
        if severity is not None
    )


def _most_at_stake(
    found: dict[LoopId, tuple[Finding, ...]], stakes: dict[LoopId, Stake]
) -> frozenset[tuple[LoopId, int]]:
    """Nest and place among its findings of those that stay above hints, wrong code whatever comes before it."""
    above = [
        (nest, at, finding)
        for nest, findings in found.items()
        for at, finding in enumerate(findings)
        if finding.severity != "hint"
    ]

    def order(entry: tuple[LoopId, int, Finding]) -> tuple[bool, int, float, float]:
        nest, _, finding = entry
        stake = stakes.get(nest)
        known_s, guessed_s = (0.0, 0.0) if stake is None else (stake.now_s, stake.worth.now_s)
        return not finding.is_wrong_code, SEVERITY_ORDER[finding.severity], -known_s, -guessed_s

    ranked = sorted(above, key=order)  # stable: in the order of the source where all is alike
    wrong = sum(1 for _, _, finding in above if finding.is_wrong_code)
    return frozenset((nest, at) for nest, at, _ in ranked[: max(MOST_ENTRIES, wrong)])
