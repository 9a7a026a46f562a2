"""A directive that is there already, brought up to what is wanted: its other clauses stay, word for word and in order.

What the user says of data may rest on what other files map: a clause is only widened, and a section never changed.
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
from warplens.analysis.ports.openmp.target import DATA, KERNEL, ROWS, SIMD, TEAM_LANES, TEAM_LOOP
from warplens.analysis.ports.openmp.words import CLAUSES, SHARING, spreads_over_host
from warplens.analysis.text.directive_text import Clause, ExistingDirective

_KINDS = frozenset(("to", "from", "tofrom", "alloc"))
_ONE_COPY_EACH = frozenset(("private", "firstprivate", "lastprivate", "linear"))
_HOST_ONLY = ("aligned", "ordered", "linear", "copyin", "num_threads", "proc_bind")
"""Clauses of a loop on the host that mean nothing, or something else, on the GPU."""

_OF_LANES = ("aligned", "linear", "nontemporal", "safelen", "simdlen")

_OF_THREADS = ("schedule", "order", "safelen", "simdlen", "nontemporal", "reduction", "nowait")
"""Clauses of threads and lanes, or of what they put together."""


def updated(
    source: str, existing: ExistingDirective, wanted: WantedDirective, *, with_maps: bool
) -> tuple[TextEdit, ...]:
    """Edits, none where nothing is missing. `with_maps` is False where the data is managed elsewhere.

    Raises UpdateRefusedError.
    """
    require_followed(existing, CLAUSES)
    changes = DirectiveChanges(source, existing, SHARING)
    if wanted.construct in {TEAM_LOOP, TEAM_LANES}:
        return _of_team(existing, wanted, changes)
    if wanted.construct == ROWS and existing.construct != ROWS:
        _require_fit_for_rows(existing)
        changes.replaced[existing.words_span] = ROWS
    elif spreads_over_host(existing.construct):
        _require_movable(existing)
        simd = " simd" if existing.words[-1] == "simd" else ""
        changes.replaced[existing.words_span] = KERNEL + simd
    for clause in wanted.clauses:
        match clause.name:
            case "collapse":
                _collapse(clause, changes)
            case "thread_limit":
                _threads(clause, changes)
            case "private" | "lastprivate":
                _copies(clause, changes)
            case "reduction":
                changes.reduce(clause)
            case "map":
                if with_maps:
                    _map(clause, changes)
            case "if":
                if with_maps and (wanted.construct == DATA or changes.has_new_sections(wanted, ("map",))):
                    changes.require(clause)
    if spreads_over_host(existing.construct):
        _decide_on_device(changes)
    return changes.edits


def _of_team(existing: ExistingDirective, wanted: WantedDirective, changes: DirectiveChanges) -> tuple[TextEdit, ...]:
    """A loop of a team's threads: lanes alone become threads, with lanes where these are wanted."""
    threads = existing.named("num_threads")
    if threads:
        raise UpdateRefusedError(f"`{threads[0].text}` of the directive says how many threads a team has")
    if existing.construct == SIMD:
        said = existing.named(*_OF_LANES) if wanted.construct == TEAM_LOOP else ()
        if said:
            raise UpdateRefusedError(f"`{said[0].text}` of the directive is meant for the lanes of one thread")
        changes.replaced[existing.words_span] = wanted.construct
    for clause in wanted.clauses:
        if clause.name == "reduction":
            changes.reduce(clause)
        else:
            _copies(clause, changes)
    return changes.edits


def _require_fit_for_rows(existing: ExistingDirective) -> None:
    """Refuse clauses about the threads that a loop over teams has none of."""
    found = existing.named(*_HOST_ONLY, *_OF_THREADS)
    if found:
        raise UpdateRefusedError(f"`{found[0].text}` of the directive is meant for the threads that share the rows")
    said = next((each for each in existing.named("if") if each.modifier not in {"", "target"}), None)
    if said is not None:
        raise UpdateRefusedError(f"`{said.text}` of the directive is meant for the threads that share the rows")


def _decide_on_device(changes: DirectiveChanges) -> None:
    """What the host's threads were asked for decides where the loop runs: without a modifier it would do both.

    Runtimes differ there: LLVM's ends some programs whose combined directive has a false condition.
    """
    for clause in changes.existing.named("if"):
        if not clause.modifier and clause.inner not in changes.replaced:
            changes.replaced[clause.inner] = f"target: {clause.argument}"


def _require_movable(existing: ExistingDirective) -> None:
    found = existing.named(*_HOST_ONLY)
    if found:
        raise UpdateRefusedError(
            f"`{found[0].text}` of the directive is meant for the host's threads: take it out to move the loop"
        )


def _collapse(clause: Clause, changes: DirectiveChanges) -> None:
    """More loops than the user joins may be joined; where the user joins more, that is left alone."""
    found = changes.existing.named("collapse")
    if not found:
        changes.added.append(clause)
    elif found[0].argument.isdigit() and int(found[0].argument) < int(clause.argument):
        changes.replaced[found[0].inner] = clause.argument


def _threads(clause: Clause, changes: DirectiveChanges) -> None:
    """`thread_limit`, and `num_threads` where it stands beside or instead; an expression is the user's own choice."""
    found = changes.existing.named("thread_limit", "num_threads")
    for each in found:
        if each.argument.isdigit() and each.argument != clause.argument:
            changes.replaced[each.inner] = clause.argument
    if not found and ("teams" in changes.existing.words or spreads_over_host(changes.existing.construct)):
        changes.added.append(clause)


def _copies(clause: Clause, changes: DirectiveChanges) -> None:
    missing: list[str] = []
    fits = {"lastprivate"} if clause.name == "lastprivate" else _ONE_COPY_EACH
    for item in clause.items:
        said = changes.said_of(item)
        if said is None:
            missing.append(item)
        elif said.name not in fits:
            raise UpdateRefusedError(f"`{said.text}` of the directive, but each iteration of the loop sets `{item}`")
    _add(Clause(clause.name, items=tuple(missing)), changes)


def _map(clause: Clause, changes: DirectiveChanges) -> None:
    missing: list[str] = []
    for item in clause.items:
        name = base_name(item)
        said = changes.said_of(name)
        if said is not None and said.name not in {"reduction", "lastprivate", "shared"}:
            if spreads_over_host(changes.existing.construct):
                raise UpdateRefusedError(f"`{said.text}` of the directive would hand the host's address to the device")
            continue
        mapped = next((c for c in changes.existing.named("map") if name in map(base_name, c.items)), None)
        if mapped is None:
            missing.append(item)
        else:
            _widen(mapped, name, clause.modifier, changes)
    if missing:
        changes.added.append(replace(clause, items=tuple(missing)))


def _widen(mapped: Clause, name: str, kind: str, changes: DirectiveChanges) -> None:
    """Copy in and out what the loop needs copied; an item of several gets a clause of its own."""
    *modifiers, said = [part.strip() for part in mapped.modifier.split(",")]
    said = said or "tofrom"
    needed = {"to", "from"} if kind == "tofrom" else {kind} & {"to", "from"}
    given = {"to", "from"} if said == "tofrom" else {said} & {"to", "from"}
    if said not in _KINDS or needed <= given or mapped.inner in changes.replaced:
        return
    both = needed | given
    wider = ", ".join((*modifiers, "tofrom" if len(both) == 2 else next(iter(both))))
    own = tuple(item for item in mapped.items if base_name(item) == name)
    others = tuple(item for item in mapped.items if base_name(item) != name)
    if not others:
        changes.replaced[mapped.inner] = Clause("map", wider, own).argument
        return
    changes.replaced[mapped.inner] = Clause("map", mapped.modifier, others).argument
    changes.added.append(Clause("map", wider, own))


def _add(clause: Clause, changes: DirectiveChanges) -> None:
    """Put the items into the first clause of that name, or add one."""
    if not clause.items:
        return
    same = next((c for c in changes.existing.named(clause.name) if c.modifier == clause.modifier), None)
    if same is None or same.inner in changes.replaced:
        changes.added.append(clause)
    else:
        changes.replaced[same.inner] = Clause(clause.name, clause.modifier, (*same.items, *clause.items)).argument
