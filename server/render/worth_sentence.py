"""Whether a nest is worth porting, in one sentence: the first of every view, and its words are made here alone."""

from __future__ import annotations

from typing import get_args

from warplens.analysis.advice.naming import best_cpu_text
from warplens.analysis.advice.worth import WORTH, Factor, Worth, deciding_verdict, worth_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven, Data
from warplens.analysis.text.quantities import count_text
from warplens.analysis.text.rounded import (
    about_time_text,
    compared_text,
    round_ratio,
    size_text,
    speed_text,
    times_text,
)
from warplens.server.render.break_even_text import work_from
from warplens.server.render.grounds_text import absurd_text, listed, undeclared_text
from warplens.server.render.loop_reasons import LineOf, dependence_text, opaque_reason
from warplens.server.render.uncounted import uncounted_text

_PROMISES = 2
"""So many are named, of more their number."""


def worth_sentence(evaluation: NestEvaluation, line_of: LineOf, break_even: BreakEven | None = None) -> str:
    """The sentence, which may hold `code` in backquotes; `break_even` is the nest's where it is known already."""
    worth = worth_of(evaluation, break_even)
    text = _without_numbers(evaluation, worth, line_of, break_even) or _with_numbers(evaluation, worth, break_even)
    left_out = "" if worth.resident is None else uncounted_text(evaluation)
    return f"{text[0].upper()}{text[1:]}{left_out}."


def comparison_text(evaluation: NestEvaluation) -> str:
    """What it is held against: the code as it runs now, one core and all, and the GPU.

    Empty where no number has a ground.
    """
    worth, cpu = worth_of(evaluation), evaluation.cpu_time
    if not worth.grounds.carry_numbers:
        return ""
    cores = evaluation.cpu.core_count
    as_it_is = " (as it is)"
    sides = [f"{about_time_text(cpu.one_core_s)} on one core{as_it_is if worth.now == 'one core' else ''}"]
    if cores > 1 and evaluation.kernels:
        directive = " (as its directive has it)" if worth.now == "all cores" else ""
        sides.append(f"{about_time_text(cpu.all_cores_s)} on all {cores}{directive}")
    if worth.gpu_s is not None and worth.copied_s is not None:
        best = " at best" if worth.now == "GPU" else ""
        copied = about_time_text(worth.copied_s)
        sides.append(f"{about_time_text(worth.gpu_s)} on the {evaluation.gpu.name}{best}, {copied} with copies")
    return "; ".join(sides)


def _without_numbers(evaluation: NestEvaluation, worth: Worth, line_of: LineOf, break_even: BreakEven | None) -> str:
    grounds = worth.grounds
    match worth.word:
        case "not decided":
            return f"not decided: {undeclared_text(grounds.undeclared, evaluation.missing_headers)}"
        case "sizes unknown" if grounds.absurd is not None:
            return f"parallel, but {absurd_text(grounds.absurd)}"
        case "sizes unknown":
            return _unknown_sizes(worth, break_even)
        case "nothing to run":
            return f"nothing to run on the GPU{at_guess(worth) or ' at these sizes'}"
        case "if promised":
            return _if_promised(evaluation, line_of)
        case "not parallel" | "not known":
            return _not_parallel(evaluation, line_of)
        case _:
            return ""


def _unknown_sizes(worth: Worth, break_even: BreakEven | None) -> str:
    names = listed([f"`{guess.name}`" for guess in worth.grounds.guesses])
    told = "" if break_even is None else work_from(break_even.by_work)
    if told:
        return f"{told}; nothing says {names}"
    return f"parallel; whether it is worth porting hangs on {names}, which nothing says"


def promises_text(evaluation: NestEvaluation) -> str:
    """What would have to be promised of the first loop that asks for it."""
    texts = [f"`{promise.text}`" for promise in deciding_verdict(evaluation).conditions]
    more = len(texts) - _PROMISES
    return listed(texts if more <= 0 else [*texts[:_PROMISES], f"{more} more"])


def _if_promised(evaluation: NestEvaluation, line_of: LineOf) -> str:
    verdict = deciding_verdict(evaluation)
    is_outer = verdict.loop == evaluation.facts.nest.root.id
    which = "it is" if is_outer else f"the loop in line {line_of(verdict.loop)} is"
    return f"not known to be parallel: {which} if you promise that {promises_text(evaluation)}"


def _not_parallel(evaluation: NestEvaluation, line_of: LineOf) -> str:
    """Why, of the loop that decides the word."""
    nest, verdict = evaluation.facts.nest, deciding_verdict(evaluation)
    if verdict.kind == "unknown":
        return f"not known to be parallel: {opaque_reason(nest, verdict, line_of)}"
    if not verdict.dependences:
        return "not parallel"
    return f"not parallel: {dependence_text(nest, verdict.dependences[0], line_of)}"


def _with_numbers(evaluation: NestEvaluation, worth: Worth, break_even: BreakEven | None) -> str:
    resident, copied = worth.resident, worth.copied
    if resident is None or copied is None:
        return "parallel"
    than = best_cpu_text(worth.against, evaluation.cpu.core_count)
    if break_even is not None and break_even.wins and break_even.is_guessed:
        return _of_guess(worth, resident, copied, than, break_even)
    probably, at = "" if worth.is_sure else "probably ", at_guess(worth)
    first = f"{compared_text(resident.value, than)}{_range(resident)}"
    second = f"with copies {speed_text(copied.value)}"
    match worth.at_sizes:
        case "worth it" if round_ratio(resident.value) == round_ratio(copied.value):
            return f"{probably}worth porting: {compared_text(copied.value, than)}, copies included{at}"
        case "worth it":
            stays = compared_text(resident.value, than)
            with_copies = f"{times_text(copied.value)} with copies{_range(copied)}"
            return f"{probably}worth porting: {stays} if its data stays on the GPU, {with_copies}{at}"
        case "on the GPU":
            return f"on the GPU already, by its directives: at best {first}; {second}{at}"
        case "if data stays":
            later = _later(break_even, "cold")
            return f"{probably}worth porting if its data stays on the GPU: {first}; {second}{later}{at}"
        case "all cores":
            return f"{_cores_first(evaluation, worth)}{_stays_later(break_even)}{at}"
        case "little gain":
            return f"hardly worth porting: {first}; {second}{at}"
        case _ if worth.is_too_short:
            took = about_time_text(evaluation.cpu_time.one_core_s)
            short = f"{took} on one core is about what starting a kernel takes"
            return f"not worth porting: {short}{_stays_later(break_even)}{at}"
        case _:
            return f"{probably}not worth porting: {first}; {second}{_stays_later(break_even)}{at}"


def at_guess(worth: Worth) -> str:
    """At which guess the numbers are, as the end of a sentence; empty where every size is known."""
    guesses = ", ".join(f"`{each.name}` = {count_text(each.value)}" for each in worth.grounds.guesses)
    return f" (at {guesses}, a guess)" if guesses else ""


def _cores_first(evaluation: NestEvaluation, worth: Worth) -> str:
    """Where threads gain as much as a port would."""
    cpu = evaluation.cpu_time
    gpu, copied = (cpu.one_core_s / each for each in (worth.gpu_s, worth.copied_s) if each)
    cores = f"all {evaluation.cpu.core_count} are about {speed_text(cpu.one_core_s / cpu.all_cores_s)} than one"
    return f"rather use the CPU's cores: {cores}, the GPU {speed_text(gpu)}, with copies {speed_text(copied)}"


def _of_guess(worth: Worth, resident: Factor, copied: Factor, than: str, found: BreakEven) -> str:
    """The size from which it is worth it leads, since the size in force is nobody's."""
    name = f"`{c_name(found.name)}`"
    starts = [found.beats_cpu_from(data) for data in get_args(Data)]
    places = [None if start is None else _start(found, start, name) for start in starts]
    now = f"{compared_text(resident.value, than)}, with copies {speed_text(copied.value)}"
    at = f"at {name} = {count_text(found.current)}, a guess, {now}"
    stays, with_copies = places
    if stays is None:
        if found.beats_cpu_somewhere("resident"):
            return f"may be worth porting: faster only at some {name}; {at}"
        return f"not worth porting at any {name}: {at}"
    worth_it = "worth porting" if worth.word in WORTH else "may be worth porting"
    if worth.word in WORTH and not worth.is_sure:
        worth_it = f"probably {worth_it}"
    if stays == with_copies:
        return f"{worth_it}: faster {stays}; {at}"
    start = None if with_copies is None else with_copies.replace(f"{name} = ", "")
    copying = "never with copies" if start is None else f"with copies {start}"
    return f"{worth_it}: faster {stays} if its data stays on the GPU, {copying}; {at}"


def _start(found: BreakEven, size: int, name: str) -> str:
    return f"at every {name}" if size == found.least else f"from about {name} = {size_text(size, found.current)}"


def _later(found: BreakEven | None, data: Data) -> str:
    """From which size on it is faster than the CPU, where it is not at the size in force."""
    if found is None or not found.wins:
        return ""
    size = found.beats_cpu_from(data)
    if size is None or size <= found.current:
        return ""
    return f", faster from `{c_name(found.name)}` = {size_text(size, found.current)}"


def _stays_later(found: BreakEven | None) -> str:
    """The same of the GPU with the data on it."""
    later = _later(found, "resident")
    return f"{later} with its data on the GPU" if later else ""


def _range(factor: Factor) -> str:
    """Between which factors it lies, where that leaves the answer open."""
    if factor.is_sure:
        return ""
    return f" (anything from {speed_text(factor.least)} to {speed_text(factor.most)})"
