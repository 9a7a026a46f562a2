"""Answers about a program's sizes: kept from edit to edit they are those that a fresh program gives."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.program.sizes.call_contexts import NOWHERE
from warplens.analysis.program.sizes.file_sizes import FileSizes
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.places import Place, led_to
from warplens.analysis.program.sizes.read_sizes import read_sizes
from warplens.analysis.program.sizes.size_expression import Read
from warplens.analysis.program.sizes.size_values import SizeValues

NAMES = ("a.c", "b.c", "c.c")
FUNCTIONS = ("f", "g", "h", "main")
HEAD = "struct s { int n, m, e[2]; };\nextern struct s shared;\nextern int total, lengths[2];\n"
NUMBERS = st.sampled_from(
    ("2", "3", "64", "1000", "p", "q", "total", "shared.n", "shared.m", "p + q", "q * 2", "v->m", "k", "*w",
     "w[1]", "d[0]", "d[1]", "lengths[1]", "v->e[0]")
)  # fmt: skip
FIRST = st.sampled_from(("int p", "int r", "double *p"))
HANDED = st.sampled_from(("d", "d + 1", "&d[1]", "w", "w + 1", "lengths", "&lengths[q]", "v->e", "&shared.e[1]"))
CALLEES = st.sampled_from(FUNCTIONS[:3])


@st.composite
def statements(draw: st.DrawFn) -> str:
    """One statement of a function with the parameters `p`, `q`, `v`, `w` and the variables `k`, `d`."""
    value, other, callee = draw(NUMBERS), draw(NUMBERS), draw(CALLEES)
    form = draw(
        st.sampled_from(
            (
                "total = {value};",
                "shared.n = {value};",
                "v->m = {value};",
                "{callee}({value}, {other}, v, w);",
                "{callee}({value}, {other}, &shared, &k);",
                "if (p > 3) total = {callee}({value}, {other}, v, &total);",
                'if (strcmp(argv[1], "-{letter}") == 0) {callee}({value}, {other}, v, w);',
                "*w = {value};",
                "w[1] = {value};",
                "w[q] = {value};",
                "d[1] = {value};",
                "lengths[1]++;",
                "{callee}({value}, {other}, v, {handed});",
                "elsewhere({handed});",
                "k = {value};",
                "total /= 2;",
                "q = q + {value};",
                "shared.n++;",
                "int k{value_at} = {value}; shared.m = k{value_at};",
            )
        )
    )
    letter = draw(st.sampled_from("ab"))
    places = {"handed": draw(HANDED), "value_at": draw(st.integers(0, 3))}
    return form.format(value=value, other=other, callee=callee, letter=letter, **places)


@st.composite
def files(draw: st.DrawFn) -> str:
    """One file: some functions, perhaps the variables."""
    names = draw(st.lists(st.sampled_from(FUNCTIONS), unique=True, max_size=3))
    text = HEAD
    if draw(st.booleans()):
        total, length, member = draw(st.integers(0, 50)), draw(st.integers(0, 50)), draw(st.integers(0, 9))
        text += f"int total = {total}, lengths[2] = {{{length}, 8}};\nstruct s shared = {{{member}, 7}};\n"
    for name in names:
        storage = draw(st.sampled_from(("", "", "", "static ")))
        body = "\n".join(draw(st.lists(statements(), max_size=4)))
        head = f"{storage}int {name}({draw(FIRST)}, int q, struct s *v, int *w) {{ int k, d[2];"
        text += f"{head}\n{body}\nreturn {draw(NUMBERS)}; }}\n"
    return text


@st.composite
def edits(draw: st.DrawFn, text: str) -> str:
    """The file with another statement, or with another first parameter of a function; perhaps another file."""
    lines = text.split("\n")
    changed = [at for at, line in enumerate(lines) if line.endswith((";", "{ int k, d[2];")) and line not in HEAD]
    if not changed or draw(st.integers(0, 9)) == 0:
        return draw(files())
    at = draw(st.sampled_from(changed))
    head, opening, rest = lines[at].partition("(")
    is_head = rest.endswith("{ int k, d[2];")
    lines[at] = f"{head}{opening}{draw(FIRST)},{rest.partition(',')[2]}" if is_head else draw(statements())
    return "\n".join(lines)


def _read(name: str, text: str, memo: Memo) -> FileSizes:
    return read_sizes(text, Preprocessed(f'# 1 "{name}"\n{text}', name), memo)[0]


def _answers(values: SizeValues) -> Mapping[str, object]:
    """All that may be asked: how functions are called, what places hold."""
    found: dict[str, object] = {}
    for path, table in sorted(values.program.tables.items()):
        for name, function in sorted(table.functions.items()):
            contexts = values.contexts(function)
            found[f"{path} {name}"] = [
                [(one, [(v.value, v.standing, v.steps) for v in held.values], held.inputs) for one, held in each.values]
                for each in contexts
            ]
            for place in (
                Place("global", "", "total"),
                Place("member", "struct s", "n"),
                Place("member", "struct s", "m"),
                Place("member", "struct s", "e[1]"),
                Place("global", "", "lengths[1]"),
            ):
                found[f"{path} {name} {place.name}"] = values.value(Read(place), function, NOWHERE)
            for each in contexts:
                variables = (Place("variable", name, own) for own in ("k", "p", "d[0]", "d[1]"))
                for own in (*variables, led_to(name, "w"), led_to(name, "w", 1)):
                    found[f"{path} {name} {each.numbers} {own.name}"] = values.value(Read(own), function, each)
    return found


@settings(max_examples=examples(40))
@given(st.tuples(files(), files(), files()), st.sampled_from((None, (), ("-a",))), st.data())
def test_kept_answers_are_those_of_a_fresh_program(
    drawn: tuple[str, str, str], arguments: tuple[str, ...] | None, data: st.DataObject
) -> None:
    memo = Memo()
    texts = dict(zip(NAMES, drawn, strict=True))
    program = LinkedSizes.of(_read(name, text, memo) for name, text in texts.items())
    kept = SizeValues(program, arguments)
    _answers(kept)
    assume(not kept.answers.is_cut)
    for _ in range(data.draw(st.integers(1, 6))):
        for name in data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)):
            texts[name] = data.draw(edits(texts[name]))
            program = program.with_file(_read(name, texts[name], memo))
        gone = data.draw(st.sampled_from(("", "", "", *NAMES)))
        if len(program.tables) > 1:
            program = program.without(gone)
        kept = kept.of_program(program)
        fresh = SizeValues(LinkedSizes.of(table.sizes for table in program.tables.values()), arguments)
        found = _answers(kept), _answers(fresh)
        assume(not kept.answers.is_cut and not fresh.answers.is_cut)  # what took too long hangs on what was asked first
        assert found[0] == found[1]
