"""An OpenACC directive that is there already, brought up to what is wanted: its other clauses stay, word for word.

What the user says of data may rest on what other files copy: a clause is only widened, and a section never changed.
"""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.ports.directives.clause import base_name
from warplens.analysis.ports.directives.directive_changes import (
    DirectiveChanges,
    UpdateRefusedError,
    require_followed,
)
from warplens.analysis.ports.directives.wanted_directive import WantedDirective
from warplens.analysis.ports.fix import TextEdit
from warplens.analysis.ports.openacc.parallel_loop import DATA, KERNEL, is_of_team
from warplens.analysis.text.directive_text import Clause, ExistingDirective
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
_MOVING = ("copy", "copyin", "copyout", "create")
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


def updated(
    source: str, existing: ExistingDirective, wanted: WantedDirective, *, with_data: bool
) -> tuple[TextEdit, ...]:
    """Edits, none where nothing is missing. `with_data` is False where the data is managed elsewhere.

    Raises UpdateRefusedError.
    """
    data = {clause.name for clause in existing.clauses if _kind(clause)}
    require_followed(existing, {*data, *_PARALLELISM, *_COPIES, *_OTHERS})
    changes = DirectiveChanges(source, existing, _COPIES)
    if is_of_team(wanted):
        _of_team(changes)
    elif wanted.construct == KERNEL and not any(clause.name == "vector" for clause in wanted.clauses):
        _of_rows(wanted, changes)
    for clause in wanted.clauses:
        match clause.name:
            case "gang" | "worker" | "vector" | "num_workers":
                _spread(clause, changes)
            case "collapse" | "tile":
                _shape(clause, changes)
            case "vector_length" if existing.named("tile") and not any(c.name == "tile" for c in wanted.clauses):
                pass  # what is wanted goes with a line of threads, and the tiles stay
            case "vector_length":
                _number(clause, changes)
            case "private":
                _private(clause, changes)
            case "reduction":
                changes.reduce(clause)
            case "if":
                if with_data and (wanted.construct == DATA or changes.has_new_sections(wanted, _MOVING)):
                    changes.require(clause)
            case _:
                if with_data:
                    _data(clause, changes)
    return changes.edits


def _spread(clause: Clause, changes: DirectiveChanges) -> None:
    """How the loop is spread, where the user does not say it; workers are counted where it has some."""
    existing = changes.existing
    said = existing.named(*_PARALLELISM)
    is_counted = clause.name == "num_workers" and existing.named("worker") and not existing.named("num_workers")
    if not said or is_counted:
        changes.added.append(clause)


def _of_team(changes: DirectiveChanges) -> None:
    """A loop that a thread ran is shared by the lanes of its row; other words for how it is spread stay."""
    existing = changes.existing
    other = next(iter(existing.named("gang", "worker", "auto", "collapse", "tile")), None)
    if other is not None:
        raise UpdateRefusedError(f"`{other.text}` of a directive inside of the rows says how its loop is spread")
    for clause in existing.named("seq"):
        changes.replaced[clause.span] = "vector"


def _of_rows(wanted: WantedDirective, changes: DirectiveChanges) -> None:
    """Rows leave the lanes to the loops inside of them; raises UpdateRefusedError."""
    existing = changes.existing
    lanes = existing.named("vector")
    if not lanes:
        return
    gangs = existing.named("gang")
    is_first = bool(gangs) and gangs[0].span.end <= lanes[0].span.start
    between = changes.source[gangs[0].span.end : lanes[0].span.start].strip(" ,") if is_first else ""
    if not is_first or between or lanes[0].items or existing.named("tile"):
        raise UpdateRefusedError(f"`{lanes[0].text}` of the directive spreads the rows over lanes")
    words = " ".join(clause.text for clause in wanted.clauses if clause.name in {"gang", "worker", "num_workers"})
    changes.replaced[Span(gangs[0].span.start, lanes[0].span.end)] = words


def _shape(clause: Clause, changes: DirectiveChanges) -> None:
    """More loops than the user joins may be joined; tiles, and loops joined where tiles are wanted, are left alone."""
    found = changes.existing.named("collapse", "tile")
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


def _number(clause: Clause, changes: DirectiveChanges) -> None:
    """An expression is the user's own choice."""
    found = changes.existing.named("vector_length")
    if not found:
        changes.added.append(clause)
    elif found[0].argument.isdigit() and found[0].argument != clause.argument:
        changes.replaced[found[0].inner] = clause.argument


def _private(clause: Clause, changes: DirectiveChanges) -> None:
    missing: list[str] = []
    for item in clause.items:
        said = changes.said_of(item)
        if said is None:
            missing.append(item)
        elif said.name != "private":
            raise UpdateRefusedError(f"`{said.text}` of the directive, but each iteration of the loop sets `{item}`")
    same = changes.existing.named("private")
    if missing and same:
        changes.replaced[same[0].inner] = ", ".join((*same[0].items, *missing))
    elif missing:
        changes.added.append(replace(clause, items=tuple(missing)))


def _data(clause: Clause, changes: DirectiveChanges) -> None:
    """Copy in and out what the loop needs copied; an item of several gets a clause of its own."""
    missing: list[str] = []
    for item in clause.items:
        name = base_name(item)
        said = next((c for c in changes.existing.clauses if _kind(c) and name in map(base_name, c.items)), None)
        if said is None:
            shared_out = changes.said_of(name)
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


def _kind(clause: Clause) -> str:
    """The data clause that this is, by its name of today; empty for another clause."""
    for prefix in ("", *_OLD_PREFIXES):
        name = clause.name.removeprefix(prefix)
        if name in _COPIED and (not prefix or name in _MOVING):
            return name
    return ""
