"""What a function needs is all that can be reached from the names it mentions, headers and the user's file alike."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.declarations.cut import cut
from warplens.analysis.frontend.declarations.declarations import (
    Declaration,
    DeclarationIndex,
    HeaderIndex,
    Needed,
    read_declaration,
)

NAMES = ("alpha", "beta", "gamma", "delta", "eps", "zeta")


@st.composite
def declaration_texts(draw: st.DrawFn) -> str:
    name, other, third = (draw(st.sampled_from(NAMES)) for _ in range(3))
    return draw(
        st.sampled_from(
            (
                f"typedef {other} {name};",
                f"struct {name} {{ {other} m; struct {third} *n; }};",
                f"typedef struct {name} {{ {other} m; }} {third};",
                f"int {name}({other} a);",
                f"static inline int {name}(int a) {{ return {other}({third}); }}",
                f"extern int {name}[sizeof({other})];",
            )
        )
    )


def read(texts: list[str], own: bool) -> tuple[Declaration, ...]:
    found = [read_declaration(text, chunk, own, is_packed=False) for text in texts for chunk in cut(text)]
    return tuple(one for one in found if one is not None)


def by_search(declarations: tuple[Declaration, ...], names: frozenset[str]) -> Needed:
    """The same by going through all declarations until nothing is added."""
    reached: set[int] = set()
    wanted = set(names)
    while more := [n for n, one in enumerate(declarations) if n not in reached and not wanted.isdisjoint(one.names)]:
        reached.update(more)
        wanted.update(name for n in more for name in declarations[n].mentioned)
    found = [declarations[n] for n in sorted(reached)]
    return Needed(
        tuple(one.text for one in found if one.text),
        frozenset(name for one in found for name in one.type_names),
        tuple(one.definition for one in found if one.definition is not None),
    )


@given(
    st.lists(declaration_texts(), max_size=7),
    st.lists(st.lists(declaration_texts(), max_size=5), min_size=1, max_size=3),
    st.lists(st.frozensets(st.sampled_from(NAMES), max_size=3), min_size=1, max_size=4),
)
@settings(max_examples=examples(300))
def test_what_is_needed_is_what_a_search_finds(
    header_texts: list[str], own_texts: list[list[str]], mentioned: list[frozenset[str]]
) -> None:
    memo, headers = Memo(), HeaderIndex(read(header_texts, own=False))
    for texts in own_texts:
        own = read(texts, own=True)
        index = DeclarationIndex(headers, own, memo)
        for names in mentioned:
            assert index.needed_by(names) == by_search((*headers.declarations, *own), names)
        for name in NAMES:
            definitions = [d for one in (*headers.declarations, *own) if name in one.names and (d := one.definition)]
            assert index.definition(name) == (definitions[-1] if definitions else None)
