"""Arrays of integers that functions get: what they leave in them, and what they find there."""

from __future__ import annotations

import pytest
from support.programs.linked import nests, report
from warplens.analysis.engine.report import NestReport

RUN = "void run(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2.0; }\n"
SET = "void set(int *p) { p[0] = 96; p[1] = 32; }\n"
MAIN = "extern double x[];\nint main(int argc, char **argv) {{ {} }}\n"


def size_of(nest: NestReport, name: str) -> tuple[int, str, str]:
    """Value, origin and text of a size of a nest."""
    assert nest.evaluation is not None
    (found,) = (one for one in nest.evaluation.assumptions if one.kind == "size" and one.subject == name)
    return dict(nest.evaluation.sizes)[name], found.origin, found.text


def passed(functions: str, body: str) -> tuple[int, str, str]:
    """What `run` is called with in `main`."""
    return size_of(nests(report({"a.c": RUN + functions + MAIN.format(body)}, "a.c"))["run"], "n")


@pytest.mark.parametrize(
    ("argument", "declared"),
    [
        ("d", "int d[2] = {0, 0};"),
        ("&d[0]", "int d[2] = {0, 0};"),
        ("&d[1]", "int d[2] = {0, 0};"),
        ("d + 1", "int d[2] = {0, 0};"),
        ("(void *)d", "int d[2] = {0, 0};"),
        ("p + 1", "int d[2], *p = d; p[0] = 0;"),
    ],
)  # fmt: skip
def test_what_a_function_without_a_body_may_write_is_open(argument: str, declared: str) -> None:
    read = argument[0] if argument[0] == "p" else "d"
    value, origin, text = passed("", f"{declared} elsewhere(4, {argument}); run(x, {read}[0]);")
    assert (value, origin) == (1024, "default")
    assert "`elsewhere` sets it" in text


@pytest.mark.parametrize("call", ["fwrite(d, 4, 2, stdout);", 'printf("%p", d);', "read_only(d);"])
def test_what_a_function_does_not_write_stays(call: str) -> None:
    functions = "#include <stdio.h>\nint read_only(int *p) { return p[0] + p[1]; }\n"
    assert passed(functions, f"int d[2] = {{0, 64}}; {call} run(x, d[1]);")[:2] == (64, "program")


@pytest.mark.parametrize("where", ["int d[2]; } s; extern struct s *g", "int *d; } s; extern struct s *g"])
def test_a_member_array_and_one_that_a_member_leads_to(where: str) -> None:
    functions = f"struct s {{ {where};\n"
    value, origin, text = passed(functions, "g->d[0] = 0; elsewhere(4, g->d); run(x, g->d[0]);")
    assert (value, origin) == (1024, "default")
    assert "`elsewhere` sets it" in text


@pytest.mark.parametrize(
    ("call", "read", "value"),
    [
        ("set(d);", "d[0]", 96),
        ("set(d);", "d[1]", 32),
        ("set(&d[1]);", "d[1]", 96),
        ("set(d + 1);", "d[2]", 32),
        ("all(d, 40);", "d[2]", 40),
        ("last(d, 50);", "d[2]", 50),
        ("last(d, 50);", "d[0]", 7),
        ("on(d);", "d[0]", 7),
        ("on(d);", "d[2]", 32),
        ("int *p = d; set(p);", "p[1]", 32),
    ],
)
def test_what_a_function_stores_in_elements(call: str, read: str, value: int) -> None:
    functions = (
        f"{SET}void all(int *p, int n) {{ for (int i = 0; i < 3; i++) p[i] = n; }}\n"
        "void last(int *p, int n) { *(p + 2) = n; }\nvoid on(int p[]) { set(&p[1]); }\n"
    )
    start = "int d[3]; d[0] = 7;" if value == 7 else "int d[3];"
    assert passed(functions, f"{start} {call} run(x, {read});")[:2] == (value, "program")


def test_a_value_from_before_a_call_is_not_the_only_one() -> None:
    """A statement of the function itself and one of the callee's: the size is said not to be certain."""
    _, _, before = passed(SET, "int d[2] = {64, 64}; run(x, d[0]);")
    _, _, after = passed(SET, "int d[2] = {64, 64}; set(d); run(x, d[0]);")
    assert "96" not in before
    assert "96" in after


def test_an_array_of_the_file_and_one_of_a_structure() -> None:
    files = {
        "set.c": SET,
        "run.c": RUN,
        "main.c": (
            "struct s { int n, d[2]; };\nextern double x[]; extern struct s *g; int whole[2];\n"
            "void set(int *); void run(double *, int);\n"
            "int main(void) { set(whole); set(g->d); run(x, whole[0] * 100 + g->d[1]); }\n"
        ),
    }
    assert size_of(nests(report(files, "run.c"))["run"], "n")[:2] == (9632, "program")


@pytest.mark.parametrize(
    ("declared", "argument", "value"),
    [
        ("int d[3] = {5, 60, 700};", "d", 60),
        ("int d[3] = {5, 60, 700};", "d + 1", 700),
        ("int d[3] = {5, 60, 700};", "&d[1]", 700),
        ("int d[3]; set(d);", "d", 32),
    ],
)
def test_what_a_function_finds_in_the_array_that_it_gets(declared: str, argument: str, value: int) -> None:
    functions = (
        f"{SET}void inner(double *x, const int *q) {{ for (int i = 0; i < q[1]; i++) x[i] = 1; }}\n"
        "void outer(double *x, int *p) { inner(x, p); int k = p[1]; for (int i = 0; i < k; i++) x[i] = 1; }\n"
    )
    text = RUN + functions + MAIN.format(f"{declared} outer(x, {argument});")
    found = nests(report({"a.c": text}, "a.c"))
    assert size_of(found["outer"], "k")[:2] == (value, "program")
    assert size_of(found["inner"], "q[1]")[:2] == (value, "program")


def test_whichever_element_of_an_array_that_a_function_gets_is_not_said() -> None:
    functions = "void of(double *x, int *p, int at) { int k = p[at]; for (int i = 0; i < k; i++) x[i] = 1; }\n"
    text = RUN + functions + MAIN.format("int d[2] = {5, 60}; for (int i = 0; i < 2; i++) { d[i] = 9; of(x, d, i); }")
    assert size_of(nests(report({"a.c": text}, "a.c"))["of"], "k")[:2] == (1024, "default")


def test_an_element_that_no_caller_is_known_to_keep_is_open() -> None:
    functions = "int two(int *p) { int k = 64; if (p[0] > 0) k = p[1]; return k; }\n"
    value, _, text = passed(functions, "extern int *of(void); run(x, two(of()));")
    assert value == 64
    assert "may change it" in text


def test_elements_that_are_counted() -> None:
    body = "int d[2]; for (int i = 0; i < 2; i++) d[i] = 3; for (int i = 0; i < argc; i++) d[i % 2]++; run(x, d[1]);"
    assert passed("", body)[:2] == (1024, "default")


@pytest.mark.parametrize("zeros", ["d", "&d[0]", "s.d", "handed"])
def test_one_process_along_each_dimension_is_assumed(zeros: str) -> None:
    functions = "struct s { int d[2]; };\nvoid divide(int n, int *p) { MPI_Dims_create(n, 2, p); }\n"
    read = "s.d" if zeros == "s.d" else "d"
    call = "divide(size, d)" if zeros == "handed" else f"MPI_Dims_create(size, 2, {zeros})"
    body = f"int size; struct s s = {{0, 0}}; int d[2] = {{0, 0}}; MPI_Comm_size(0, &size); {call};"
    value, origin, text = passed(functions, f"{body} run(x, 4096 / {read}[1]);")
    assert (value, origin) == (4096, "program")
    assert "one process is assumed" in text


def test_how_a_program_says_that_several_processes_lie_is_open() -> None:
    value, origin, text = passed("", "int d[2] = {0, 0}; MPI_Dims_create(4, 2, d); run(x, d[0]);")
    assert (value, origin) == (1024, "default")
    assert "`MPI_Dims_create` sets it" in text
