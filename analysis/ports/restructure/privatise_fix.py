"""The quick fix that declares a variable or an array in the body of the loop that needs one for each iteration.

Each iteration of a parallel loop reads in it only what it wrote itself and nobody wants it afterwards: declared in the
body it is the iteration's own by the language's rules. Directives ask for it where it is an array; of a variable they
want a `private` clause otherwise.

Not done: what is used outside of the loop's body, arrays whose length is no constant, `static` and `const`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warplens.analysis.advice.naming import accesses_of
from warplens.analysis.dependence.scalars.privatization import is_live_after, is_read_before_written
from warplens.analysis.ir.nest import ArrayObject, Loop, LoopNest, ScalarObject, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix, TextEdit
from warplens.analysis.ports.restructure.declaration_text import Declaration, declaration_of
from warplens.analysis.ports.restructure.loop_text import EditRefusedError, ForText, for_text, has_directive
from warplens.analysis.ports.source_lines import line_end
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import tokenise, without_comments_and_directives

CODE = "privatise"


@dataclass(frozen=True, slots=True)
class _Move:
    """Variables that move into a loop's body, with their declarations."""

    loop: Loop
    text: ForText
    names: tuple[str, ...]
    declarations: tuple[Declaration, ...]


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per kernel for all that can move, and one refusal for each array that can't."""
    found = []
    for loop, names in _private(context):
        move, refusals = _move(context, loop, names)
        if move is not None:
            title = f"Declare {_listed(move.names)} in the loop's body: each iteration has its own"
            found.append(OfferedFix(CODE, title, loop.id))
        arrays = {array.name for array in context.evaluation.facts.nest.arrays}
        for name, refusal in refusals:
            if name in arrays:
                title = f"Declare `{name}` in the loop's body"
                found.append(OfferedFix(CODE, title, loop.id, variant=name, refusal=refusal))
    return tuple(found)


def edit(context: FixContext, offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """The declarations without the names, and the names with their type in the body."""
    for loop, names in _private(context):
        if loop.id != offer.loop:
            continue
        move, refusals = _move(context, loop, names)
        if offer.variant:
            return FixEdits(refusal=dict(refusals).get(offer.variant, ""))
        if move is not None:
            edits = sorted((*_removals(context.source, move), *_insertions(context.source, move)), key=lambda e: e.span)
            return FixEdits(tuple(edits), note=f"{_listed(move.names)} of each iteration's own")
    return FixEdits()


FIX = FixRule(CODE, offer, edit).of_source_order


def _private(context: FixContext) -> Iterator[tuple[Loop, list[str]]]:
    """The innermost loop of each grid, with what its iterations have copies of and the function declares."""
    facts = context.evaluation.facts
    loops = {loop.id: loop for loop in loops_of(facts.nest)}
    for kernel in facts.kernels:
        loop = loops[kernel.grid[-1].loop]
        verdict = facts.verdict(loop.id)
        iterators = {one.iterator for one in loops.values()}
        names = [
            name
            for name in verdict.private
            if name not in {*iterators, *verdict.copied_in} and _is_of_function(facts.nest, name)
            if not any(a.kind == "promise" and a.subject == name for a in verdict.assumptions)
        ]
        if names:
            yield loop, sorted(names)


def _is_of_function(nest: LoopNest, name: str) -> bool:
    objects: Sequence[ScalarObject | ArrayObject] = (*nest.scalars, *nest.arrays)
    found = next((o for o in objects if o.name == name), None)
    return found is not None and found.scope == "local" and found.declared_in is None


def _move(context: FixContext, loop: Loop, names: Sequence[str]) -> tuple[_Move | None, list[tuple[str, str]]]:
    """What can move, and why the rest can't, by name."""
    refusals: list[tuple[str, str]] = []
    moved: list[str] = []
    declarations: dict[Span, Declaration] = {}
    try:
        text = for_text(context, loop)
        if not text.has_braces or has_directive(context.source, text.body):
            raise EditRefusedError("the loop's body is no block of its own without preprocessor lines")
    except EditRefusedError as refused:
        return None, [(name, str(refused)) for name in names]
    for name in names:
        try:
            _require_own(context, loop, text, name)
            declaration = declaration_of(context.source, context.function_span, name)
            _require_unused_elsewhere(context, text, declaration, name)
        except EditRefusedError as refused:
            refusals.append((name, str(refused)))
            continue
        moved.append(name)
        declarations[declaration.span] = declaration
    found = tuple(declarations[span] for span in sorted(declarations))
    return (_Move(loop, text, tuple(moved), found) if moved else None), refusals


def _require_own(context: FixContext, loop: Loop, text: ForText, name: str) -> None:
    """Raise EditRefusedError unless an iteration needs nothing but what it wrote, and nobody wants it afterwards."""
    nest = context.evaluation.facts.nest
    if not name.isidentifier():
        raise EditRefusedError(f"several variables of the function have the name `{c_name(name)}`")
    array = next((array for array in nest.arrays if array.name == name), None)
    scalar = next((scalar for scalar in nest.scalars if scalar.name == name), None)
    if array is not None:
        if array.is_pointer:
            raise EditRefusedError(f"`{name}` is a pointer: the memory behind it is what iterations share")
        _require_only_elements(context, text, name)
        if any(extent is None or not extent.is_constant for extent in array.extents):
            raise EditRefusedError(f"the length of `{name}` is no constant")
    elif scalar is None or scalar.address_taken or is_live_after(nest, loop.id, name):
        raise EditRefusedError(f"the value of `{name}` after the loop may be used")
    elif is_read_before_written(loop.body, name):
        raise EditRefusedError(f"`{name}` may be read before the iteration sets it")


def _require_only_elements(context: FixContext, text: ForText, name: str) -> None:
    """Raise EditRefusedError where the array's address is taken: somebody may look into it later."""
    nodes = dict(context.spans.nodes)
    accesses = accesses_of(context.evaluation.facts.nest).values()
    starts = {nodes[a.id].start + context.spans.base for a in accesses if a.array == name and a.id in nodes}
    tokens = tokenise(without_comments_and_directives(context.source[text.body.start : text.body.end]))
    for word, start in zip(tokens.texts, tokens.starts, strict=True):
        if word == name and start + text.body.start not in starts:
            raise EditRefusedError(f"the address of `{name}` is used")


def _require_unused_elsewhere(context: FixContext, text: ForText, declaration: Declaration, name: str) -> None:
    """Raise EditRefusedError where the function names the variable outside of its declaration and the loop's body."""
    if re.search(rf"^[ \t]*#(?:\\\r?\n|[^\n])*\b{name}\b", context.source, re.MULTILINE):
        raise EditRefusedError(f"a directive or a macro of the file names `{name}`")
    function = context.function_span
    code = without_comments_and_directives(context.source[function.start : function.end])
    tokens = tokenise(code)
    places = [Span(declaration.span.start, declaration.span.end), text.body]
    for word, start in zip(tokens.texts, tokens.starts, strict=True):
        at = start + function.start
        if word == name and not any(place.start <= at < place.end for place in places):
            raise EditRefusedError(f"`{name}` is used outside of the loop's body too")
    if sum(word == name for word in tokenise(context.source[declaration.span.start : declaration.span.end]).texts) > 1:
        raise EditRefusedError(f"the declaration of `{name}` uses it")


def _removals(source: str, move: _Move) -> Iterator[TextEdit]:
    for declaration in move.declarations:
        kept = [one.whole for one in declaration.declarators if one.name not in move.names]
        if kept:
            yield TextEdit(declaration.declarators_span, ", ".join(kept))
        else:
            yield TextEdit(_with_line(source, declaration.span), "")


def _with_line(source: str, span: Span) -> Span:
    """A statement with its whole line where it is alone on it."""
    start = source.rfind("\n", 0, span.start) + 1
    end = source.find("\n", span.end)
    alone = end >= 0 and not source[start : span.start].strip() and not source[span.end : end].strip()
    return Span(start, end + 1) if alone else span


def _insertions(source: str, move: _Move) -> Iterator[TextEdit]:
    """The type in front of a first assignment that stands alone in the block, else a declaration at its start."""
    opened = move.text.body.start + 1
    code = without_comments_and_directives(source[opened : move.text.body.end])
    lines = []
    for declaration in move.declarations:
        for declarator in declaration.declarators:
            if declarator.name not in move.names:
                continue
            at = _first_assignment(code, declarator.name) if declarator.text == declarator.name else None
            if at is None:
                lines.append(f"{declaration.type} {declarator.text};")
            else:
                yield TextEdit(Span(opened + at, opened + at), f"{declaration.type} ")
    if not lines:
        return
    head = re.match(r"[ \t]*\r?\n", source[opened:])
    if head is None:
        yield TextEdit(Span(opened, opened), "".join(f" {line}" for line in lines))
        return
    first = opened + len(code) - len(code.lstrip())
    before = source[source.rfind("\n", 0, first) + 1 : first]
    at, indent = opened + head.end(), before if not before.strip() else ""
    yield TextEdit(Span(at, at), "".join(f"{indent}{line}{line_end(source)}" for line in lines))


def _first_assignment(code: str, name: str) -> int | None:
    """Where `name = ...;` stands as a statement of the block itself before any other use of the name."""
    tokens = tokenise(code)
    depth = 0
    for at, word in enumerate(tokens.texts):
        if word == name:
            is_start = at == 0 or tokens.texts[at - 1] in {";", "}"}
            is_set = tokens.texts[at + 1 : at + 2] == ("=",)
            return tokens.starts[at] if depth == 0 and is_start and is_set else None
        depth += (word in {"{", "("}) - (word in {"}", ")"})
    return None


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
