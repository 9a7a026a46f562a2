"""Which value every parameter of a nest gets, and who said so."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

from warplens.analysis.engine.measured_sizes import MeasuredSize, measured_sizes
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.small_defaults import small_defaults
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.comments.translation_unit import SizeDirective
from warplens.analysis.ir.assumption import Assumption, Origin
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import KnownRange, loops_of
from warplens.analysis.ir.size_name import by_size_key, size_key
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.measured.measured_counts import LoopCounts
from warplens.analysis.program.sizes.nest_sizes import NOTHING_SAID, NestSizes, ProgramSize
from warplens.analysis.program.sizes.value_set import Input
from warplens.analysis.text.quantities import average_text

_STATEMENTS_SHOWN = 3
_OTHERS_SHOWN = 3


def resolve_sizes(
    facts: NestFacts,
    function: str,
    directives: Sequence[SizeDirective],
    options: AnalysisOptions,
    measured: Sequence[tuple[NodeId, LoopCounts]] = (),
    program: NestSizes = NOTHING_SAID,
) -> tuple[tuple[tuple[str, int], ...], tuple[Assumption, ...]]:
    """Value of each of `facts.parameters`, sorted by name, and one `size` assumption per parameter.

    Strongest first: a comment directive (the last of `directives`, which come outermost scope first), the folder's
    file, the setting (each: for this function before everywhere), what a real run counted, what the statements of
    the program give, what the source implies, the default.
    """
    by_key = by_size_key(facts.parameters) if directives or options.sizes else {}
    said = {by_key[key]: d.value for d in directives if (key := size_key(d.name)) in by_key}
    hints = dict(facts.size_hints)
    zeros = dict(facts.zero_hints)
    given = dict(program.sizes)
    inputs = dict(program.inputs)
    choices = {name: c for key, name in by_key.items() if (c := _chosen(key, function, options.sizes)) is not None}
    stronger = {**{name: c.value for name, c in choices.items()}, **said}
    counted = _counted(facts, measured, stronger, {name: p.value for name, p in given.items()}, options)
    sizes: list[tuple[str, int]] = []
    assumptions: list[Assumption] = []
    origin: Origin
    for name in sorted(facts.parameters):
        choice = choices.get(name)
        if name in said:
            value = said[name]
            text, origin = f"`{name}` = {value}, from the comment in the source.", "directive"
        elif choice is not None:
            value, origin = choice.value, choice.origin
            where = "`.warplens.toml`" if origin == "file" else "the settings"
            text = f"`{name}` = {value}, from {where}."
        elif name in counted:
            value, origin = counted[name].value, "measured"
            text = _measured_text(facts, name, counted[name], dict(measured))
        elif name in given:
            value, origin = given[name].value, "program"
            text = f"`{name}` = {value}{_program_text(given[name])}."
        elif name in zeros:
            value, origin = 0, "default"
            text = f"`{name}` is not known, 0 is assumed ({zeros[name]}): say `// warplens: {name} = …` above the loop."
        elif name in hints and inputs.get(name):
            value, origin = hints[name], "default"
            where = _input_text(inputs[name])
            text = (
                f"`{name}` is not known{where}, {value} is assumed, the largest value that the arrays it indexes allow."
            )
        elif name in hints:
            value, origin = hints[name], "inferred"
            text = f"`{name}` = {value}, the largest value that the arrays it indexes allow."
        else:
            value, guard = _guarded(facts.nest.known, name, options.default_size)
            origin = "inferred" if guard else "default"
            why = f" (the code makes sure of `{guard}`)" if guard else ""
            where = _input_text(inputs.get(name, ()))
            is_of_call = any(one.kind == "command line" and not one.is_conditional for one in inputs.get(name, ()))
            how = "how the program is called (`called_as` in `.warplens.toml`), or " if is_of_call else ""
            text = (
                f"`{name}` is not known{where}, {value} is assumed{why}: "
                f"say {how}`// warplens: {name} = …` above the loop."
            )
        sizes.append((name, value))
        assumptions.append(Assumption("size", name, text, float(value), origin))
    free = frozenset(a.subject for a in assumptions if a.origin == "default" and a.subject not in zeros)
    small = small_defaults(facts, dict(sizes), free)
    for at, (name, _) in enumerate(sizes):
        if name in small:
            value, iterator = small[name]
            text = (
                f"`{name}` is not known, {value} is assumed (as large as the others it would leave the loop over "
                f"`{iterator}` without iterations): say `// warplens: {name} = …` above the loop."
            )
            sizes[at] = name, value
            assumptions[at] = Assumption("size", name, text, float(value), "default")
    return tuple(sizes), tuple(assumptions)


def _guarded(known: Sequence[KnownRange], name: str, default: int) -> tuple[int, str]:
    """The default, or the nearest value that guards before the nest allow, with the guard that moved it."""
    value, guard = default, ""
    for each in known:
        slope = each.value.coefficient(name)
        if each.value.symbols == {name} and slope.is_constant and each.value.evaluate({name: value}) < 0:
            nearest = -each.value.constant_term / slope.constant_term
            value, guard = ceil(nearest) if slope.constant_term > 0 else floor(nearest), each.text
    return value, guard


def _program_text(size: ProgramSize) -> str:
    """Which statements give a size, in how many calls, what else it may be."""
    statements = ", ".join(f"`{step.text}`" for step in size.steps[:_STATEMENTS_SHOWN])
    text = f": {statements}" if statements else ""
    if size.of_calls < size.calls:
        text = f"{text}, as {size.of_calls} of {size.calls} calls pass it"
    if size.others:
        shown = " or ".join(map(str, size.others[:_OTHERS_SHOWN]))
        text = f"{text} (elsewhere {shown}{' or others' if size.others[_OTHERS_SHOWN:] else ''})"
    changes = [one for one in size.inputs if one.kind != "assumed"]
    assumed = [one.reason for one in size.inputs if one.kind == "assumed"]
    return "; ".join((text, *assumed, *([_may_change(changes)] if changes else ())))


def _may_change(inputs: Sequence[Input]) -> str:
    if any(one.kind == "command line" for one in inputs):
        return "the command line may change it"
    return f"`{inputs[0].at.text}` may change it" if inputs[0].at else "it may change as the program runs"


def _input_text(inputs: Sequence[Input]) -> str:
    """Where a size comes from that the source does not tell."""
    first = next((one for one in inputs if one.at is not None), None)
    if first is None or first.at is None:
        return ""
    return f" ({first.reason}: `{first.at.text}`)"


def _counted(
    facts: NestFacts,
    measured: Sequence[tuple[NodeId, LoopCounts]],
    stronger: dict[str, int],
    passed: dict[str, int],
    options: AnalysisOptions,
) -> dict[str, MeasuredSize]:
    if not measured:
        return {}
    zeros = {**{name: 0 for name, _ in facts.zero_hints}, **passed}
    hints = {**dict(facts.size_hints), **zeros}
    every = {**dict.fromkeys(facts.parameters, options.default_size), **hints}
    return measured_sizes(facts, measured, stronger, (passed, zeros, hints, every))


def _measured_text(facts: NestFacts, name: str, size: MeasuredSize, measured: dict[NodeId, LoopCounts]) -> str:
    iterators = {loop.id: c_name(loop.iterator) for loop in loops_of(facts.nest)}
    counts = measured[size.loop]
    text = (
        f"`{name}` = {size.value}, measured: {average_text(counts.average_trips or 0)} iterations per run of the loop "
        f"over `{iterators[size.loop]}` (profile imported {counts.imported})"
    )
    others = ", ".join(f"{value} by the one over `{iterators[loop]}`" for loop, value in size.others)
    return f"{text}; {others}." if others else f"{text}."


def _chosen(key: str, function: str, choices: Sequence[SizeChoice]) -> SizeChoice | None:
    def strength(choice: SizeChoice) -> tuple[bool, bool]:
        return choice.origin == "file", bool(choice.function)

    # `s.count = 8` in the folder's file is a table to TOML: of a function, or of a struct
    matching = [
        c
        for c in choices
        if (size_key(c.name) == key and c.function in {"", function}) or size_key(f"{c.function}.{c.name}") == key
    ]
    return max(matching, key=strength, default=None)
