"""Rewriting C loops so that their iterations can run in any order.

A loop keeps its body. Its header becomes one that, for the loop selected at run time, first lists the state each
iteration starts from (the iterator and every induction variable), then runs the body once per listed state, in the
order of a permutation. Where only the header moves that state, the header alone is run to list it; else (`while`,
walking pointers) the loop runs whole, and the memory it changed is put back before it runs again.

A private variable holds nonsense at the start of each iteration, or what it held before the loop where that is said,
and ends with what the last iteration (in C's order)
left; a reduced scalar starts from the operator's identity and the results are combined. Places of extremes are found by
the loop as it stands, so that such a loop computes the same only where no two values are equal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from support.iteration_order.labels import JudgedNest, Label, judged, labels
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import Loop, loops_of, walk_statements
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import PointerTo

MOST_TRIPS = 4096


@dataclass(frozen=True, slots=True)
class AnyOrderLoop:
    """A loop that may run in other orders; its number in the rewritten text is its place in `AnyOrder.loops`."""

    function: str
    line: int
    verdict: LoopVerdict
    is_rounded: bool
    needs_distinct: bool


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """`left_out` are lines of loops that could not be rewritten, each with the reason."""

    text: str
    loops: tuple[AnyOrderLoop, ...]
    left_out: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class _Role:
    """What the scalars of a loop are to it."""

    state: tuple[str, ...]
    private: tuple[str, ...]
    reduced: tuple[tuple[str, str], ...]
    kept: tuple[str, ...]
    is_state_in_header: bool
    copied_in: tuple[str, ...]


def any_order(
    source: str,
    violated: frozenset[str] = frozenset(),
    *,
    only_parallel: bool = True,
    promises: tuple[Promise, ...] = (),
) -> AnyOrder:
    """The text with its loops rewritten: those said to be parallel under what is promised, or all of them.

    Loops that assume something of a kind in `violated` keep their order. Where a label says that more is true than was
    found, the loop runs by its label.
    """
    said = labels(source)
    edits: list[tuple[int, int, str]] = []
    chosen: list[AnyOrderLoop] = []
    left_out: list[tuple[int, str]] = []
    done: set[int] = set()
    for nest in judged(source, promises):
        for loop, verdict, line in zip(loops_of(nest.nest), nest.verdicts, nest.lines, strict=True):
            label = said.get(line)
            is_wanted = verdict.can_run_in_parallel or not only_parallel
            if not is_wanted or not violated.isdisjoint(a.kind for a in verdict.assumptions):
                continue
            start = nest.lowered.spans.base + dict(nest.lowered.spans.whole)[loop.id].start
            if start in done:
                continue
            if label is not None and label.note == "not run":
                left_out.append((line, "its comment says why"))
                continue
            made = _edits(source, nest, loop, verdict, label, len(chosen))
            if isinstance(made, str):
                left_out.append((line, made))
                continue
            done.add(start)
            edits += made
            is_rounded = "reduction" in (verdict.kind, label.truth[:9] if label else "")
            chosen.append(AnyOrderLoop(nest.function, line, verdict, is_rounded, _has_places(verdict)))
    for begin, end, text in sorted(edits, key=lambda e: (e[0], e[1]), reverse=True):
        source = source[:begin] + text + source[end:]
    return AnyOrder(source, tuple(chosen), tuple(left_out))


def _edits(
    source: str, nest: JudgedNest, loop: Loop, verdict: LoopVerdict, label: Label | None, number: int
) -> list[tuple[int, int, str]] | str:
    """Replacements of the loop's header and end, or why there are none."""
    spans = nest.lowered.spans
    whole = dict(spans.whole)[loop.id]
    start, end = spans.base + whole.start, spans.base + whole.end
    keyword = re.match(r"for|while|do", source[start:end])
    if keyword is None or loop.id in spans.in_macro:
        return "it comes from a macro or another place"
    if keyword[0] == "do":
        after = source.rindex("while", start, end)
        parts = ["", source[source.index("(", after) + 1 : source.rindex(")", after, end)], ""]
        body_start, body_end = start + 2, after
    else:
        opened = source.index("(", start)
        body_start, body_end = _closing(source, opened), end
        inside = source[opened + 1 : body_start - 1]
        parts = _split(inside) if keyword[0] == "for" else ["", inside, ""]
    pointers = {scalar.name for scalar in nest.nest.scalars if isinstance(scalar.type, PointerTo)}
    if pointers & {r.variable for r in verdict.reductions}:
        return "it counts a pointer"
    role = _role(source[:start], source[body_start:body_end], parts, nest, loop, verdict, label)
    header, finish = _rewritten(parts, role, number, is_do=keyword[0] == "do")
    return [(start, body_start, header), (body_end, end, finish)]


def _has_places(verdict: LoopVerdict) -> bool:
    return any(r.operator in {"argmin", "argmax"} for r in verdict.reductions)


def _closing(source: str, opened: int) -> int:
    depth = 0
    for at in range(opened, len(source)):
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        if not depth:
            return at + 1
    raise AssertionError("unbalanced")


def _split(header: str) -> list[str]:
    parts = header.split(";")
    assert len(parts) == 3, header
    return [part.strip() for part in parts]


def _assigned(text: str) -> set[str]:
    """Names that a piece of C text seems to set, arrays too."""
    after = re.findall(r"(\w+)(?:\[[^=;]*\])*\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", text)
    stepped = re.findall(r"(?:\+\+|--)\s*(\w+)|(\w+)\s*(?:\+\+|--)", text)
    return {name for name in (*after, *(n for pair in stepped for n in pair)) if name and not name.isdigit()}


_IN_PLACE = {"argmin", "argmax", "store"}
"""Reductions whose variables stay shared: whatever the order, and but for equal values, the same is left in them."""


def _role(
    before: str, body: str, parts: list[str], nest: JudgedNest, loop: Loop, verdict: LoopVerdict, label: Label | None
) -> _Role:
    inside = {loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))}
    objects = (*nest.nest.scalars, *nest.nest.arrays)
    own = {o.name for o in objects if o.declared_in in inside}
    pointers = {a.name for a in nest.nest.arrays if a.is_pointer}
    seen = set(re.findall(r"\w+", before + parts[0]))
    names = [c_name(loop.iterator), *(c_name(i.name) for i in loop.inductions), *(label.inductions if label else ())]
    names += sorted(_assigned("; ".join(parts)))
    state = tuple(dict.fromkeys(n for n in names if n in seen))
    hints = label.private if label and not verdict.can_run_in_parallel else ()
    claimed = dict.fromkeys(c_name(n) for n in (*verdict.private, *hints) if n not in own | pointers)
    private = tuple(n for n in claimed if n in seen - set(state))
    reduced = tuple(
        (c_name(r.variable), str(r.operator))
        for r in verdict.reductions
        if not r.is_array_element and r.variable not in own and r.operator not in _IN_PLACE
    )
    kept = tuple(
        o.name
        for o in objects
        if o.declared_in is None and o.scope != "global" and o.name.isidentifier() and o.name in seen - pointers
    )
    moving = _assigned(body) | {i.name for i in loop.inductions}
    is_state_in_header = moving.isdisjoint((*state, *re.findall(r"\w+", parts[1])))
    copied_in = tuple(n for n in private if n in map(c_name, verdict.copied_in))
    return _Role(state, private, reduced, kept, is_state_in_header, copied_in)


def _rewritten(parts: list[str], role: _Role, k: int, *, is_do: bool) -> tuple[str, str]:
    """What stands before the body and after it."""
    first, condition, step = parts[0], parts[1] or "1", parts[2]
    declared = [f"static int order_{k}[{MOST_TRIPS}]", f"int n_{k} = 0, t_{k} = 0, first_{k} = 1, again_{k} = 0"]
    declared += [f"__typeof__({n}) end_{k}_{n}; static __typeof__({n}) at_{k}_{n}[{MOST_TRIPS}]" for n in role.state]
    declared += [f"__typeof__({n}) last_{k}_{n}; memcpy((void *)&last_{k}_{n}, (void *)&{n}, sizeof {n})"
                 for n in role.private]  # fmt: skip
    declared += [f"__typeof__({n}) begin_{k}_{n}; memcpy((void *)&begin_{k}_{n}, (void *)&{n}, sizeof {n})"
                 for n in role.copied_in]  # fmt: skip
    for n, operator in role.reduced:
        declared.append(f"__typeof__({n}) total_{k}_{n} = {n}, zero_{k}_{n} = {_identity(operator, n)}")
    record = [f"if (n_{k} == {MOST_TRIPS}) too_many_()"]
    record += [f"at_{k}_{n}[n_{k}] = {n}" for n in role.state] + [f"n_{k}++"]
    listed = [f"end_{k}_{n} = {n}" for n in role.state]
    listed.append(f"again_{k} = 1; order_(order_{k}, n_{k}, {k})")
    put = [f"{n} = at_{k}_{n}[order_{k}[t_{k}]]" for n in role.state]
    put += [f"memset((void *)&{n}, 0x41 + t_{k} % 7, sizeof {n})" for n in role.private]
    put += [f"memcpy((void *)&{n}, (void *)&begin_{k}_{n}, sizeof {n})" for n in role.copied_in]
    put += [f"{n} = zero_{k}_{n}" for n, _ in role.reduced]
    keep = [f"if (order_{k}[t_{k}] == n_{k} - 1) memcpy((void *)&last_{k}_{n}, (void *)&{n}, sizeof {n})"
            for n in role.private]  # fmt: skip
    keep += [f"total_{k}_{n} = {_combined(operator, f'total_{k}_{n}', n)}" for n, operator in role.reduced]
    finish = [f"{n} = end_{k}_{n}" for n in role.state]
    finish += [f"memcpy((void *)&{n}, (void *)&last_{k}_{n}, sizeof {n})" for n in role.private]
    finish += [f"{n} = total_{k}_{n}" for n, _ in role.reduced]
    objects = ", ".join(f"(void *)&{n}, sizeof {n}" for n in role.kept)
    condition = f"first_{k} || ({condition})" if is_do else condition
    begin = ""
    listing = _block(f"again_{k} = 0")
    if role.is_state_in_header and not is_do:
        begin = f"if (selected == {k}) {{ for (; {condition}; {step}) {_block(*record)} {_block(*listed)} }}"
    else:
        saved = f"save_({k}, {objects}{', ' if objects else ''}(void *)0, (size_t)0)"
        begin = f"if (selected == {k}) {saved};"
        again = _block(*listed, "put_back_()", f"t_{k} = 0", f"go_{k} = n_{k} > 0")
        listing = f"if (go_{k}) {_block(*record)} else {again}"
    test = f"int go_{k}; if (again_{k}) go_{k} = t_{k} < n_{k}; else {{ go_{k} = ({condition}) != 0; first_{k} = 0; "
    test += f"if (selected == {k}) {listing} }} if (again_{k} && go_{k}) {_block(*put)} go_{k};"
    move = f"if (again_{k}) {_block(*keep, f't_{k}++')} else {{ {step}; }}"
    header = f"{{ {first}; {'; '.join(declared)}; {begin} for (; ({{ {test} }}); ({{ {move} }})) "
    return header, f" if (again_{k}) {_block(*finish)} }}"


def _block(*statements: str) -> str:
    return "{ " + "".join(f"{s}; " for s in statements) + "}"


def _identity(operator: str, name: str) -> str:
    """What a thread starts from; the value before the loop does where folding it in twice changes nothing."""
    return {"+": "0", "*": "1", "^": "0"}.get(operator, name)


def _combined(operator: str, left: str, right: str) -> str:
    if operator in {"min", "max"}:
        return f"{left} {'<' if operator == 'min' else '>'} {right} ? {left} : {right}"
    return f"{left} {operator} {right}"
