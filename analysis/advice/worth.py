"""Whether a nest is worth porting: the one answer that every view of it gives, as a value.

The GPU is held against the best of the CPU, all its cores or one, since a parallel loop could get threads instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.choice.time_range import TimeRange, kernels_range
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import Grounds, grounds_of
from warplens.analysis.text.rounded import round_ratio

if TYPE_CHECKING:  # a lens needs none, and the analysis process starts without
    from warplens.analysis.models.sizes.break_even import BreakEven

Word = Literal[
    "worth it",
    "if data stays",
    "little gain",
    "all cores",
    "on the GPU",
    "not worth it",
    "size decides",
    "sizes unknown",
    "nothing to run",
    "if promised",
    "not parallel",
    "not known",
    "not decided",
]
"""worth it: also with the copies; if data stays: without them; little gain: about as fast as the CPU; all cores: these
gain as much as a GPU would or more, and the code uses one; on the GPU: its directives have it there; size decides: one
size is guessed, and from some value on it may be worth it; sizes unknown: it is parallel, and several guesses decide
the rest; if promised: parallel if the user says what is asked for; not known: whether it is parallel; not decided: the
nest uses what is declared nowhere in sight."""

WORTH: tuple[Word, ...] = ("worth it", "if data stays")

BestCpu = Literal["one core", "all cores"]
"""What the GPU is held against: the faster of the two."""

Now = Literal["one core", "all cores", "GPU"]
"""Where the code runs as it is written."""

_LEAST_GAIN = 1.2
"""Less than so many times faster is not worth a port: more than half of the predictions of kernels are off by more."""

_LAUNCHES = 2
"""What one core does in the time of so many launches is too short for a port, however fast its kernel is."""


@dataclass(frozen=True, slots=True)
class Factor:
    """How many times faster the GPU is, below 1 where slower; `least` to `most` by the measured errors of its model.

    Without any that were measured, both are `value`.
    """

    value: float
    least: float
    most: float

    @property
    def is_sure(self) -> bool:
        """Whether all of its range says the same: faster, or slower."""
        return self.least >= 1 or self.most <= 1


@dataclass(frozen=True, slots=True)
class Worth:
    """`resident` and `copied` are against the best of the CPU (`against`); None where no number has a ground.

    resident: the data is on the GPU; copied: it is copied in and out. `now` is where the code runs as written, `now_s`
    how long, `all_cores_s` on all cores, `gpu_s` with the data on the GPU, `copied_s` with the copies. `is_sure` is
    False where the ranges of the measured errors leave the word open. `at_sizes` is the word at the sizes in force,
    guessed or not.
    """

    word: Word
    grounds: Grounds
    now: Now
    now_s: float
    against: BestCpu = "one core"
    resident: Factor | None = None
    copied: Factor | None = None
    gpu_s: float | None = None
    copied_s: float | None = None
    is_sure: bool = True
    at_sizes: Word | None = None
    all_cores_s: float | None = None

    @property
    def is_too_short(self) -> bool:
        """Whether at these sizes one core needs no longer than starting kernels takes, though the GPU is no slower."""
        return self.at_sizes == "not worth it" and self.resident is not None and not is_gain(1 / self.resident.value)

    @property
    def gain_s(self) -> float:
        """What the GPU saves of the time now, with the data on it; 0 where it does not, or nobody can know."""
        return self._saved_s(self.gpu_s)

    @property
    def copied_gain_s(self) -> float:
        """The same with the copies."""
        return self._saved_s(self.copied_s)

    def _saved_s(self, gpu_s: float | None) -> float:
        return 0.0 if gpu_s is None or self.now == "GPU" else max(0.0, self.now_s - gpu_s)


def worth_of(evaluation: NestEvaluation, break_even: BreakEven | None = None) -> Worth:
    """Whether the nest is worth porting at its sizes; `break_even` is the nest's where it is known already.

    Of a guessed size this decides the word: the value that stands in for it does not.
    """
    grounds = grounds_of(evaluation)
    now = runs_on(evaluation)
    cpu = evaluation.cpu_time
    offload = evaluation.offload
    now_s = cpu.all_cores_s if now == "all cores" else cpu.one_core_s
    if now == "GPU" and offload is not None:
        now_s = offload.resident_s

    def without_numbers(word: Word) -> Worth:
        return Worth(word, grounds, now, now_s)

    if grounds.undeclared:
        return without_numbers("not decided")
    if offload is None or not evaluation.kernels:
        return without_numbers(_not_parallel(evaluation))
    if not grounds.carry_numbers:
        return without_numbers("sizes unknown")
    if not offload.has_work:
        return without_numbers("nothing to run")
    is_threaded = cpu.all_cores_s < cpu.one_core_s
    best_s = min(cpu.all_cores_s, cpu.one_core_s)
    times = kernels_range(evaluation) or TimeRange(offload.kernels_s, offload.kernels_s)
    slow, fast = (replace(offload, kernels_s=time_s) for time_s in (times.most_s, times.least_s))
    resident = Factor(best_s / offload.resident_s, best_s / slow.resident_s, best_s / fast.resident_s)
    copied = Factor(best_s / offload.cold_s, best_s / slow.cold_s, best_s / fast.cold_s)
    word, is_sure = _judged(resident, copied)
    if now == "GPU":
        word = "on the GPU"
    elif cpu.one_core_s < _LAUNCHES * evaluation.gpu.host.launch_overhead_s:
        word, is_sure = "not worth it", True
    elif word in {"little gain", "not worth it"} and now == "one core" and is_gain(cpu.one_core_s / best_s):
        word = "all cores"
    return Worth(
        _by_size(word, break_even) if grounds.guesses else word,
        grounds,
        now,
        now_s,
        "all cores" if is_threaded else "one core",
        resident,
        copied,
        offload.resident_s,
        offload.cold_s,
        is_sure,
        word,
        cpu.all_cores_s,
    )


def is_gain(ratio: float) -> bool:
    """Whether so many times faster is worth a change, as rounded: views show the rounded number beside the word.

    >>> is_gain(1.05), is_gain(1.15), is_gain(0.5)
    (False, True, False)
    """
    return round_ratio(ratio) >= _LEAST_GAIN


def _judged(resident: Factor, copied: Factor) -> tuple[Word, bool]:
    """The word, and whether the ends of the ranges have the same."""
    if is_gain(copied.value):
        return "worth it", copied.least >= 1
    if is_gain(resident.value):
        return "if data stays", resident.least >= 1
    if not is_gain(1 / resident.value):
        return "little gain", resident.most < 2
    return "not worth it", resident.most <= 1


def _by_size(word: Word, break_even: BreakEven | None) -> Word:
    """The word of a nest with a guessed size, which is `word` at the guess."""
    if word == "on the GPU":
        return word
    if break_even is None or not break_even.wins:
        return "size decides"
    start = break_even.beats_cpu_from("resident")
    if start is None and not break_even.beats_cpu_somewhere("resident"):
        return "not worth it"
    if start != break_even.least or word not in WORTH:
        return "size decides"
    return word if break_even.beats_cpu_from("cold") == break_even.least else "if data stays"


def deciding_verdict(evaluation: NestEvaluation) -> LoopVerdict:
    """Of a nest without a kernel: the loop that a promise would help, else the outermost that is not parallel."""
    verdicts = [evaluation.facts.verdict(loop.id) for loop in loops_of(evaluation.facts.nest)]
    promised = (verdict for verdict in verdicts if verdict.conditions)
    serial = (verdict for verdict in verdicts if not verdict.can_run_in_parallel)
    return next(promised, None) or next(serial, verdicts[0])


def _not_parallel(evaluation: NestEvaluation) -> Word:
    verdict = deciding_verdict(evaluation)
    if verdict.conditions:
        return "if promised"
    return "not known" if verdict.kind == "unknown" else "not parallel"


def runs_on(evaluation: NestEvaluation) -> Now:
    """Where the nest runs as it is written: by directives of its loops on all cores or the GPU, else on one core."""
    directives = [loop.directive for loop in loops_of(evaluation.facts.nest) if loop.directive is not None]
    if any(each.language == "acc" or {"target", "teams"} & set(each.words.split()) for each in directives):
        return "GPU"
    return "all cores" if any(each.unit == "threads" for each in directives) else "one core"
