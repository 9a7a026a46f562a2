"""The call that stands for the loops in the C program: what C names its arguments, and its parameters' types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.frontend.declarations.declarators import KEYWORDS
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar, StructOf
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.source_casts import cast_before_member, code_of, has_other_type
from warplens.analysis.ports.cuda.spelled_as_in_loop import spelled_as_in_loop
from warplens.analysis.ports.cuda.types_text import structure_tag
from warplens.analysis.ports.cuda.wrapper import WrapperInput
from warplens.analysis.ports.directives.register_variables import why_no_address
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.tokens import without_comments_and_directives

_MACRO = re.compile(r"[A-Za-z_]")
_WORD = re.compile(r"[^\W\d]\w*")
_TYPES = KEYWORDS | {"bool", "size_t", *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64))}
"""Words that need no declaration, or one that the call brings along."""


def c_parameter(one: WrapperInput) -> str:
    """The parameter as C declares it: structures by their tag, `_Bool` by its name."""
    text = spaced(one.cuda_type)
    ctype = one.type
    if isinstance(ctype, StructOf):
        name = ctype.name.removeprefix("struct ").strip()
        is_tag = ctype.name.startswith("struct ")
        text = text.replace(f"struct {structure_tag(ctype)}", f"struct {name}" if is_tag else name, 1)
    elif isinstance(ctype, Scalar):
        text = re.sub(r"\bbool\b", "_Bool", text)
    return text + one.name


def argument(context: FixContext, one: WrapperInput) -> str:
    """What the caller hands over, in the names that it has."""
    nest = context.evaluation.facts.nest
    if one.kind == "result":
        return f"&{c_name(one.stands_for)}"
    if one.kind == "value":
        derived = next((d.text for d in nest.derived if d.name == one.stands_for), "")
        return _spelled(context, derived or c_name(one.stands_for))
    array = nest.array(one.stands_for)
    name = _with_arrow(_spelled(context, c_name(array.name)), code_of(context))
    dimensions = len(array.extents)
    if dimensions > 1:
        return f"&{name}{'[0]' * dimensions}"
    ctype = c_parameter(replace(one, name="")).strip()
    return f"({ctype}){name}" if has_other_type(code_of(context), name) else name


def _spelled(context: FixContext, name: str) -> str:
    """The name as the loop has it, where the function's own text is all that the nest is made of."""
    root, whole = context.evaluation.facts.nest.root.id, dict(context.spans.whole)
    if context.evaluation.facts.nest.inlined or root not in whole:
        return name
    loop, code = whole[root].shifted(context.spans.base), without_comments_and_directives(context.source)
    return spelled_as_in_loop(name, code[context.function_span.start : loop.start], code[loop.start : loop.end])


def _with_arrow(name: str, code: str) -> str:
    """`l->f[0]` for the member of what a pointer leads to that a nest calls `l.f[0]`, as the function has it."""
    path = MemoryPath.of(name)
    if not path.steps or not path.steps[0].startswith(".") or not re.search(rf"\b{re.escape(path.base)}\s*->", code):
        return name
    return f"{path.base}->{path.steps[0][1:]}{''.join(path.steps[1:])}"


def require_names(context: FixContext, inputs: Sequence[WrapperInput]) -> None:
    """Refuse what the call could not name: behind a cast in the source, or without an address for a result.

    So too where the loop's own place is not known, which the call takes.
    """
    spans, root = context.spans, context.evaluation.facts.nest.root.id
    whole = dict(spans.whole).get(root)
    is_cut = root in spans.in_macro and whole and not _MACRO.match(context.source, whole.shifted(spans.base).start)
    if whole is None or is_cut:
        raise PortRefusedError("where the loop begins is not known: lines of the preprocessor cut it in parts")
    code = code_of(context)
    function = context.source[context.function_span.start : context.function_span.end]
    for one in inputs:
        if isinstance(one.type, StructOf) and _is_declared_in(function, one.type.name):
            raise PortRefusedError(f"`{one.type.name}` is declared in the function: a prototype outside can't name it")
    reason = why_no_address(function, (c_name(one.stands_for) for one in inputs if one.kind == "result"))
    if reason:
        raise PortRefusedError(reason)
    hidden = _unknown_here(context, inputs)
    if hidden:
        raise PortRefusedError(hidden)
    for one in inputs:
        name = c_name(one.stands_for)
        cast = cast_before_member(code, name)
        if cast:
            raise PortRefusedError(
                f"`{name}` lies behind a cast of `{cast}`, which a call can't say: copy it to a variable"
            )


def _unknown_here(context: FixContext, inputs: Sequence[WrapperInput]) -> str:
    """Why the call could not say what it hands over: a name that only code of another file has; empty if it can."""
    elsewhere = context.evaluation.facts.nest.elsewhere
    if not elsewhere:
        return ""
    span = context.function_span
    known = frozenset(_WORD.findall(without_comments_and_directives(context.source[span.start : span.end])))
    for one in inputs:
        text = f"{argument(context, one)} {c_parameter(replace(one, name=''))}"
        unknown = next((word for word in _WORD.findall(text) if word not in known and word not in _TYPES), "")
        if unknown:
            function, file = elsewhere[0]
            return (
                f"the call would have to say `{unknown}`, a name that `{function}` has in `{file}`, not this function"
            )
    return ""


def _is_declared_in(function: str, name: str) -> bool:
    """Whether a function's text defines the structure, by its tag or as what a `typedef` calls it."""
    tag = re.escape(name.removeprefix("struct ").strip())
    defined = rf"\bstruct\s+{tag}\s*\{{" if name.startswith("struct ") else rf"\}}\s*{tag}\s*;"
    return re.search(defined, without_comments_and_directives(function)) is not None


def spaced(ctype: str) -> str:
    """A type with what has to stand before a name."""
    return ctype if ctype.endswith("*") else f"{ctype} "
