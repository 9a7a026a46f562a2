from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.nest_invariants import violations
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.text.macro_definitions import without_macro_directives, words

KERNELS = """#define N 64
#define FOR(i, n) for (int i = 0; i < (n); i++)
typedef struct { float x, y; double v[4]; } P;
static double A[N][N], B[N][N];
enum { K = 3 };
void gemm(int n, double alpha, const double *restrict a, double *b) {
  int i, j, k;
  for (i = 0; i < n; i++) {
    for (j = 0; j <= i; ++j) {
      double s = 0.0;
      for (k = n - 1; k >= 0; k -= 2) s += alpha * a[i*n + k] * A[k][j];
      if (s > 1.0) continue; // comment
      b[i*n + j] = s > 0 ? s : -s;
    }
  }
}
int points(P *p, int *idx, int n) {
  int c = 0;
  FOR(i, n) FOR(j, K) p[idx[i]].v[j] += p[i].x;
  for (int i = 0; i < n / 2; i++) { int q = i * K; c += idx[q++]; while (c > 9) c--; if (c == 7) break; }
  switch (n) { case 1: FOR(i, N) B[i][0] = A[0][i]; break; default: ; }
  return c;
}
"""
PIECES = ["{", "}", "(", ")", ";", "for (", "int ", "*", "[", '"', "'", "/*", "//", "\\\n", "#", "#define N", "\0",
          "\r\n", "i++", "typedef ", "struct ", "&i", "= ", ",", "é", "0x", "1.e", "goto l;", "sizeof ", "\f",
          '# 7 "unit.c" 2\n', "__attribute__((", "({", "asm(", "?", ":", "case 1:", "]"]  # fmt: skip
EDITS = st.lists(
    st.tuples(st.integers(0, len(KERNELS)), st.integers(0, 12), st.sampled_from(["", *PIECES])), min_size=1, max_size=6
)


def edited(edits: list[tuple[int, int, str]]) -> str:
    text = KERNELS
    for at, removed, inserted in edits:
        text = text[:at] + inserted + text[at + removed :]
    return text


def with_compiler(source: str) -> Preprocessed:
    command = ["cc", "-E", "-dD", "-std=gnu11", "-w", "-x", "c", "-"]
    done = subprocess.run(command, input=source.encode(), capture_output=True, check=False)
    text, macros = without_macro_directives(done.stdout.decode("utf-8", "replace"), "<stdin>", words(source))
    return Preprocessed(text, "<stdin>", macros=macros)


def checked(source: str, preprocessed: Preprocessed) -> TranslationUnit:
    unit = parse_unit(source, preprocessed, Memo())
    for function in unit.functions:
        assert function.span.end <= len(source)
        for lowered in function.nests:
            assert violations(lowered.nest) == ()
            for _, span in (*lowered.spans.header, *lowered.spans.whole, *lowered.spans.nodes):
                assert lowered.spans.base + span.end <= len(source)
    return unit


@settings(max_examples=examples(60))
@given(EDITS)
def test_mutated_text_never_raises(edits: list[tuple[int, int, str]]) -> None:
    source = edited(edits)
    checked(source, with_compiler(source))


@settings(max_examples=examples(40))
@given(EDITS)
def test_mutated_text_never_raises_without_a_compiler(edits: list[tuple[int, int, str]]) -> None:
    source = edited(edits)
    checked(source, preprocess_in_python("/unit.c", source, lambda _: None, (), ()))


@settings(max_examples=examples(40))
@given(EDITS)
def test_text_that_was_never_preprocessed_does_not_raise(edits: list[tuple[int, int, str]]) -> None:
    source = edited(edits)
    checked(source, Preprocessed(source, "unit.c"))


@settings(max_examples=examples(20))
@given(
    st.lists(
        st.sampled_from(["\n", "int above;\n", "// comment\n", "/* for ( */\n", "#define UNUSED 1\n"]), max_size=30
    )
)
def test_lines_above_change_no_nest(above: list[str]) -> None:
    before = checked(KERNELS, with_compiler(KERNELS))
    source = "".join(above) + KERNELS
    after = checked(source, with_compiler(source))
    moved = len(source) - len(KERNELS)
    assert [n.nest for f in after.functions for n in f.nests] == [n.nest for f in before.functions for n in f.nests]
    for old, new in zip(before.functions, after.functions, strict=True):
        assert new.span == old.span.shifted(moved)
        for a, b in zip(old.nests, new.nests, strict=True):
            assert (b.spans.header, b.spans.whole, b.spans.nodes) == (a.spans.header, a.spans.whole, a.spans.nodes)
            assert b.spans.base == a.spans.base + moved


def test_both_preprocessors_give_the_same_nests() -> None:
    one = checked(KERNELS, with_compiler(KERNELS))
    other = checked(KERNELS, preprocess_in_python("/unit.c", KERNELS, lambda _: None, (), ()))
    assert one.functions == other.functions
    assert one.loops_in_text == other.loops_in_text == one.loops_found == 8


LOOP = "for (int i = 0; i < n; i++) a[i] = 1;"


def function(name: str, body: str = LOOP) -> str:
    return f"void {name}(int n, double *a) {{ {body} }}\n"


def nested(depth: int, body: str) -> str:
    return "".join(f"for (int i{k} = 0; i{k} < n; i{k}++) {{ " for k in range(depth)) + body + "}" * depth


MONSTERS = {
    "a table on one line": f"int t[] = {{{','.join(str(k * 7919 % 10**6) for k in range(40_000))}}};\n",
    "a table of many lines": "int t[] = {\n" + ",\n".join(str(k) for k in range(20_000)) + "};\n",
    "many functions on one line": "".join(function(f"f{k}").strip() for k in range(300)) + "\n",
    "300 levels of nesting": function("f", nested(300, "a[0] = 1;")),
    "many declarations": "".join(f"typedef int t{k}; int g{k};\n" for k in range(5_000)),
    "twelve dimensions": f"double A{'[4]' * 12};\n" + function(
        "f", "".join(f"for (int i{k} = 0; i{k} < 4; i{k}++) " for k in range(12))
        + "A" + "".join(f"[i{k}]" for k in range(12)) + " = 1;"
    ),
    "bounds that overflow": function(
        "f", "for (int i = 0; i < 2147483647 + 5; i++) a[i] = 1;"
        "for (long i = 0; i < 99999999999999999999999; i++) a[i] = 3;"
        "for (int i = 0; i < 1 << 40; i++) a[i] = 4; for (int i = 0; i < 1 / 0; i++) a[i] = 5;"
    ),
    "macros that call each other": "#define A B\n#define B A\n#define X(x) Y(x) Y(x)\n#define Y(x) X(x) X(x)\n"
    + function("f", f"A; X(X(1)); {LOOP}"),
    "conflicting declarations": "int x; double x[4]; struct x { int y; }; struct x { double z; }; typedef int T;"
    "typedef double T; int f(int);\n" + function("f", f"for (int i = 0; i < n; i++) x[i] = a[i]; {LOOP}"),
    "bytes": "".join(chr(k * k * 31 % 251) for k in range(20_000)).replace("#", "") + "\n",
    "open braces": "{" * 20_000 + "\n",
    "closed braces": "}" * 20_000 + "\n",
    "open brackets": "(" * 20_000 + "\n",
    "statements without an end": function("f", "\n".join(f"a[{k}] = {k}" for k in range(300)) + LOOP),
    "broken statements": function("f", "\n".join(f"a[{k}] = ;" for k in range(200)) + LOOP),
    "functions without an end": "".join(f"void f{k}(int n, double *a) {{ a[ = ; {LOOP}\n" for k in range(15)),
    "statement expressions in each other": function("f", "a[0] = " + "({ int q = " * 30 + "1" + "; q; })" * 30 + ";"),
}  # fmt: skip


@pytest.mark.parametrize("text", MONSTERS.values(), ids=MONSTERS.keys())
def test_monsters_are_survived_and_nothing_after_them_is_lost(text: str) -> None:
    source = text + "\nvoid last(int n, double *a) {\n" + LOOP + "\n}\n"
    unit = checked(source, with_compiler(source))
    assert [function.name for function in unit.functions][-1] == "last"
    assert [len(function.nests) for function in unit.functions][-1] == 1
    assert unit.loops_found == unit.loops_in_text or unit.opaque


def test_a_header_that_includes_itself_ends() -> None:
    header = '#include "self.h"\nextern double self[4];\n'
    source = '#include "self.h"\n' + function("f")
    unit = preprocess_in_python("/unit.c", source, lambda path: header if path == "/self.h" else None, ("/",), ())
    assert any("includes itself" in message for _, message in unit.notes)
    assert checked(source, unit).loops_found == 1
