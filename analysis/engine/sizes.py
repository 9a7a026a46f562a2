"""Which value every parameter of a nest gets, and who said so."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.unit import SizeDirective
from warplens.analysis.ir.assumption import Assumption, Origin


def resolve_sizes(
    facts: NestFacts, function: str, directives: Sequence[SizeDirective], options: AnalysisOptions
) -> tuple[tuple[tuple[str, int], ...], tuple[Assumption, ...]]:
    """Value of each of `facts.parameters`, sorted by name, and one `size` assumption per parameter.

    Strongest first: a comment directive (the last of `directives`, which come outermost scope first), the folder's
    file, the setting (each: for this function before everywhere), what the source implies, the default.
    """
    said = {d.name: d.value for d in directives}
    hints = dict(facts.size_hints)
    zeros = dict(facts.zero_hints)
    sizes: list[tuple[str, int]] = []
    assumptions: list[Assumption] = []
    origin: Origin
    for name in sorted(facts.parameters):
        choice = _chosen(name, function, options.sizes)
        if name in said:
            value = said[name]
            text, origin = f"`{name}` = {value}, from the comment in the source.", "directive"
        elif choice is not None:
            value, origin = choice.value, choice.origin
            where = "`.warplens.toml`" if origin == "file" else "the settings"
            text = f"`{name}` = {value}, from {where}."
        elif name in zeros:
            value, origin = 0, "default"
            text = f"`{name}` is not known, 0 is assumed ({zeros[name]}): say `// warplens: {name} = …` above the loop."
        elif name in hints:
            value, origin = hints[name], "inferred"
            text = f"`{name}` = {value}, the largest value that the arrays it indexes allow."
        else:
            value, origin = options.default_size, "default"
            text = f"`{name}` is not known, {value} is assumed: say `// warplens: {name} = …` above the loop."
        sizes.append((name, value))
        assumptions.append(Assumption("size", name, text, float(value), origin))
    return tuple(sizes), tuple(assumptions)


def _chosen(name: str, function: str, choices: Sequence[SizeChoice]) -> SizeChoice | None:
    def strength(choice: SizeChoice) -> tuple[bool, bool]:
        return choice.origin == "file", bool(choice.function)

    matching = [c for c in choices if c.name == name and c.function in {"", function}]
    return max(matching, key=strength, default=None)
