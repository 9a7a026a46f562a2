"""What the preprocessor will make of an edited file: it is what the compiler makes of it, or nothing is said."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from unit.server.source_edits import MACROS, OTHERS, PLAIN, tokens_with_macros
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.prediction import EarlierRun, predicted
from warplens.server.preprocess.preprocess import preprocess_and_keep

HEADER = "#define DEPTH 8\n#define WIDE (DEPTH*2)\nextern double *work;\n"
SOURCE = """\
#include <stdio.h>
#include "sizes.h"
#define SIZE 100
#define TYPE double
#define LAST (SIZE-1)
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* What stands here is
   about f. */
void f(int n, TYPE *x, TYPE *y)
{
\tint first = 0;
    for (int i = 0; i < SIZE-1; i++) {
        x[i] = 2.5 * y[i]; /* twice and more */
        y[i] = MAX(x[i], y[i + 1]);
        first += i;   int  spaced ;
    }

    // What follows is parallel.
    #pragma omp parallel for   reduction(+:first)
    for (int i = 0; i < n; i++)
        x[i] = y[i] + LAST;
    fprintf(stderr, "%d // no comment\\n", first);
    x[0] = 1;









    x[1] = WIDE;
#ifdef DEPTH
    x[2] = 1;
#else
    x[2] = 2;
#endif
    x[3] = 3;
}
"""


def run(folder: Path, text: str) -> EarlierRun:
    result, output = preprocess_and_keep(folder / "m.c", text, PreprocessorFlags(), [folder], 30, trusted=True)
    return EarlierRun(text, result, output)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("predicted")
    (folder / "sizes.h").write_text(HEADER)
    return folder


@pytest.fixture(scope="module")
def before(folder: Path) -> EarlierRun:
    return run(folder, SOURCE)


def edited(old: str, new: str) -> str:
    assert SOURCE.count(old) == 1
    return SOURCE.replace(old, new)


SIMPLE = {
    "a constant": edited("2.5", "3.75"),
    "a constant beside a macro": edited("SIZE-1; i", "SIZE-2; i"),
    "a name": edited("first += i;", "second += i;"),
    "a tab and blanks": edited("\tint first = 0;", "\t \tint   first  =  1 ;  "),
    "a comment behind": edited("first += i;", "first += i; // why"),
    "a comment within": edited("first += i;", "first /* so /* far */ += i;"),
    "a comment taken away": edited(" /* twice and more */", ""),
    "a line taken away": edited("        x[i] = 2.5 * y[i]; /* twice and more */\n", ""),
    "a line in a comment": edited("what follows is parallel.".capitalize(), "What follows\n    // is parallel."),
    "a line added": edited("    x[0] = 1;\n", "    x[0] = 1;\n    x[5] = 1;\n"),
    "a line added before one with a macro": edited("        y[i] = MAX", "        y[i] = 7;\n        y[i] = MAX"),
    "blank lines that become a marker": edited("first = 0;\n", "first = 0;\n" + 12 * "\n"),
    "a marker that becomes blank lines": edited("x[0] = 1;\n\n\n\n", "x[0] = 1;\n"),
    "a macro used": edited("first += i;", "first += i + SIZE-1 + LAST*SIZE+WIDE-DEPTH;"),
    "a macro used first on a line": edited("first += i;", "TYPE third;"),
    "a macro with arguments": edited("first += i;", "first += MAX( MAX(i , f(n,  1)) ,-SIZE)-1;"),
    "beside a macro with arguments": edited("y[i] = MAX(x[i], y[i + 1]);", "y[i]  = MAX (x[i], y[i + 2]) + 1;"),
    "a macro of the system": edited("first += i;", "first = !stderr || 1 + stderr /* both */ - SIZE;"),
    "beside a macro of the system": edited("no comment", "a string"),
    "a line behind a macro of the system": edited("    x[0] = 1;", "    x[7] = 1;\n    x[0] = 1;"),
    "a macro no longer named": edited("x[1] = WIDE;", "x[1] = 3;"),
    "a directive for a loop": edited("    for (int i = 0; i < S", "#  pragma omp simd\n    for (int i = 0; i < S"),
    "another directive": edited("    for (int i = 0; i < S", "    #pragma acc   loop\n    for (int i = 0; i < S"),
    "a function at the end": f"{SOURCE}\nvoid g(void)\n{{\n}}\n",
    "a string": edited("%d // no comment", "%d /* no comment"),
    "half a line": edited("first += i;", "first +"),
    "two places": edited("2.5", "3.75").replace("x[3] = 3", "x[3] = 4"),
    "nothing": SOURCE,
}
NOT_SIMPLE = {
    "a directive": edited("#define SIZE 100", "#define SIZE 101"),
    "an include": f"#include <math.h>\n{SOURCE}",
    "a macro of the system that was not named before": edited("first += i;", "first += EOF;"),
    "a macro of the system first on a line": edited("first += i;", "stderr;"),
    "a macro of the system last on a line": edited("first += i;   int  spaced ;", "first += stderr"),
    "a macro of the system in another": edited("first += i;", "first += MAX(1, stderr);"),
    "a macro that was not named before": edited("first += i;", "first += __CHAR_BIT__;"),
    "a macro with too few arguments": edited("first += i;", "first += MAX(i);"),
    "a macro with arguments on two lines": edited("first += i;", "first += MAX(i,\n  1);"),
    "a macro with arguments and none": edited("first += i;", "first += MAX;"),
    "a comment that is opened": edited("first += i;", "first += i; /* and"),
    "a string that is opened": edited("first += i;", 'first += i; "and'),
    "a continued line": edited("first += i;", "first += i; \\"),
    "what depends on the line": edited("first += i;", "first += __LINE__;"),
    "a line that is not there": edited("x[2] = 2;", "x[2] = 3;"),
    "other letters": edited("first += i;", "größe += i;"),
    "the first line is indented": edited("void f(int n, T", "  void f(int n, T"),
    "a digraph": edited("first += i;", "first += i;\n%:define N"),
}


@pytest.mark.parametrize("text", SIMPLE.values(), ids=SIMPLE.keys())
def test_a_simple_edit_is_predicted_as_the_compiler_does_it(folder: Path, before: EarlierRun, text: str) -> None:
    guess = predicted(before, text)
    assert guess is not None
    assert guess == run(folder, text).result


@pytest.mark.parametrize("text", NOT_SIMPLE.values(), ids=NOT_SIMPLE.keys())
def test_of_any_other_nothing_is_said(before: EarlierRun, text: str) -> None:
    assert predicted(before, text) is None


@pytest.mark.parametrize("seed", range(12))
def test_edits_in_a_row_are_predicted_or_not_but_never_wrongly(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    before = run(folder, SOURCE)
    for _ in range(8):
        lines = before.source.split("\n")
        rng.choice((*PLAIN, *PLAIN, *OTHERS))(rng, lines)
        guess = predicted(before, "\n".join(lines))
        before = run(folder, "\n".join(lines))
        assert guess in (None, before.result)


@pytest.mark.parametrize("seed", range(4))
def test_macros_come_out_as_the_compiler_writes_them_or_nothing_is_said(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    before = run(folder, f"{MACROS}int a;\nint b;\n")
    guesses = 0
    for _ in range(15):
        line = f"{' ' * rng.randrange(9)}{tokens_with_macros(rng, rng.randrange(1, 4))};"
        edited = before.source.replace("int b", f"{line}\nint b")
        guess = predicted(before, edited)
        if guess is not None:
            assert guess == run(folder, edited).result, line
            guesses += 1
    assert guesses > 3


EXPLOSIONS = {
    "values that double": ["#define A0 1", *(f"#define A{n} A{n - 1} A{n - 1}" for n in range(1, 60)), "int a;"],
    "arguments that double": [
        "#define F(x) 1",
        "#define A0 1",
        *(f"#define A{n} F(A{n - 1} A{n - 1})" for n in range(1, 16)),
        "int a;",
    ],
    "a chain of macros": ["#define A0 1", *(f"#define A{n} A{n - 1}" for n in range(1, 3000)), "int a;"],
    "calls in calls": ["#define F(x) x", "#define A F", "int a;"],
}


@pytest.mark.parametrize("lines", EXPLOSIONS.values(), ids=EXPLOSIONS.keys())
def test_macros_that_grow_without_bound_are_not_predicted(folder: Path, lines: list[str]) -> None:
    last = lines[-2].split()[1]
    before = run(folder, "\n".join([*lines, "int b;", f"/* {last} F */", ""]))
    used = f"{'F(' * 3000}1{')' * 3000}" if last == "A" else last
    assert predicted(before, before.source.replace("int b;", f"int b = {used};")) is None
    assert predicted(before, before.source.replace("int b;", f"int b = {'/* ' * 6000};")) is None


def test_lines_may_end_as_on_windows(folder: Path) -> None:
    before = run(folder, SOURCE.replace("\n", "\r\n"))
    edited = before.source.replace("2.5", "3.5").replace("x[0] = 1;", "x[0] = 1;\r\n    x[5] = MAX(SIZE, 1);")
    assert predicted(before, edited) == run(folder, edited).result


@pytest.mark.parametrize("name", ["with blank.c", "größe.c", 'quote".c'])
def test_the_file_s_name_does_not_matter(folder: Path, name: str) -> None:
    def made(text: str) -> EarlierRun:
        result, output = preprocess_and_keep(folder / name, text, PreprocessorFlags(), [folder], 30, trusted=True)
        return EarlierRun(text, result, output)

    edited = SOURCE.replace("x[0] = 1;", "x[0] = 1;\n    x[5] = 2;")
    assert predicted(made(SOURCE), edited) in (None, made(edited).result)


def test_without_directives_the_first_line_may_change(folder: Path) -> None:
    before = run(folder, "int a;\nint b;\n")
    assert predicted(before, "int c;\nint b;\n") == run(folder, "int c;\nint b;\n").result


def test_lines_are_not_moved_where_an_assertion_names_its_line(folder: Path) -> None:
    before = run(folder, "#include <assert.h>\nvoid f(int n)\n{\n    n = 1;\n    n = 2;\n    assert(n == 2);\n}\n")
    moved = before.source.replace("n = 1;", "n = 1;\n    n = 3;")
    assert predicted(before, moved) is None
    same_lines = before.source.replace("n = 1;", "n = 4;")
    assert predicted(before, same_lines) == run(folder, same_lines).result


def test_lines_are_moved_behind_the_last_assertion(folder: Path) -> None:
    before = run(folder, "#include <assert.h>\nvoid f(int n)\n{\n    assert(n == 2);\n    n = 1;\n    n = 2;\n}\n")
    moved = before.source.replace("n = 2;", "n = 3;\n    n = 2;")
    assert predicted(before, moved) == run(folder, moved).result


def test_notes_and_macros_move_with_their_lines(folder: Path) -> None:
    before = run(folder, 'int a;\nint b;\n#include "gone.h"\n#define N 4\n#error "no"\nint c[N];\n')
    guess = predicted(before, before.source.replace("int b;", "int b;\nint d;"))
    assert guess == run(folder, before.source.replace("int b;", "int b;\nint d;")).result
    assert [line for line, _ in guess.notes] == [4, 6]


def test_what_our_own_preprocessor_made_is_no_ground_for_a_prediction(before: EarlierRun) -> None:
    assert predicted(replace(before, output=""), SIMPLE["a constant"]) is None


def test_an_output_that_is_not_as_it_was_thought_to_be_is_no_ground(before: EarlierRun) -> None:
    other = replace(before.result, text=before.result.text.replace("x[i] = 2.5 * y[i];", "x[i]=2.5*y[i];"))
    assert predicted(replace(before, result=other), SIMPLE["a constant"]) is None
    nothing = Preprocessed("", before.result.main_path)
    assert predicted(replace(before, result=nothing), SIMPLE["a constant"]) is None
