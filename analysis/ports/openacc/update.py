"""An OpenACC directive that is there already, brought up to what is wanted: its other clauses stay, word for word.

What the user says of data may rest on what other files copy: a clause is only widened, and a section never changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from warplens.analysis.ports.directives.clause import Clause, base_name, with_condition
from warplens.analysis.ports.directives.existing_directive import ExistingDirective
from warplens.analysis.ports.directives.wanted_directive import WantedDirective
from warplens.analysis.ports.fix import TextEdit
from warplens.analysis.text.span import Span

WORDS = frozenset(("parallel", "kernels", "serial", "loop", "data", "host_data", "enter", "exit", "routine"))
"""Of constructs at loops; a directive that starts with another word is none that is brought up to date."""

_COPIED = {
    "copy": frozenset(("in", "out")),
    "copyin": frozenset(("in",)),
    "copyout": frozenset(("out",)),
    "create": frozenset[str](),
    "present": frozenset(("in", "out")),
    "deviceptr": frozenset(("in", "out")),
    "no_create": frozenset(("in", "out")),
    "attach": frozenset(("in", "out")),
}
"""What each data clause moves, or that what it moves is not its own affair."""
_OLD_PREFIXES = ("present_or_", "p")
_PARALLELISM = ("gang", "worker", "vector", "seq", "auto")
_COPIES = ("private", "firstprivate", "reduction")
_OTHERS = frozenset(
    (
        "async",
        "collapse",
        "default",
        "if",
        "independent",
        "num_gangs",
        "num_workers",
        "self",
        "tile",
        "use_device",
        "vector_length",
        "wait",
    )
)
"""Clauses that stay as they are, or are looked at by name; another word is a macro, or `device_type`."""


class UpdateRefusedError(Exception):
    """The directive contradicts what is wanted; the message says how in the source's terms."""


@dataclass(slots=True)
class _Changes:
    """New texts of what stands in the parentheses of clauses, new texts of whole clauses, and clauses to add."""

    replaced: dict[Span, str] = field(default_factory=dict)
    added: list[Clause] = field(default_factory=list)


def updated(existing: ExistingDirective, wanted: WantedDirective, *, with_data: bool) -> tuple[TextEdit, ...]:
    """Edits, none where nothing is missing. `with_data` is False where the data is managed elsewhere.

    Raises UpdateRefusedError.
    """
    unknown = next((clause.text for clause in existing.clauses if not _is_followed(clause)), "")
    if unknown:
        raise UpdateRefusedError(f"`{unknown}` of the directive is a macro, or a clause that is not followed")
    changes = _Changes()
    for clause in wanted.clauses:
        match clause.name:
            case "gang" | "vector":
                if not existing.named(*_PARALLELISM):
                    changes.added.append(clause)
            case "collapse" | "tile":
                _shape(existing, clause, changes)
            case "vector_length":
                _number(existing, clause, changes)
            case "private":
                _private(existing, clause, changes)
            case "reduction":
                _reduction(existing, clause, changes)
            case "if":
                if with_data and (wanted.construct == "data" or _has_new_sections(wanted, changes)):
                    _condition(existing, clause, changes)
            case _:
                if with_data:
                    _data(existing, clause, changes)
    edits = [TextEdit(span, text) for span, text in sorted(changes.replaced.items())]
    if changes.added:
        edits.append(TextEdit(Span(existing.end, existing.end), "".join(f" {clause.text}" for clause in changes.added)))
    return tuple(edits)


def _has_new_sections(wanted: WantedDirective, changes: _Changes) -> bool:
    """Whether a section is among what is added, or none is copied here (a region around has them).

    The user's own sections are right as they are.
    """
    sections = [
        item for c in wanted.clauses if c.name in _COPIED and c.name != "present" for item in c.items if "[" in item
    ]
    added = {item for clause in changes.added if clause.name in _COPIED for item in clause.items}
    return not sections or not added.isdisjoint(sections)


def _shape(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    """More loops than the user joins may be joined; tiles, and loops joined where tiles are wanted, are left alone."""
    found = existing.named("collapse", "tile")
    if not found:
        changes.added.append(clause)
    elif found[0].name == clause.name and _is_better(found[0], clause):
        changes.replaced[found[0].inner] = clause.argument


def _is_better(found: Clause, wanted: Clause) -> bool:
    """Whether more loops are wanted, or as many with other tiles; an expression is the user's own choice."""
    if not all(item.isdigit() for item in found.items):
        return False
    if wanted.name == "collapse":
        return int(found.argument) < int(wanted.argument)
    return len(found.items) == len(wanted.items) and found.items != wanted.items


def _number(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    """An expression is the user's own choice."""
    found = existing.named("vector_length")
    if not found:
        changes.added.append(clause)
    elif found[0].argument.isdigit() and found[0].argument != clause.argument:
        changes.replaced[found[0].inner] = clause.argument


def _private(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    missing: list[str] = []
    for item in clause.items:
        said = _said_of(existing, item)
        if said is None:
            missing.append(item)
        elif said.name != "private":
            raise UpdateRefusedError(f"`{said.text}` of the directive, but each iteration of the loop sets `{item}`")
    same = existing.named("private")
    if missing and same:
        changes.replaced[same[0].inner] = ", ".join((*same[0].items, *missing))
    elif missing:
        changes.added.append(replace(clause, items=tuple(missing)))


def _reduction(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    missing: list[str] = []
    for item in clause.items:
        said = _said_of(existing, item)
        if said is None:
            missing.append(item)
        elif said.name != "reduction" or said.modifier != clause.modifier:
            raise UpdateRefusedError(
                f"`{said.text}` of the directive, but the loop's iterations combine `{item}` ({clause.modifier})"
            )
    if missing:
        changes.added.append(replace(clause, items=tuple(missing)))


def _condition(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    """Also where the user says when to use the device: without the condition, sections would be wrong."""
    found = existing.named("if")
    if not found:
        changes.added.append(clause)
    elif (text := with_condition(found[0], clause.argument)) != found[0].argument:
        changes.replaced[found[0].inner] = text


def _data(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    """Copy in and out what the loop needs copied; an item of several gets a clause of its own."""
    missing: list[str] = []
    for item in clause.items:
        name = base_name(item)
        said = next((c for c in existing.clauses if _kind(c) and name in map(base_name, c.items)), None)
        if said is None:
            shared_out = _said_of(existing, name)
            if shared_out is not None and shared_out.name == "firstprivate":
                raise UpdateRefusedError(f"`{shared_out.text}` of the directive hands the host's address to the device")
            if shared_out is None or shared_out.name == "reduction":
                missing.append(item)
            continue
        given, needed = _COPIED[_kind(said)], _COPIED[clause.name]
        if needed <= given or said.span in changes.replaced:
            continue
        own = tuple(each for each in said.items if base_name(each) == name)
        others = tuple(each for each in said.items if base_name(each) != name)
        wider = Clause("copy" if len(needed | given) == 2 else clause.name, items=own)
        if others:
            changes.replaced[said.span] = replace(said, items=others).text
            changes.added.append(wider)
        else:
            changes.replaced[said.span] = wider.text
    if missing:
        changes.added.append(replace(clause, items=tuple(missing)))


def _is_followed(clause: Clause) -> bool:
    return bool(_kind(clause)) or clause.name in {*_PARALLELISM, *_COPIES, *_OTHERS}


def _kind(clause: Clause) -> str:
    """The data clause that this is, by its name of today; empty for another clause."""
    for prefix in ("", *_OLD_PREFIXES):
        name = clause.name.removeprefix(prefix)
        if name in _COPIED and (not prefix or name in {"copy", "copyin", "copyout", "create"}):
            return name
    return ""


def _said_of(existing: ExistingDirective, item: str) -> Clause | None:
    """The clause that says what a variable is to the threads."""
    name = base_name(item)
    return next((c for c in existing.named(*_COPIES) if name in map(base_name, c.items)), None)
