"""The line numbers of assertions are no part of a function, unless a loop could depend on them."""

from __future__ import annotations

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.declarations.line_numbers import line_numbers, without_numbers
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed

READ = (
    '((n > 0) ? (void) (0) : __assert_fail ("n > 0", "a.c", 12, __extension__ __PRETTY_FUNCTION__));',
    '__assert_fail ("s != \\"(\\"" "more)", "a.c", 12, __func__);',
    'do { report ("length", "a.c", 12, 4) ; return 4; } while (0);',
    'if (n) (void) report(Event, text(  7), "a.c", __func__, 12, "format %d", n);',
    '; (report(this, "a.c", ("unknown"), 12)); return;',
    ';printf("a.c", 12);',
    '; report(&s->exception, *p, "a.c", 12);',
)
LEFT = (
    'x = report("length", "a.c", 12);',
    'x = ({ report("a.c", 12); });',
    'report("a.c", 12)->count = 3;',
    '; report("a.c", 12)[0] = 3;',
    '; (*report("a.c", 12)) = 3;',
    'a[report("a.c", 12)] = 3;',
    'for (;; report("a.c", 12)) ;',
    'if (report("a.c", 12)) ;',
    ';memset("a.c", 12, n);',
    ';pow("a.c", 12);',
    ';report("b.c", 12);',
    ';report("a.c", n + 12);',
    ';report("a.c", 012);',
    ';report("a.c", 12u);',
    ';report(f(x) + 1, "a.c", 12);',
    'char *s[] = {"a.c", 12};',
    "(",
)  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_number_that_decides_nothing_is_read_as_ones(text: str) -> None:
    code = f"void f(int n) {{ {text} }}"
    assert without_numbers(code, line_numbers(code, '"a.c"')) == code.replace("12", "11")


@pytest.mark.parametrize("text", LEFT)
def test_a_number_that_may_decide_something_stays(text: str) -> None:
    assert not line_numbers(f"void f(int n) {{ {text} }}", '"a.c"')


def test_a_text_may_begin_with_the_name() -> None:
    assert not line_numbers('"a.c", 12)', '"a.c"')
    assert not line_numbers(', "a.c", 12)', '"a.c"')
    assert not line_numbers('x"", "a.c", 12)', '"a.c"')


DEFINED = """\
# 1 "main.c"
{}
void fill(double *a)
{{
    report("main.c", {});
    for (int i = 0; i < 9; i++)
        a[i] = i;
}}
"""


@pytest.mark.parametrize(
    ("before", "parsed"),
    [("void report(const char *file, int line);", 0), ("void report(const char *f, int line) { if (line) g(); }", 1)],
)
def test_a_number_that_the_file_looks_at_stays(before: str, parsed: int) -> None:
    memo = Memo()
    texts = [DEFINED.format(before, 5), DEFINED.format(before, 6)]
    units = [parse_unit(text, Preprocessed(text, "main.c"), memo) for text in texts]
    assert [unit.declarations_parsed for unit in units] == [1, parsed]
