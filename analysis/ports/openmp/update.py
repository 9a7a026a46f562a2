"""A directive that is there already, brought up to what is wanted: its other clauses stay, word for word and in order.

What the user says of data may rest on what other files map: a clause is only widened, and a section never changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from warplens.analysis.ports.directives.clause import Clause, base_name, with_condition
from warplens.analysis.ports.directives.existing_directive import ExistingDirective
from warplens.analysis.ports.directives.wanted_directive import WantedDirective
from warplens.analysis.ports.fix import TextEdit
from warplens.analysis.ports.openmp.target import DATA, KERNEL
from warplens.analysis.ports.openmp.words import CLAUSES, SHARING, spreads_over_host
from warplens.analysis.text.span import Span

_KINDS = frozenset(("to", "from", "tofrom", "alloc"))
_ONE_COPY_EACH = frozenset(("private", "firstprivate", "lastprivate", "linear"))
_HOST_ONLY = ("ordered", "linear", "copyin", "num_threads", "proc_bind")
"""Clauses of a loop on the host that mean nothing, or something else, on the GPU."""


class UpdateRefusedError(Exception):
    """The directive contradicts what is wanted; the message says how in the source's terms."""


@dataclass(slots=True)
class _Changes:
    """New texts of what stands in the parentheses of clauses, and clauses to add."""

    inner: dict[Span, str] = field(default_factory=dict)
    added: list[Clause] = field(default_factory=list)


def updated(existing: ExistingDirective, wanted: WantedDirective, *, with_maps: bool) -> tuple[TextEdit, ...]:
    """Edits, none where nothing is missing. `with_maps` is False where the data is managed elsewhere.

    Raises UpdateRefusedError.
    """
    unknown = next((clause.text for clause in existing.clauses if clause.name not in CLAUSES), "")
    if unknown:
        raise UpdateRefusedError(f"`{unknown}` of the directive is a macro, or a clause that is not followed")
    changes = _Changes()
    edits: list[TextEdit] = []
    if spreads_over_host(existing.construct):
        _require_movable(existing)
        simd = " simd" if existing.words[-1] == "simd" else ""
        edits.append(TextEdit(existing.words_span, KERNEL + simd))
    for clause in wanted.clauses:
        match clause.name:
            case "collapse":
                _collapse(existing, clause, changes)
            case "thread_limit":
                _threads(existing, clause, changes)
            case "private" | "lastprivate":
                _copies(existing, clause, changes)
            case "reduction":
                _reduction(existing, clause, changes)
            case "map":
                if with_maps:
                    _map(existing, clause, changes)
            case "if":
                if with_maps and (wanted.construct == DATA or _has_new_sections(wanted, changes)):
                    _condition(existing, clause, changes)
    edits += (TextEdit(span, text) for span, text in sorted(changes.inner.items()))
    if changes.added:
        edits.append(TextEdit(Span(existing.end, existing.end), "".join(f" {clause.text}" for clause in changes.added)))
    return tuple(edits)


def _has_new_sections(wanted: WantedDirective, changes: _Changes) -> bool:
    """Whether a section is among what is added, or none is wanted here (a region around has them).

    The user's own sections are right as they are.
    """
    sections = [item for clause in wanted.clauses if clause.name == "map" for item in clause.items if "[" in item]
    added = {item for clause in changes.added if clause.name == "map" for item in clause.items}
    return not sections or not added.isdisjoint(sections)


def _require_movable(existing: ExistingDirective) -> None:
    found = existing.named(*_HOST_ONLY)
    if found:
        raise UpdateRefusedError(
            f"`{found[0].text}` of the directive is meant for the host's threads: take it out to move the loop"
        )


def _collapse(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    """More loops than the user joins may be joined; where the user joins more, that is left alone."""
    found = existing.named("collapse")
    if not found:
        changes.added.append(clause)
    elif found[0].argument.isdigit() and int(found[0].argument) < int(clause.argument):
        changes.inner[found[0].inner] = clause.argument


def _threads(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    """`thread_limit`, and `num_threads` where it stands beside or instead; an expression is the user's own choice."""
    found = existing.named("thread_limit", "num_threads")
    for each in found:
        if each.argument.isdigit() and each.argument != clause.argument:
            changes.inner[each.inner] = clause.argument
    if not found and ("teams" in existing.words or spreads_over_host(existing.construct)):
        changes.added.append(clause)


def _copies(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    missing: list[str] = []
    fits = {"lastprivate"} if clause.name == "lastprivate" else _ONE_COPY_EACH
    for item in clause.items:
        said = _said_of(existing, item)
        if said is None:
            missing.append(item)
        elif said.name not in fits:
            raise UpdateRefusedError(f"`{said.text}` of the directive, but each iteration of the loop sets `{item}`")
    _add(existing, Clause(clause.name, items=tuple(missing)), changes)


def _reduction(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    missing: list[str] = []
    for item in clause.items:
        said = _said_of(existing, item)
        if said is None:
            missing.append(item)
        elif said.name != "reduction" or said.modifier.rpartition(",")[2].strip().replace("-", "+") != clause.modifier:
            raise UpdateRefusedError(
                f"`{said.text}` of the directive, but the loop's iterations combine `{base_name(item)}` "
                f"({clause.modifier})"
            )
    if missing:
        changes.added.append(replace(clause, items=tuple(missing)))


def _condition(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    """Also where the user says when to use the device: without the condition, sections would be wrong.

    An `if` without a modifier is about the device too; one for another construct (`parallel: n > 9`) stays beside.
    """
    found = next((each for each in existing.named("if") if each.modifier in {"", clause.modifier}), None)
    if found is None:
        changes.added.append(clause)
    elif (text := with_condition(found, ", ".join(clause.items))) != found.argument:
        changes.inner[found.inner] = text


def _map(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    missing: list[str] = []
    for item in clause.items:
        name = base_name(item)
        said = _said_of(existing, name)
        if said is not None and said.name not in {"reduction", "lastprivate", "shared"}:
            if spreads_over_host(existing.construct):
                raise UpdateRefusedError(f"`{said.text}` of the directive would hand the host's address to the device")
            continue
        mapped = next((c for c in existing.named("map") if name in map(base_name, c.items)), None)
        if mapped is None:
            missing.append(item)
        else:
            _widen(mapped, name, clause.modifier, changes)
    if missing:
        changes.added.append(replace(clause, items=tuple(missing)))


def _widen(mapped: Clause, name: str, kind: str, changes: _Changes) -> None:
    """Copy in and out what the loop needs copied; an item of several gets a clause of its own."""
    *modifiers, said = [part.strip() for part in mapped.modifier.split(",")]
    said = said or "tofrom"
    needed = {"to", "from"} if kind == "tofrom" else {kind} & {"to", "from"}
    given = {"to", "from"} if said == "tofrom" else {said} & {"to", "from"}
    if said not in _KINDS or needed <= given or mapped.inner in changes.inner:
        return
    both = needed | given
    wider = ", ".join((*modifiers, "tofrom" if len(both) == 2 else next(iter(both))))
    own = tuple(item for item in mapped.items if base_name(item) == name)
    others = tuple(item for item in mapped.items if base_name(item) != name)
    if not others:
        changes.inner[mapped.inner] = Clause("map", wider, own).argument
        return
    changes.inner[mapped.inner] = Clause("map", mapped.modifier, others).argument
    changes.added.append(Clause("map", wider, own))


def _add(existing: ExistingDirective, clause: Clause, changes: _Changes) -> None:
    """Put the items into the first clause of that name, or add one."""
    if not clause.items:
        return
    same = next((c for c in existing.named(clause.name) if c.modifier == clause.modifier), None)
    if same is None or same.inner in changes.inner:
        changes.added.append(clause)
    else:
        changes.inner[same.inner] = Clause(clause.name, clause.modifier, (*same.items, *clause.items)).argument


def _said_of(existing: ExistingDirective, item: str) -> Clause | None:
    """The clause that says what a variable is to the threads."""
    name = base_name(item)
    clauses = (clause for clause in existing.clauses if clause.name in SHARING)
    return next((clause for clause in clauses if name in map(base_name, clause.items)), None)
