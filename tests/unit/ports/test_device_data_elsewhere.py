"""A directive's condition may leave a loop to the host only where the host's data is up to date."""

import pytest
from support.openacc_ports import insertion as openacc
from support.openmp_ports import insertion as openmp

SUMS = "for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) s += x[i * m + j]; y[i] = s; }"
COPY = "for (int i = 0; i < n; i++) y[i] = x[i];"
ELSEWHERE = {
    "enter data": "void enter(int n, double *x) {\n#pragma omp target enter data map(to: x[0:n])\n}",
    "declare target": "#pragma omp declare target\ndouble kept[9];\n#pragma omp end declare target",
    "operator": 'void enter(int n, double *x) {\n_Pragma("omp target enter data map(to: x[0:n])")\n}',
    "region with a call": (
        "void work(int, int, double *restrict, const double *restrict);\n"
        "void run(int n, int m, double *y, double *x) {\n#pragma omp target data map(y[0:n])\nwork(n, m, y, x);\n}"
    ),
    "region of OpenACC with a call": (
        "void work(int, int, double *restrict, const double *restrict);\n"
        "void run(int n, int m, double *y, double *x) {\n#pragma acc data copy(y[0:n])\n{ work(n, m, y, x); }\n}"
    ),
    "acc declare": "double kept[9];\n#pragma acc declare create(kept)",
}
HARMLESS = {
    "region without a call": (
        "void scale(int n, double *y) {\n#pragma omp target data map(y[0:n])\nfor (int t = 0; t < 9; t++)\n"
        "#pragma omp target teams distribute parallel for\nfor (int i = 0; i < n; i++) y[i] *= 2;\n}"
    ),
    "region with a call of sqrt": (
        "#include <math.h>\nvoid roots(int n, double *y) {\n#pragma omp target data map(y[0:n])\n"
        "for (int t = 0; t < 9; t++)\nfor (int i = 0; i < n; i++) y[i] = sqrt(y[i]);\n}"
    ),
}


def refusal(language, elsewhere: str, loop: str, analyse_c) -> str:
    """Why the loop of `work` has no port behind what stands elsewhere in the file."""
    work = f"void work(int n, int m, double *restrict y, const double *restrict x) {{\n{loop}\n}}"
    source = f"{elsewhere}\n{work}\n"
    _, ports = language.ported_text(source, analyse_c(source))
    (port,) = ports
    return port.refusal


@pytest.mark.parametrize("language", [openmp, openacc], ids=["openmp", "openacc"])
@pytest.mark.parametrize("elsewhere", ELSEWHERE.values(), ids=ELSEWHERE)
def test_work_is_not_left_to_a_host_whose_data_is_old(language, elsewhere: str, analyse_c) -> None:
    """With m = 0 there is no x to map, but all of y is set."""
    for loop in (SUMS, COPY):
        said = refusal(language, elsewhere, loop, analyse_c)
        assert (
            "may keep its data on the device, where a directive copies nothing" in said
            or "must run on the host" in said
        )


@pytest.mark.parametrize("language", [openmp, openacc], ids=["openmp", "openacc"])
@pytest.mark.parametrize("elsewhere", HARMLESS.values(), ids=HARMLESS)
def test_other_loops_keep_no_data_on_the_device(language, elsewhere: str, analyse_c) -> None:
    assert refusal(language, elsewhere, SUMS, analyse_c) == ""


@pytest.mark.parametrize("language", [openmp, openacc], ids=["openmp", "openacc"])
def test_the_region_that_a_port_has_written_is_its_own(language, analyse_c) -> None:
    source = (
        "static double half(double v) { return v / 2; }\n"
        "void work(int n, int m, int s, double *restrict y, double *restrict x,\n"
        "const double *restrict z) {\nfor (int t = 0; t < s; t++) {\n"
        "for (int i = 0; i < n; i++) {\ndouble a = 0;\n"
        "for (int j = 0; j < m; j++) a += z[j] * x[i];\ny[i] = half(a); }\n"
        "for (int i = 0; i < n; i++) {\nx[i] += y[i]; }\n} }\n"
    )
    once, _ = language.ported_text(source, analyse_c(source))
    assert "m > 0" in once
    again, ports = language.ported_text(once, analyse_c(once))
    assert again == once
    assert [port.refusal for port in ports] == ["the directives are there already as they would be written"]


def test_region_around_the_loop(analyse_c) -> None:
    region = "#pragma omp target data map(to: x[0:n*m]) map(from: y[0:n])\n"
    said = refusal(openmp, "", f"{region}{{ {SUMS} }}", analyse_c)
    assert said == "the loop stands inside of `omp target data`, and must run on the host unless `m > 0`"
    assert refusal(openmp, "", f"{region}{{ {COPY} }}", analyse_c) == ""


def test_region_that_an_operator_opens(analyse_c) -> None:
    said = refusal(openmp, "", f'_Pragma("omp parallel")\n{{ {COPY} }}', analyse_c)
    assert said == "the loop stands inside of `#pragma omp parallel`"


_COPIES_NOTHING = "on the host, inside of `#pragma omp target data`, where a directive copies nothing"
_STEP = "#pragma omp target teams distribute parallel for\nfor (int i = 0; i < n; i++) a[i] += 1;\n"


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("*p = 1;", "uses what `p` leads to, which may be `a`,"),
        ("*(p + 2) = *p;", "uses what `p` leads to, which may be `a`,"),
        ("((char *)p)[8] = 1;", "uses what `p` leads to, which may be `a`,"),
        ("(p + n)[-1] -= 1;", "uses what `p` leads to, which may be `a`,"),
        ("if (n) --*p;", "uses what `p` leads to, which may be `a`,"),
        ("*p++ = 1;", "uses what `p` leads to, which may be `a`,"),
        ("(*p)++;", "uses what `p` leads to, which may be `a`,"),
        ("(*rows)[2] = 1;", "uses what `rows` leads to, which may be `a`,"),
        ("s->p[2] += 1;", "uses what `s` leads to, which may be `a`,"),
        ("++a[1];", "uses `a`"),
        ("p = a;", "uses `a`"),
        ("set(p);", "calls `set`, which may use `a`"),
        ("double kept = a[1] * 2 + *p;", ""),
        ("own[1] = own[0] * *p;", ""),
        ("z[1] += 1;", ""),
        ("n = (n + 1) * n;", ""),
        ("if (*p > (p[1] + 2) * n) n = 1;", ""),
        ("for (int i = 0; i < n; i++) z[i] = 2 * a[i];", ""),
    ],
)
def test_what_the_host_does_in_a_region(host: str, said: str, analyse_c) -> None:
    """The kernel that is asked for reads `a`: the host may only read it, by whatever name."""
    source = (
        "struct s { double *p; };\nvoid set(double *);\n"
        "void work(int n, double *a, double *b, double *z, double *p, double **rows, struct s *s) {\n"
        "double own[4] = {0};\n#pragma omp target data map(tofrom: a[0:n]) map(from: z[0:n])\n{\n"
        f"{_STEP}{host}\nfor (int i = 0; i < n; i++) b[i] = a[i] * 2;\n}}\n}}\n"
    )
    _, ports = openmp.ported_text(source, analyse_c(source))
    line = source.count("\n", 0, source.index(host)) + 1
    assert ports[-1].refusal == (f"line {line} {said} {_COPIES_NOTHING}" if said else "")
