"""A nest in a few words, for the line above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplens.analysis.advice.worth import Worth, deciding_verdict, worth_of
from warplens.analysis.facts.calls.call_assumptions import uncounted_functions
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import guessed_sizes
from warplens.analysis.ports.guessed_grid import directive_threads, is_for_a_guess
from warplens.analysis.text.quantities import extent_text
from warplens.analysis.text.rounded import about_time_text, round_ratio, size_text, speed_text, times_text
from warplens.server.render.amounts import plural
from warplens.server.render.launch_words import shape_text
from warplens.server.render.loop_hints import short_reason

if TYPE_CHECKING:  # a lens needs none, and the analysis process starts without
    from warplens.analysis.models.sizes.break_even import BreakEven

_BLOCKS_SHOWN = 2
_NAMES_SHOWN = 2
_PORTED = frozenset(("worth it", "if data stays", "size decides", "on the GPU"))
BETWEEN = " · "


def lens_text(evaluation: NestEvaluation) -> str:
    """The line above a nest, without markup: how many times faster than the best of the CPU, and the block.

    It ends with the names of guessed sizes, behind those of functions whose work is not counted. What it says in short
    `worth_sentence` says in full.
    """
    worth = worth_of(evaluation)
    parts = [_verdict(evaluation, worth)]
    if worth.word in _PORTED and worth.resident is not None and worth.resident.value > 1:
        parts.append(blocks_text(evaluation))
    if worth.word in {"sizes unknown", "nothing to run"} or worth.resident is not None:
        names = [f"{guess.name}?" for guess in worth.grounds.guesses]
        more = [f"{len(names) - _NAMES_SHOWN} more?"] if len(names) > _NAMES_SHOWN + 1 else names[_NAMES_SHOWN:]
        parts.append(" ".join((*names[:_NAMES_SHOWN], *more)))
    functions = uncounted_functions((evaluation.facts.nest.root,))
    if functions and worth.resident is not None:
        parts.insert(-1, f"without {functions[0]}(){'...' if functions[1:] else ''}")
    return BETWEEN.join(filter(None, parts)).replace("`", "")


def lens_end(found: BreakEven | None) -> str:
    """What a lens gets behind the name of a guessed size: from which value on the GPU is faster than the CPU."""
    if found is None or not found.is_guessed or not found.wins:
        return ""
    start = found.beats_cpu_from("resident")
    if start is None:
        return " some" if found.beats_cpu_somewhere("resident") else " never"
    return " any" if start == found.least else f" from {size_text(start, found.current)}"


def _verdict(evaluation: NestEvaluation, worth: Worth) -> str:
    match worth.word:
        case "not decided":
            headers = evaluation.missing_headers
            return f"not decided: {headers[0] if headers else worth.grounds.undeclared[0].name} is missing"
        case "sizes unknown":
            return "parallel"
        case "nothing to run":
            return "nothing to run on the GPU"
        case "if promised":
            return "parallel if you promise it"
        case "not parallel":
            return f"not parallel: {short_reason(evaluation, deciding_verdict(evaluation))}"
        case "not known":
            return "not known to be parallel"
        case "all cores":
            cpu = evaluation.cpu_time
            cores = times_text(cpu.one_core_s / cpu.all_cores_s)
            return f"all {evaluation.cpu.core_count} cores {cores} (GPU: {_short(cpu.one_core_s, worth.gpu_s)})"
    if worth.resident is None or worth.copied is None:
        return "parallel"
    if worth.word == "not worth it" and worth.is_too_short:
        return f"not worth it: {about_time_text(evaluation.cpu_time.one_core_s)} on one core"
    resident, copied = _speed(worth.resident.value), _speed(worth.copied.value)
    return f"GPU {resident}" if resident == copied else f"GPU {resident} (copies: {copied})"


def _short(cpu_s: float, gpu_s: float | None) -> str:
    return _speed(cpu_s / gpu_s) if gpu_s else "?"


def _speed(ratio: float) -> str:
    """`speed_text` without "faster".

    >>> _speed(14.2), _speed(0.32), _speed(1.05)
    ('15x', '3x slower', 'as fast')
    """
    return times_text(ratio) if ratio > 1 and round_ratio(ratio) != 1 else speed_text(ratio)


def blocks_text(evaluation: NestEvaluation) -> str:
    """The recommended block of the nest's kernel; of several kernels their blocks, in order, if they are few."""
    if len(evaluation.kernels) == 1:
        kernel = evaluation.kernels[0]
        if is_for_a_guess(evaluation, kernel):  # the recommended one is nobody's
            return str(directive_threads(evaluation, kernel))
        return f"{shape_text(kernel.prediction.launch)}{written_text(evaluation, kernel)}"
    blocks = [extent_text(kernel.prediction.launch.block) for kernel in evaluation.kernels]
    if len(set(blocks)) == 1:
        return f"{plural(len(blocks), 'kernel')}, {blocks[0]}"
    return " and ".join(blocks) if len(blocks) <= _BLOCKS_SHOWN else plural(len(blocks), "kernel")


def written_text(evaluation: NestEvaluation, kernel: KernelEvaluation) -> str:
    """What ports ask for where it is another number of threads than the recommended block has, in parentheses.

    All of them where the best block is best for a guessed size only; OpenMP's directives where a block in a line, all
    that these can ask for, is clearly faster with another number. Where rows may have teams, or another mapping than
    the source's order is recommended, the text decides what directives can say: their titles have it.
    """
    threads = directive_threads(evaluation, kernel)
    has_own_titles = evaluation.mapped is not None or evaluation.in_row_teams is not None
    if is_for_a_guess(evaluation, kernel):
        return f" ({'CUDA' if has_own_titles else 'ports'} {threads})"
    if has_own_titles:
        return ""
    return "" if threads == kernel.prediction.launch.threads_per_block else f" (OpenMP {threads})"


def sizes_text(evaluation: NestEvaluation) -> str:
    """The sizes that the numbers are for, as the end of a line."""
    guessed = {guess.name for guess in guessed_sizes(evaluation)}
    sizes = (f"{name}{'?' if name in guessed else ''} = {n}" for name, n in evaluation.sizes)
    return f", {', '.join(sizes)}" if evaluation.sizes else ""
