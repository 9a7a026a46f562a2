"""What to do about a nest: the first step, in a word or two and in a phrase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.advice.worth import Worth, is_gain
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import OfferedFix
from warplens.analysis.text.rounded import times_text
from warplens.server.render.grounds_text import listed

_PORTS = frozenset(("openmp", "openacc", "cuda"))
_SHORT = 10
"""Letters that a narrow column has."""


StepKind = Literal["port", "keep data", "by hand", "threads", "say size", "promise", "header", "rewrite"]

STEP_MEANINGS: Mapping[StepKind, str] = {
    "port": "port this loop: it gains even if its arrays are copied there and back each time",
    "keep data": "port the loops before and after too, so that arrays stay on the GPU",
    "by hand": "a port gains, but none can be written for you",
    "threads": "one line, `#pragma omp parallel for`, gains as much as a GPU or more",
    "say size": "say a size that is guessed: `--size n=4096`, or `// warplens: n = 4096` above the loop",
    "promise": "say what is asked for in a comment, if it is true",
    "header": "find the missing header, `-I DIR`, or define the name",
    "rewrite": "write it in another way, which is named: as it stands, an iteration needs an earlier one",
}
"""As docs/verdict.md has them: one line each, for a reader who knows no GPUs."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """`kind` is a word of the table, None: there is nothing to do. `short` fits a narrow column, `long` says how."""

    kind: StepKind | None = None
    long: str = ""
    short: str = ""


NOTHING_TO_DO = NextStep()


def next_step(worth: Worth, evaluation: NestEvaluation, fixes: Sequence[OfferedFix]) -> NextStep:
    """The first step; `fixes` are what the editor offers for the nest."""
    change, refused = _best_change(fixes), _refused_ports(fixes)
    names = [guess.name for guess in worth.grounds.guesses]
    match worth.word:
        case "worth it" | "if data stays" if refused:
            return _step("by hand", f"no port is written: {refused}")
        case "worth it":
            return _step("port", f"port it{change}")
        case "if data stays":
            return _step("keep data", f"port it, and keep its data on the GPU{change}")
        case "all cores":
            return _step("threads", "`omp parallel for`: the cores gain as much or more")
        case "size decides" | "sizes unknown":
            short = "say sizes" if names[1:] else f"say {names[0]}"
            phrase = f"say {listed([f'`{name}`' for name in names])}"
            return NextStep("say size", phrase, short if len(short) <= _SHORT else "say size")
        case "if promised":
            promise = next(each for each in evaluation.facts.verdicts if each.conditions).conditions[0]
            return _step("promise", f"say `{promise.text}` if that is true")
        case "not decided":
            headers = evaluation.missing_headers
            name = worth.grounds.undeclared[0].name
            return _step("header", f"find `{headers[0]}`: -I DIR" if headers else f"declare or define `{name}`")
        case "not parallel" if any(verdict.pattern for verdict in evaluation.facts.verdicts):
            pattern = next(verdict.pattern for verdict in evaluation.facts.verdicts if verdict.pattern)
            return _step("rewrite", pattern)
        case _:
            return NOTHING_TO_DO


def _step(kind: StepKind, phrase: str) -> NextStep:
    return NextStep(kind, phrase, kind)


def _refused_ports(fixes: Sequence[OfferedFix]) -> str:
    """Why no port can be written; empty where one can, or none was asked for."""
    ports = [fix for fix in fixes if fix.code in _PORTS]
    return ports[0].refusal if ports and all(fix.refusal for fix in ports) else ""


def _best_change(fixes: Sequence[OfferedFix]) -> str:
    """The change of the source that gains most beside a port, and what."""
    gains = [fix for fix in fixes if fix.gain is not None and is_gain(fix.gain) and not fix.refusal]
    if not gains:
        return ""
    best = max(gains, key=lambda fix: fix.gain or 0)
    what = best.title.partition(":")[0]
    return f"; {what[:1].lower()}{what[1:]}: {times_text(best.gain or 1)} faster"
