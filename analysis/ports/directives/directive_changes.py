"""What becomes of a directive that is there already: texts that change in place, and clauses put behind its last."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from warplens.analysis.ports.directives.broken_lines import updated_lines
from warplens.analysis.ports.directives.clause import base_name, with_condition
from warplens.analysis.ports.directives.wanted_directive import WantedDirective
from warplens.analysis.ports.fix import TextEdit
from warplens.analysis.text.directive_text import Clause, ExistingDirective
from warplens.analysis.text.span import Span


class UpdateRefusedError(Exception):
    """The directive contradicts what is wanted; the message says how in the source's terms."""


@dataclass(slots=True)
class DirectiveChanges:
    """New texts of parts of the directive, and clauses to add. `sharing` are clauses that say what a variable is."""

    source: str
    existing: ExistingDirective
    sharing: Collection[str]
    replaced: dict[Span, str] = field(default_factory=dict)
    added: list[Clause] = field(default_factory=list)

    @property
    def edits(self) -> tuple[TextEdit, ...]:
        """The changes in the order of the source."""
        return updated_lines(self.source, self.existing, self.replaced, self.added)

    def said_of(self, item: str) -> Clause | None:
        """The clause that says what a variable is to the threads."""
        name = base_name(item)
        return next((c for c in self.existing.named(*self.sharing) if name in map(base_name, c.items)), None)

    def reduce(self, clause: Clause) -> None:
        """Have all items of a reduction in one; raises UpdateRefusedError where the directive says otherwise."""
        missing: list[str] = []
        for item in clause.items:
            said = self.said_of(item)
            if said is None:
                missing.append(item)
            elif said.name != "reduction" or _operator(said) != clause.modifier:
                raise UpdateRefusedError(
                    f"`{said.text}` of the directive, but the loop's iterations combine `{base_name(item)}` "
                    f"({clause.modifier})"
                )
        if missing:
            self.added.append(replace(clause, items=tuple(missing)))

    def require(self, clause: Clause) -> None:
        """Have the condition of an `if`, also where the user says when to use the device: else sections would be wrong.

        An `if` without a modifier is about the device too, and about the threads of the host that run the loop where it
        is false: those it leaves to a condition of the device alone. One for another construct (`parallel: n > 9`)
        stays beside.
        """
        found = next((each for each in self.existing.named("if") if each.modifier in {"", clause.modifier}), None)
        if found is None:
            self.added.append(clause)
        elif (text := with_condition(found, ", ".join(clause.items))) != found.argument:
            self.replaced[found.inner] = text if found.modifier or not clause.modifier else f"{clause.modifier}: {text}"

    def has_new_sections(self, wanted: WantedDirective, copying: Collection[str]) -> bool:
        """Whether a section is added by a clause of `copying`, or the wanted directive has none: a region around has.

        The user's own sections are right as they are, and need no condition.
        """
        sections = {item for clause in wanted.clauses if clause.name in copying for item in clause.items if "[" in item}
        added = {item for clause in self.added if clause.name in copying for item in clause.items}
        return not sections or not added.isdisjoint(sections)


def require_followed(existing: ExistingDirective, followed: Collection[str]) -> None:
    """Refuse a directive with a clause that is none of those: a macro, for one, may hold anything."""
    unknown = next((clause.text for clause in existing.clauses if clause.name not in followed), "")
    if unknown:
        raise UpdateRefusedError(f"`{unknown}` of the directive is a macro, or a clause that is not followed")


def _operator(reduction: Clause) -> str:
    """What it combines with; OpenMP's `-` adds up too, and `inscan, +` is a sum."""
    return reduction.modifier.rpartition(",")[2].strip().replace("-", "+")
