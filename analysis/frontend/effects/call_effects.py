"""What a call of a function of the file may write besides that function's own variables, found without lowering it.

Each function's own statements are looked at once (`own_effects`); what the functions it calls do is joined to that, for
those that call each other as the least fixed point over their strongly connected component.

Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.c.c_library import LibraryCall, library_call
from warplens.analysis.c.linear_algebra import TAKEN
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.effects.memory_places import MemoryPlaces
from warplens.analysis.frontend.effects.memory_roots import HELD, LOCAL, HandedOn, OwnEffects, Root
from warplens.analysis.ir.source_names import c_name


@dataclass(frozen=True, slots=True)
class CallEffects:
    """Effects of one call, those of what it calls included.

    `written` and `read` are parameters whose memory is touched directly, `written_deeply` and `read_deeply` those
    behind whose pointers memory is touched through further pointers; `globals_written` and `globals_read` are
    file-level names. `kept` are parameters whose address may outlive the call, `unknown` says what was not understood.
    Of `first_only` no more is touched directly than the first element. `prints` says whether something is printed.
    `taken` are functions without a body in the file that are taken for routines of a library. `spares_volatile` says
    that no `volatile` member of the memory is touched, which would be a side effect. `ends` says that it never comes
    back: what it does before the program ends counts for nothing, unless it `jumps` to where the program goes on.
    `ending` are functions that it may call which do so. `by_value` are parameters that hold a structure of their own.
    """

    written: frozenset[int] = frozenset()
    read: frozenset[int] = frozenset()
    written_deeply: frozenset[int] = frozenset()
    read_deeply: frozenset[int] = frozenset()
    globals_written: frozenset[str] = frozenset()
    globals_read: frozenset[str] = frozenset()
    kept: frozenset[int] = frozenset()
    unknown: str = ""
    first_only: frozenset[int] = frozenset()
    prints: bool = False
    taken: frozenset[str] = frozenset()
    spares_volatile: bool = False
    ends: bool = False
    jumps: bool = False
    ending: frozenset[str] = frozenset()
    by_value: frozenset[int] = frozenset()


def _nothing_said(_: str) -> str:
    return ""


class EffectsOfCalls:
    """Effects by function name, each found once; `own` gives those of a function's own statements if it is defined.

    `why_unseen` says why another function is not seen, as a predicate ("is defined in a.c and in b.c"), empty where
    there is no more to say.
    """

    def __init__(
        self, own: Callable[[str], OwnEffects | None], why_unseen: Callable[[str], str] = _nothing_said
    ) -> None:
        self._own = own
        self.why_unseen = why_unseen
        self._found: dict[str, CallEffects | None] = {}

    def of(self, name: str) -> CallEffects | None:
        """Effects of a function that is defined here, None for any other. They depend on nobody's asking before."""
        if name not in self._found:
            self._search(name)
        return self._found[name]

    def kept(self, name: str) -> frozenset[int] | None:
        """Parameters whose address a function that is defined here may keep: less to depend on than all its effects."""
        effects = self.of(name)
        return None if effects is None else effects.kept

    def _search(self, start: str) -> None:
        """Depth first through the calls; a component is solved once all that it calls are."""
        own: dict[str, OwnEffects] = {}
        number: dict[str, int] = {}
        lowest: dict[str, int] = {}
        unfinished: list[str] = []
        path: list[tuple[str, Iterator[str]]] = []

        def enter(name: str) -> None:
            effects = self._own(name)
            if effects is None:
                self._found[name] = None
                return
            own[name] = effects
            number[name] = lowest[name] = len(number)
            unfinished.append(name)
            path.append((name, iter(sorted(effects.called))))

        enter(start)
        while path:
            name, callees = path[-1]
            callee = next(callees, None)
            if callee is not None:
                if callee in self._found:
                    continue
                if callee in number:
                    lowest[name] = min(lowest[name], number[callee])
                else:
                    enter(callee)
                continue
            path.pop()
            if path:
                caller = path[-1][0]
                lowest[caller] = min(lowest[caller], lowest[name])
            if lowest[name] == number[name]:
                first = unfinished.index(name)
                self._solve(sorted(unfinished[first:]), own)
                del unfinished[first:]

    def _solve(self, component: Sequence[str], own: Mapping[str, OwnEffects]) -> None:
        self._found.update(dict.fromkeys(component, CallEffects()))
        changed = True
        while changed:  # sets only grow and the first reason stays, so this ends
            changed = False
            for name in component:
                before = self._found[name]
                after = _joined(own[name], self._found, before or CallEffects(), self.why_unseen)
                self._found[name] = after
                changed |= after != before
            changed = changed and (len(component) > 1 or component[0] in own[component[0]].called)


def _joined(
    own: OwnEffects, known: Mapping[str, CallEffects | None], before: CallEffects, why_unseen: Callable[[str], str]
) -> CallEffects:
    """A function's effects, given those of the functions that it calls and what was found before."""
    unknown, prints = before.unknown, before.prints
    ends = own.ends or any(_ends(name, known) for name in own.last_calls)
    jumps = any(_jumps(name, known) for name in own.called)
    if ends and not jumps:
        return CallEffects(spares_volatile=True, ends=True)
    written, read = MemoryPlaces.of(own.written), MemoryPlaces.of(own.read)
    kept = _parameters((own.kept, own.held if HELD in own.kept else ()))
    moved = set(own.moved)
    is_filled = False
    taken: set[str] = set()
    ending = {name for name in own.called if _ends(name, known) and not _jumps(name, known)}
    for doubt in own.doubts:
        if isinstance(doubt, str):
            unknown = unknown or doubt
            continue
        inner = known[doubt.callee]
        if doubt.callee.startswith(TAKEN):
            taken.add(doubt.callee.removeprefix(TAKEN))
            continue
        arguments = tuple(roots | own.held if HELD in roots else roots for roots in doubt.arguments)
        if inner is None:
            unknown = unknown or _library(replace(doubt, arguments=arguments), written, read, why_unseen)
            is_filled |= _may_fill(doubt, library_call(doubt.callee))
            prints = prints or doubt.printed is not None
            moved |= _parameters(arguments)
            continue
        unknown = unknown or inner.unknown
        prints = prints or inner.prints
        taken |= inner.taken
        ending |= inner.ending
        is_filled |= any(LOCAL in roots and number in inner.written for number, roots in enumerate(arguments))
        _hand_on(inner, arguments, written, read)
        kept |= _parameters(roots for number, roots in enumerate(arguments) if number in inner.kept)
        moved |= _parameters(roots for number, roots in enumerate(arguments) if number not in inner.first_only)
    for places, word in ((written, "writes"), (read, "reads")):
        places.add_held(own.held, is_known=not is_filled)
        if not places.is_followed:
            unknown = unknown or f"{word} memory that is not followed"
        if places.deep_names:
            unknown = unknown or f"{word} what pointers in {_named(min(places.deep_names))} lead to"
    return CallEffects(
        frozenset(written.direct), frozenset(read.direct), frozenset(written.deep), frozenset(read.deep),
        frozenset(written.names), frozenset(read.names), frozenset(kept), unknown,
        frozenset((written.direct | read.direct) - moved), prints, frozenset(taken), ends=ends, jumps=jumps,
        ending=frozenset(ending), by_value=own.by_value,
    )  # fmt: skip


def _hand_on(
    inner: CallEffects, arguments: Sequence[frozenset[Root]], written: MemoryPlaces, read: MemoryPlaces
) -> None:
    """Add what a called function touches of what it is given, and of the file."""
    for number, roots in enumerate(arguments):
        if number in inner.written:
            written.add(roots)
        if number in inner.written_deeply:
            written.add(roots, is_deep=True)
        if number in inner.read:
            read.add(roots)
        if number in inner.read_deeply:
            read.add(roots, is_deep=True)
    written.names |= inner.globals_written
    read.names |= inner.globals_read


def _parameters(every: Iterable[Iterable[Root]]) -> set[int]:
    return {root for roots in every for root in roots if isinstance(root, int)}


def _named(name: str) -> str:
    """A variable of the file, or a static one of a function, as the user knows it."""
    return f"`{c_name(name.rpartition('.')[2])}`"


def _may_fill(call: HandedOn, known: LibraryCall | None) -> bool:
    """Whether a function of the C library, or one that is not in sight, may set pointers in the caller's own memory."""
    if math_function(call.callee) or call.printed is not None:
        return False
    own = {number for number, roots in enumerate(call.arguments) if LOCAL in roots}
    if known is None or known.unknown:
        return bool(own)
    return any(number in known.writes or 0 <= known.writes_from <= number for number in own)


def _ends(name: str, known: Mapping[str, CallEffects | None]) -> bool:
    effects, of_library = known[name], library_call(name)
    return effects.ends if effects is not None else of_library is not None and (of_library.ends or of_library.jumps)


def _jumps(name: str, known: Mapping[str, CallEffects | None]) -> bool:
    effects, of_library = known[name], library_call(name)
    return effects.jumps if effects is not None else of_library is not None and of_library.jumps


def _library(call: HandedOn, written: MemoryPlaces, read: MemoryPlaces, why_unseen: Callable[[str], str]) -> str:
    """Add what a function without a body in sight does; why that is not known."""
    if math_function(call.callee):
        return ""
    if call.printed is not None:
        read.add(root for number in call.printed if number < len(call.arguments) for root in call.arguments[number])
        return ""
    known = library_call(call.callee)
    if known is None or known.unknown:
        if known:
            return f"`{call.callee}` {known.unknown}"
        why = why_unseen(call.callee)
        return f"calls `{c_name(call.callee)}`, {f'which {why}' if why else 'whose effects are unknown'}"
    for number, roots in enumerate(call.arguments):
        if number in known.writes or 0 <= known.writes_from <= number:
            written.add(roots)
        if number in known.reads:
            read.add(roots)
    return ""
