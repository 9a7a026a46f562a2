"""What to do about a nest: the first step, in a word or two and in a phrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.advice.worth import LEAST_GAIN, Worth
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import OfferedFix
from warplens.analysis.text.rounded import times_text
from warplens.server.render.grounds_text import listed

_PORTS = frozenset(("openmp", "openacc", "cuda"))
_SHORT = 10
"""Letters that a narrow column has."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """`short` fits a narrow column, `long` says how; both empty where there is nothing to do."""

    short: str = ""
    long: str = ""


NOTHING_TO_DO = NextStep()


def next_step(worth: Worth, evaluation: NestEvaluation, fixes: Sequence[OfferedFix]) -> NextStep:
    """The first step; `fixes` are what the editor offers for the nest."""
    change, refused = _best_change(fixes), _refused_ports(fixes)
    names = [guess.name for guess in worth.grounds.guesses]
    match worth.word:
        case "worth it" | "if data stays" if refused:
            return NextStep("by hand", f"no port is written: {refused}")
        case "worth it":
            return NextStep("port", f"port it{change}")
        case "if data stays":
            return NextStep("keep data", f"port it, and keep its data on the GPU{change}")
        case "all cores":
            return NextStep("threads", "`omp parallel for`: the cores gain as much or more")
        case "size decides" | "sizes unknown":
            short = "say sizes" if names[1:] else f"say {names[0]}"
            return NextStep(
                short if len(short) <= _SHORT else "say size", f"say {listed([f'`{name}`' for name in names])}"
            )
        case "if promised":
            promise = next(each for each in evaluation.facts.verdicts if each.conditions).conditions[0]
            return NextStep("promise", f"say `{promise.text}` if that is true")
        case "not decided":
            headers = evaluation.missing_headers
            name = worth.grounds.undeclared[0].name
            return NextStep("header", f"find `{headers[0]}`: -I DIR" if headers else f"declare or define `{name}`")
        case "not parallel" if any(verdict.pattern for verdict in evaluation.facts.verdicts):
            pattern = next(verdict.pattern for verdict in evaluation.facts.verdicts if verdict.pattern)
            return NextStep("rewrite", pattern)
        case _:
            return NOTHING_TO_DO


def _refused_ports(fixes: Sequence[OfferedFix]) -> str:
    """Why no port can be written; empty where one can, or none was asked for."""
    ports = [fix for fix in fixes if fix.code in _PORTS]
    return ports[0].refusal if ports and all(fix.refusal for fix in ports) else ""


def _best_change(fixes: Sequence[OfferedFix]) -> str:
    """The change of the source that gains most beside a port, and what."""
    gains = [fix for fix in fixes if fix.gain is not None and fix.gain >= LEAST_GAIN and not fix.refusal]
    if not gains:
        return ""
    best = max(gains, key=lambda fix: fix.gain or 0)
    what = best.title.partition(":")[0]
    return f"; {what[:1].lower()}{what[1:]}: {times_text(best.gain or 1)} faster"
