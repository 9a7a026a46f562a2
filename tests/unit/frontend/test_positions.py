from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit

Parse = Callable[..., TranslationUnit]

SOURCES = {
    "plain": ("void f(double *a, int n) {\n  for (int i = 0; i < n; i++)\n    a[i] = a[i+1];\n}\n",
              "for (int i = 0; i < n; i++)", ["a[i+1]", "a[i]", "a[i] = a[i+1];"], False),
    "tabs and blanks": ("void f(double *a, int n) {\n\tfor\t(int i = 0;   i<n ; i++)\n\t\ta [ i ]\t=  1;\n}\n",
                        "for\t(int i = 0;   i<n ; i++)", ["a [ i ]", "a [ i ]\t=  1;"], False),
    "CRLF": ("void f(double *a, int n) {\r\n  for (int i = 0;\r\n       i < n; i++)\r\n    a[i] = 1;\r\n}\r\n",
             "for (int i = 0;\r\n       i < n; i++)", ["a[i]", "a[i] = 1;"], False),
    "continued lines": ("void f(double *a, int n) {\n  for (int i = 0; \\\n    i < n; i++) a[i] \\\n = 1;\n}\n",
                        "for (int i = 0; \\\n    i < n; i++)", ["a[i]", "a[i] \\\n = 1;"], False),
    "comments": ("void f(double *a) { /* x\n y */ for (int i = 0; /* ( */ i < 9; i++) // for\n a/**/[i] = 1;\n}\n",
                 "for (int i = 0; /* ( */ i < 9; i++)", ["a/**/[i]", "a/**/[i] = 1;"], False),
    "macro bound": ("#define N (10 + 2)\nvoid f(double *a) { for (int i = 0; i < N; i++) a[N - i] = N; }\n",
                    "for (int i = 0; i < N; i++)", ["a[N - i]", "a[N - i] = N;"], False),
    "macro header": ("#define FOR(i, n) for (int i = 0; i < (n); i++)\nvoid f(double *a) { FOR(i, 9) a[i] = 1; }\n",
                     "FOR(i, 9)", ["a[i]", "a[i] = 1;"], True),
    "macro header over lines": (
        "#define FOR(i, n) for (int i = 0; i < n; i++)\nvoid f(double *a, int n) {\n  FOR(i,\n      n) a[i] = 1;\n}\n",
        "FOR(i,\n      n)", ["a[i]", "a[i] = 1;"], True),
    "header's macro": ("#include <stddef.h>\nvoid f(void **a) { for (int i = 0; i < 9; i++) a[i] = NULL; }\n",
                       "for (int i = 0; i < 9; i++)", ["a[i]", "a[i] = NULL;"], False),
    "after a gap": ("int x" + ";\n" * 9 + "void f(double *a) {" + "\n" * 20 + "for (int i = 0; i < 3; i++) a[i] = 1;}",
                    "for (int i = 0; i < 3; i++)", ["a[i]", "a[i] = 1;"], False),
    "cast pointer": ("void f(void *p) { for (int i = 0; i < 3; i++) ((int *)p)[i] = 1; }",
                     "for (int i = 0; i < 3; i++)", ["((int *)p)[i]", "((int *)p)[i] = 1;"], False),
    "GNU words": ("__extension__ static void f(int *__restrict__ a) {for (int i = 0; i < 3; i++) a[i] = 1;}",
                  "for (int i = 0; i < 3; i++)", ["a[i]", "a[i] = 1;"], False),
}  # fmt: skip


@pytest.mark.parametrize(("source", "header", "nodes", "in_macro"), SOURCES.values(), ids=SOURCES.keys())
def test_spans_are_exact(parse: Parse, source: str, header: str, nodes: list[str], in_macro: bool) -> None:
    spans = next(f for f in parse(source).functions if f.nests).nests[0].spans

    def text(span: tuple[int, int]) -> str:
        return source[spans.base + span[0] : spans.base + span[1]]

    assert [text((s.start, s.end)) for _, s in spans.header] == [header]
    assert [text((s.start, s.end)) for _, s in spans.nodes] == nodes
    assert (0 in spans.in_macro) is in_macro
    whole = text((spans.whole[0][1].start, spans.whole[0][1].end))
    assert whole.startswith(header)
    assert whole.endswith(nodes[-1])


def test_two_macro_headers_on_one_line(parse: Parse) -> None:
    source = ("#define FOR(i, n) for (int i = 0; i < (n); i++)\n#define SQ(x) ((x) * (x))\n"
              "void f(double *a, int n) { FOR(i, n) FOR(j, n) a[i*n + j] = SQ(a[j]) + SQ(a[i]); }\n")  # fmt: skip
    spans = parse(source).functions[0].nests[0].spans
    headers = [source[spans.base + s.start : spans.base + s.end] for _, s in spans.header]
    assert headers == ["FOR(i, n)", "FOR(j, n)"]
    nodes = [source[spans.base + s.start : spans.base + s.end] for _, s in spans.nodes]
    assert nodes[:4] == ["SQ(a[j])", "SQ(a[j])", "SQ(a[i])", "SQ(a[i])"]


def test_function_span_is_the_definition(parse: Parse) -> None:
    source = "int x;\n\nstatic void f(double *a)\n{\n for (int i = 0; i < 3; i++) a[i] = 1;\n}\n"
    span = parse(source).functions[0].span
    assert source[span.start : span.end] == source[8:-1]


def test_failure_is_placed_at_the_statement(parse: Parse) -> None:
    source = "void f(double *a) {\n  for (int i = 0; i < 3; i++)\n    a[i] = * ;\n}\n"
    span = parse(source).opaque[0].span
    assert source[span.start : span.end] == "a[i] = * ;"


def test_body_from_an_included_file_stands_at_the_include(parse: Parse, tmp_path: Path) -> None:
    (tmp_path / "body.h").write_text("for (i = 0; i < n; i++)\n  a[i] = 0;\n")
    source = '\nvoid f(double *a, int n)\n{\n  int i;\n\n#include "body.h"\n\n  for (i = 0; i < n; i++) a[i] = 1;\n}\n'
    included, own = parse(source).functions[0].nests
    spans = included.spans
    for _, span in (*spans.header, *spans.whole, *spans.nodes):
        assert source[spans.base + span.start : spans.base + span.end] == '#include "body.h"'
    assert {0} < spans.in_macro
    header = own.spans.header[0][1].shifted(own.spans.base)
    assert source[header.start : header.end] == "for (i = 0; i < n; i++)"
    assert not own.spans.in_macro


def test_generated_text_stands_where_it_is_open(parse: Parse) -> None:
    source = (
        '#line 10 "gram.y"\nvoid f(double *a, int n)\n{\n#  55 "gram.y"\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n'
        "}\n#line 100\nvoid g(double *a) { for (int j = 0; j < 9; j++) a[j] = 2; }\n"
    )
    unit = parse(source)
    spans = [function.nests[0].spans for function in unit.functions]
    headers = [source[s.base + s.header[0][1].start : s.base + s.header[0][1].end] for s in spans]
    assert headers == ["for (int i = 0; i < n; i++)", "for (int j = 0; j < 9; j++)"]
    assert unit.loops_found == unit.loops_in_text == 2
