"""Arrays whose rows keep the length that a size had where they are declared: `double a[n][n]; n /= 2;`."""

from __future__ import annotations

from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import Tokens, tokenise, without_comments_and_directives

_CHANGES = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--"))


def why_length_differs(nest: LoopNest, whole: Span, function: Span, source: str) -> str:
    """Reason in the source's terms, empty if there is none; `whole` is the nest, `function` the one around it."""
    sized = [array for array in nest.arrays if array.scope in {"parameter", "local"} and _sizes(array)]
    if not sized:
        return ""
    tokens = tokenise(without_comments_and_directives(source[function.start : function.end]))
    inside = whole.shifted(-function.start)
    for array in sized:
        changed = _changed_size(array, tokens, inside)
        if changed:
            name = c_name(array.name)
            return f"`{name}` has the size that `{changed}` had where it is declared, and `{changed}` changes later"
    return ""


def _sizes(array: ArrayObject) -> frozenset[str]:
    return frozenset(name for extent in array.extents if extent is not None for name in extent.symbols)


def _changed_size(array: ArrayObject, tokens: Tokens, whole: Span) -> str:
    """A size of an array's type that is set anew between the declaration and the end of the function."""
    sizes, texts, name = _sizes(array), tokens.texts, c_name(array.name)
    for at in range(texts.index(name) if name in texts else len(texts), len(texts)):
        if texts[at] not in sizes or whole.start <= tokens.starts[at] < whole.end or texts[at - 1] in {".", "->"}:
            continue
        if not _CHANGES.isdisjoint(texts[at + 1 : at + 2]) or texts[at - 1] in {"++", "--"}:
            return texts[at]
    return ""
