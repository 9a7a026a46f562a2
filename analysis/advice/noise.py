"""How much is shown: at each level the findings that are worth a message beside the code.

Nothing is lost by a level: the full card of a loop (report, `warplens check FILE:LINE`) has the numbers of what is not
shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.noise_levels import Noise
from warplens.analysis.advice.worth import Worth, is_gain, worth_of
from warplens.analysis.ir.nest import loops_of, walk_statements
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.results.offload import Offload


def is_worth_showing(evaluation: NestEvaluation, finding: Finding, beside: Sequence[Finding], noise: Noise) -> bool:
    """Whether a finding is a message at a level; `beside` are all of its nest.

    Assumed sizes (WL901) are one message for several nests. Of what is shown at "normal", "quiet" has the warnings,
    which hang on the whole file (engine/weighed.py).
    """
    if noise == "all":
        return True
    match finding.code:
        case "WL101":  # what is undecided around it comes first
            return not any(other.code == "WL102" and _is_inside(evaluation, finding, other) for other in beside)
        case "WL902":  # what nearly every function with two pointers has, and its hover says; not what it costs
            return finding.gain is not None and is_gain(finding.gain)
        case "WL202":  # the others say why it waits for that array
            return not any(_explains(other, finding) for other in beside)
        case "WL204":
            return finding.gain is None or is_gain(finding.gain)
        case "WL301":  # the sentence compares both cases; a message where copying makes the difference
            return _decides(worth_of(evaluation))
        case "WL302":  # of a number of threads that was only assumed
            return not assumed_sizes(evaluation)
        case _:
            return True


def _decides(worth: Worth) -> bool:
    """Whether a port gains something where the data is on the GPU, and nothing with the copies."""
    return (
        worth.resident is not None
        and worth.copied is not None
        and is_gain(worth.resident.value)
        and not is_gain(worth.copied.value)
    )


def _is_inside(evaluation: NestEvaluation, finding: Finding, other: Finding) -> bool:
    """Whether a finding is about a loop inside of another finding's."""
    around = [loop for loop in loops_of(evaluation.facts.nest) if loop.id == other.node]
    return any(inner.id == finding.node for inner in walk_statements(around[0].body)) if around else False


def _explains(other: Finding, hotspot: Finding) -> bool:
    """Whether a finding says why a kernel waits where another one says that it does."""
    return other.code == "WL302" or (other.code in {"WL201", "WL204"} and other.array == hotspot.array)


def assumed_sizes(evaluation: NestEvaluation) -> frozenset[tuple[str, float]]:
    """Names and values of the sizes that nobody said and the source does not show."""
    return frozenset(
        (a.subject, a.value)
        for a in evaluation.assumptions
        if a.kind == "size" and a.origin in {"default", "inferred"} and a.value is not None
    )


def speeds_up(evaluation: NestEvaluation) -> bool:
    """Whether a GPU that has the data is predicted to beat the CPU, or what is not known could make it so."""
    offload = evaluation.offload
    if offload is None or not evaluation.kernels:
        return any(verdict.conditions for verdict in evaluation.facts.verdicts)
    if not grounds_of(evaluation).carry_numbers:
        return True
    return offload.has_work and offload.resident_s < _cpu_s(offload)


def _cpu_s(offload: Offload) -> float:
    return min(offload.one_core_s, offload.all_cores_s)
