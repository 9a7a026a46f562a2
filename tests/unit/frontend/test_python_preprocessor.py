from __future__ import annotations

from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.frontend.preprocessing.stub_headers import STUB_HEADERS

LOOP = "void f(double *a) { for (int i = 0; i < N; i++) a[i] = sqrt(a[i]); }\n"


def test_defines_headers_and_include_dirs() -> None:
    files = {"/inc/size.h": "#define N (M * 2)\n"}
    source = '#include <math.h>\n#include "size.h"\n' + LOOP
    unit = parse_unit(source, preprocess_in_python("/src/a.c", source, files.get, ["/inc"], ["M=8"]), Memo())
    nest = unit.functions[0].nests[0]
    assert str(nest.nest.root.limits[0]) == "16"
    header = dict(nest.spans.header)[nest.nest.root.id]
    assert source[nest.spans.base + header.start : nest.spans.base + header.end] == "for (int i = 0; i < N; i++)"


def test_missing_header_is_a_note_with_its_line() -> None:
    source = '#define N 3\n#include "gone.h"\n' + LOOP
    preprocessed = preprocess_in_python("/a.c", source, lambda _: None, (), ())
    assert preprocessed.notes == ((2, "`gone.h` is not found"),)
    unit = parse_unit(source, preprocessed, Memo())
    assert source[unit.problems[0].span.start : unit.problems[0].span.end] == '#include "gone.h"'
    assert len(unit.functions[0].nests) == 1


def test_error_directive_is_an_error() -> None:
    source = "#error no such luck\n#define N 2\n" + LOOP
    unit = parse_unit(source, preprocess_in_python("/a.c", source, lambda _: None, (), ()), Memo())
    assert [(p.severity, p.message) for p in unit.problems] == [("error", "#error no such luck")]


def test_include_cycle_ends() -> None:
    files = {"/a.h": '#include "b.h"\n#include "b.h"\n', "/b.h": '#include "a.h"\nint x;\n'}
    source = '#include "a.h"\n#define N 4\n' + LOOP
    preprocessed = preprocess_in_python("/a.c", source, files.get, (), ())
    assert any("without end" in message for _, message in preprocessed.notes)
    assert len(parse_unit(source, preprocessed, Memo()).functions[-1].nests) == 1


def test_every_stub_preprocesses_without_a_note() -> None:
    source = "".join(f"#include <{name}>\n" for name in sorted(STUB_HEADERS)) + "#define N 4\n" + LOOP
    preprocessed = preprocess_in_python("/a.c", source, lambda _: None, (), ())
    assert preprocessed.notes == ()
    assert len(parse_unit(source, preprocessed, Memo()).functions[0].nests) == 1


def test_line_directives_of_generators_are_not_followed() -> None:
    source = '#define N 4\n#line 70 "gram.y"\n' + LOOP
    unit = parse_unit(source, preprocess_in_python("/a.c", source, lambda _: None, (), ()), Memo())
    assert source[unit.functions[0].span.start :].startswith("void f")


def test_a_macro_that_doubles_too_often_stays_as_it_is() -> None:
    doubling = "".join(f"#define M{k} M{k - 1} M{k - 1}\n" for k in range(1, 40)) + "#define M0 x;\n#define N 4\n"
    source = f"{doubling}void g(int x) {{ M39 M2 }}\n{LOOP}"
    preprocessed = preprocess_in_python("/a.c", source, lambda _: None, (), ())
    assert preprocessed.notes == ((42, "`M39` stands for more than 200000 tokens: left as it is"),)
    assert "{ M39 x; x; x; x; }" in preprocessed.text
    assert str(parse_unit(source, preprocessed, Memo()).functions[-1].nests[0].nest.root.limits[0]) == "4"


def test_an_argument_that_doubles_too_often_costs_no_loop() -> None:
    uses = "TWICE(" * 40 + "x;" + ")" * 40
    source = f"#define TWICE(s) s s\nvoid g(int x) {{ {uses} }}\n#define N 4\n{LOOP}"
    preprocessed = preprocess_in_python("/a.c", source, lambda _: None, (), ())
    assert preprocessed.notes == ((2, "`TWICE` stands for more than 200000 tokens: left as it is"),)
    assert str(parse_unit(source, preprocessed, Memo()).functions[-1].nests[0].nest.root.limits[0]) == "4"


def test_a_macro_that_names_itself_through_another_ends() -> None:
    source = f"#define A B\n#define B A\n#define F(x) G(x)\n#define G(x) F(x)\nint A = F(1);\n#define N 4\n{LOOP}"
    preprocessed = preprocess_in_python("/a.c", source, lambda _: None, (), ())
    assert preprocessed.notes == ()
    assert "int A = F(1);" in preprocessed.text
