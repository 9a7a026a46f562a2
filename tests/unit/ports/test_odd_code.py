"""Code at which ports once computed something else or did not compile: what is written now, or why nothing is."""

import re
from collections.abc import Sequence

import pytest
from conftest import AnalyseC
from support.fix_fixtures.contexts import contexts
from support.fix_fixtures.unbroken import unbroken
from warplens.analysis.ports.catalogue import FIXES
from warplens.analysis.ports.fix import AS_PREDICTED, FixEdits, LaunchWish, applied

RULES = {rule.code: rule for rule in FIXES}


def edits(source: str, code: str, analyse_c: AnalyseC, nest: int = 0) -> FixEdits:
    """What a fix of one of the nests comes to, its refusal included."""
    context = list(contexts(source, analyse_c(source)))[nest]
    (offer,) = RULES[code].offer(context)
    return FixEdits(refusal=offer.refusal) if offer.refusal else RULES[code].edit(context, offer, AS_PREDICTED)


def text(source: str, code: str, analyse_c: AnalyseC, nest: int = 0) -> str:
    """The text of the port."""
    made = edits(source, code, analyse_c, nest)
    assert not made.refusal
    return made.new_files[0].text if made.new_files else unbroken(applied(source, made))


def directives(source: str, code: str, analyse_c: AnalyseC, nest: int = 0) -> list[str]:
    """The lines that a port adds."""
    before = source.splitlines()
    return [line.strip() for line in text(source, code, analyse_c, nest).splitlines() if line not in before]


REPEATED = """
#include <stdlib.h>
int more(void);
void filter(int n, const double *restrict in, double *restrict out)
{
    %s
    int t = 0;
    %s
        %s
        for (int i = 0; i < n; i++) {
            out[i] += t > 0 ? before[i] : 0;
            before[i] = in[i] + out[i];
        }
    %s
    %s
}
"""
FREE = "free(before);"
MALLOC = "double *before = malloc(n * sizeof *before);"


@pytest.mark.parametrize(
    ("memory", "start", "inner", "end", "after", "is_thrown_away"),
    [
        (MALLOC, "{", "", "}", FREE, True),
        ("double before[n];", "{", "", "}", "", True),
        ("double *before = calloc(n, sizeof *before);", "{", "", "}", FREE, False),
        (MALLOC, "while (more()) {", "", "}", FREE, False),
        ("double before[n];", "do {", "", "} while (more());", "", False),
        (MALLOC, "again: {", "", "} if (more()) goto again;", FREE, False),
        ("", "while (more()) {", "double before[n];", "}", "", True),
        ("", "while (more()) {", MALLOC, f"{FREE} }}", "", True),
        ("double before[n]; if (more()) goto end;", "{", "", "}", "end: return;", True),
    ],
    ids=["malloc", "array", "calloc", "while", "do", "goto", "array of a round", "malloc of a round", "goto forward"],
)
@pytest.mark.parametrize(("code", "clause"), [("openmp", "map(alloc: {})"), ("openacc", "create({})")])
def test_memory_that_the_next_round_needs_is_copied(
    memory: str, start: str, inner: str, end: str, after: str, is_thrown_away: bool, code: str, clause: str, analyse_c
) -> None:
    source = REPEATED % (memory, start, inner, end, after)
    name = "before[0:n]" if "malloc" in source.partition("int t")[2] + memory or "calloc" in memory else "before"
    lines = directives(source, code, analyse_c)
    assert any(clause.format(name) in line for line in lines) == is_thrown_away, lines
    assert any("before" in line for line in lines), lines


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("g[1] += g[2] * x[i];", ""),
        ("if (x[i] > g[0]) g[0] = x[i] + 0 * g[1];", "parallel"),
        ("g[0] *= g[1] + x[i];", ""),
        ("g[0] = g[0] > x[i] + g[3] ? g[0] : x[i] + g[3];", "is used besides what the loop adds up in `g`"),
    ],
)
def test_what_a_loop_reads_besides_is_no_array_reduction(body: str, reason: str, analyse_c) -> None:
    source = (
        "void f(int n, double g[restrict 8], const int *restrict k, const double *restrict x)\n"
        f"{{\nfor (int i = 0; i < n; i++)\n{body}\n}}\n"
    )
    context = next(contexts(source, analyse_c(source)))
    offers = RULES["openmp"].offer(context)
    if reason:
        assert not offers or reason in offers[0].refusal
        return
    lines = directives(source, "openmp", analyse_c)
    assert not any("reduction(" in line for line in lines)
    assert "#pragma omp atomic" in lines


@pytest.mark.parametrize("code", ["openmp", "openacc"])
def test_no_element_becomes_a_truth_value(code: str, analyse_c) -> None:
    for target in ("flags[1]", "*flags"):
        loop = f"for (int i = 0; i < n; i++) {target} = {target} && x[i] > 0;"
        source = f"void f(int n, {{}} *flags, const int *restrict x) {{{{ {loop} }}}}"
        assert "neither 0 nor 1 before the loop" in edits(source.format("int"), code, analyse_c).refusal
    made = edits(source.format("_Bool"), "openmp", analyse_c)
    assert not made.refusal


@pytest.mark.parametrize("code", ["openmp", "openacc"])
def test_an_iterator_that_its_header_declares_is_not_private(code: str, analyse_c) -> None:
    sweep = (
        "for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < n; j++) s += a[i * n + j] * %s[j]; "
        "%s[i] = s; }"
    )
    source = (
        "void power(int n, int steps, const double *restrict a, double *restrict x, double *restrict y)\n{\n"
        f"for (int t = 0; t < steps; t++) {{\n{sweep % ('x', 'y')}\n{sweep % ('y', 'x')}\n}}\n}}\n"
    )
    lines = directives(source, code, analyse_c)
    assert len([line for line in lines if "private" in line]) == 0, lines


@pytest.mark.parametrize("code", ["openmp", "openacc"])
def test_no_region_of_data_is_left_by_a_jump(code: str, analyse_c) -> None:
    source = (
        "int pick(const double dist[12], double roll)\n{\nfor (int i = 0; i < 12; i++) {\ndouble running = 0;\n"
        "for (int j = i; j > 0; j--)\nrunning += dist[j];\nif (roll < running)\n%s;\n}\nout: return 0;\n}\n"
    )
    for jump, kind in (("return i", "return"), ("goto out", "goto")):
        assert f"`{kind}` leaves the loop over `i`" in edits(source % jump, code, analyse_c).refusal
    assert not edits(source % "break", code, analyse_c).refusal


@pytest.mark.parametrize("code", ["openmp", "openacc"])
def test_no_data_directive_says_nothing(code: str, analyse_c) -> None:
    source = (
        "void ramp(int n, int k, float *restrict y)\n{\nfor (int i = 1; i < n; i++) {\nfloat s = 0;\n"
        "for (int l = 0; l < k; l++)\ns += 2.0f * l;\ny[i] = y[i - 1] + s;\n}\n}\n"
    )
    lines = directives(source, code, analyse_c)
    assert lines
    assert not [line for line in lines if re.match(r"#pragma (omp target|acc) data", line)], lines


def test_cached_sections_are_contiguous(analyse_c) -> None:
    source = (
        "#define N 20\nvoid adi(double v[restrict N][N], double q[restrict N][N])\n{\n"
        "for (int i = 1; i < N - 1; i++) {\nq[i][0] = 1;\nfor (int j = 1; j < N - 1; j++) {\n"
        "q[i][j] = v[i - 1][j] + v[i][j] - v[i + 1][j] - q[i][j - 1];\n}\n}\n}\n"
    )
    (context,) = contexts(source, analyse_c(source))
    (offer,) = RULES["openacc"].offer(context)
    made = RULES["openacc"].edit(context, offer, LaunchWish(shared=("v",)))
    assert not made.refusal
    lines = unbroken(applied(source, made)).splitlines()
    (cache,) = [line.strip() for line in lines if "cache" in line]
    assert cache == "#pragma acc cache(v[i-1][j], v[i][j], v[i+1][j])"


@pytest.mark.parametrize(
    ("i", "j", "guard"),
    [("1", "1", "if (n > 2 && m > 2)"), ("1", "0", None), ("0", "0", None), ("2", "1", "if (n > 3 && m > 2)")],
)
def test_loops_that_may_have_less_than_no_iteration_are_joined_under_a_condition(
    i: str, j: str, guard, analyse_c
) -> None:
    source = (
        "void scale(int n, int m, double *restrict z)\n{\n"
        f"for (int i = {i}; i < n - {min(int(i), 1)}; i++)\nfor (int j = {j}; j < m - {min(int(j), 1)}; j++)\n"
        "z[i * m + j] /= 2;\n}\n"
    )
    lines = directives(source, "openacc", analyse_c)
    assert [line for line in lines if line.startswith("if")] == ([guard] if guard else [])
    behind = source.replace("z[i * m + j] /= 2;", "z[i * m + j] /= 2;\nelse\nz[0] = 1;").replace(
        "{\nfor", "{\nif (m != 7)\nfor"
    )
    kept = directives(behind, "openacc", analyse_c)
    assert not [line for line in kept if line.startswith("if")], "an `else` would be taken from the `if` before"
    assert bool([line for line in kept if "collapse" in line or "tile" in line]) == (guard is None)


@pytest.mark.parametrize("code", ["openmp", "openacc"])
def test_conditions_have_room_for_their_products(code: str, analyse_c) -> None:
    source = (
        "double f(int n, const double *restrict a)\n{\ndouble s = 0;\n"
        "for (long i = 0; i < (long)n * n; i++)\ns += a[i];\nreturn s;\n}\n"
    )
    (line,) = directives(source, code, analyse_c)
    assert line.endswith("(long)n*n > 0)")


@pytest.mark.parametrize("code", ["openmp", "openacc", "cuda"])
def test_no_kernel_starts_in_a_function_of_a_kernel(code: str, analyse_c) -> None:
    third = "static float third(float v) { float s = 0; for (int q = 0; q < 3; q++) s += v * q; return s; }\n"
    through = "static float through(float v) { return third(v); }\n"
    loop = "for (int i = 0; i < n; i++)\nx[i] = through(x[i]);"
    source = f"{third}{through}void all(int n, float *restrict x)\n{{\n%s\n{loop}\n}}\n"
    kernel = {"openacc": "#pragma acc parallel loop copy(x[0:n])"}.get(
        code, "#pragma omp target teams loop map(x[0:n])"
    )
    assert "a kernel of this file calls `third`" in edits(source % kernel, code, analyse_c).refusal
    assert not edits(source % "", code, analyse_c).refusal


@pytest.mark.parametrize(
    ("around", "above", "reason"),
    [
        ("#pragma omp parallel\n{%s}", "#pragma omp for", "stands inside of `#pragma omp parallel`"),
        ("{%s}", "#pragma omp for", "`#pragma omp for` shares out the loop over `i`"),
        ("#pragma omp target data map(x[0:n])\n{%s}", "", "the host's data may be older there"),
        ("{%s}", "#pragma omp parallel for", ""),
    ],
)
def test_a_call_stands_where_one_thread_runs(around: str, above: str, reason: str, analyse_c) -> None:
    loop = f"\n{above}\nfor (int i = 0; i < n; i++)\nx[i] += 1;\n"
    made = edits(f"void grow(int n, float *restrict x)\n{{\n{around % loop}\n}}\n", "cuda", analyse_c)
    assert reason in made.refusal
    assert bool(reason) == bool(made.refusal)


ABOVE = "and the directives above it, from line 3"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (
            "for (int i = 0; i < n; i++) x[i] = 1; y[0] = 2;",
            "`for (int i = 0; i < n; i++) x[i] = 1;` (from 3:1 to 3:37)",
        ),
        ("#pragma GCC unroll 4\nfor (int i = 0; i < n; i++)\nx[i] += 1;", f"lines 4 to 5 {ABOVE}"),
        ("#pragma omp parallel for \\\n if (n > 9)\nfor (int i = 0; i < n; i++) x[i] += 1; // all", f"line 5 {ABOVE}"),
        (
            "#ifdef _OPENMP\n#pragma omp parallel for\n#endif\nfor (int i = 0; i < n; i++) x[i] = 1;",
            f"line 6 {ABOVE}",
        ),
        ("#if 1\ny[0] = 2;\n#endif\nfor (int i = 0; i < n; i++) x[i] = 1;", "line 6"),
        ("for (int i = 0; i < n; i++)\nx[i] += 1;", "lines 3 to 4"),
    ],
)
def test_the_place_of_a_call_is_all_that_goes(body: str, place: str, analyse_c) -> None:
    source = f"static double x[100], y[100];\nvoid f(int n) {{\n{body}\n}}\n"
    said = " ".join(text(source, "cuda", analyse_c).replace("\n *", "").partition("*/")[0].split())
    assert f"in place of main.c, {place}." in said


def test_a_block_is_launched_as_it_was_planned(analyse_c) -> None:
    source = (
        "static float xg[16];\nfloat sum(void)\n{\nfloat r = 2;\nfor (int ib = 0; ib < 16; ib += 16)\n"
        "for (int i = ib; i < ib + 16; i++)\nr += xg[i];\nreturn r;\n}\n"
    )
    made = text(source, "cuda", analyse_c)
    threads = re.findall(r"__launch_bounds__\((\d+)\)", made)[0]
    block = re.search(r"const dim3 block\(([\d, ]+)\);", made)
    assert block is not None
    product = 1
    for extent in block[1].split(","):
        product *= int(extent)
    assert product == int(threads)


CONDITIONAL = "for (int j = %s; j < %s; j++)\nif (%s > 0)\n%s = z[j];\n"


@pytest.mark.parametrize(
    ("parameters", "loop"),
    [
        ("int n, int m, int i, float w[restrict n][m]", CONDITIONAL % ("0", "m", "w[i][j]", "w[i][j]")),
        ("int n, float w[restrict 100]", CONDITIONAL % ("10", "n", "w[j]", "w[j]")),
    ],
)
def test_cuda_copies_back_what_it_sent(parameters: str, loop: str, analyse_c) -> None:
    source = f"void part({parameters}, const float *restrict z)\n{{\n{loop}}}\n"
    made = text(source, "cuda", analyse_c)
    sent, back = (
        re.findall(rf"cudaMemcpy\((?:d_)?w(.*?), (?:d_)?w(.*?), (.*?), cudaMemcpy{way}\)", made)
        for way in ("HostToDevice", "DeviceToHost")
    )
    assert sent == back != []


def test_a_local_array_of_a_host_loop_is_on_the_device(analyse_c) -> None:
    source = (
        "void smooth(int n, float *restrict y)\n{\nfor (int t = 1; t < n; t++) {\nfloat buf[64];\n"
        "for (int q = 0; q < 64; q++)\nbuf[q] = y[q] * t;\nfor (int q = 0; q < 64; q++)\ny[q] += buf[63 - q];\n}\n}\n"
    )
    made = text(source, "cuda", analyse_c)
    assert "CHECK(cudaMalloc(&d_buf, 64 * sizeof(float)));" in made
    assert not re.search(r"cudaMemcpy\([^;]*\bbuf\b", made)


def test_a_kernel_without_parameters_is_one(analyse_c) -> None:
    source = "static float flag;\nvoid dead(void)\n{\nfor (int i = 0; i < 15; i++)\nif ((int)0.5 & 1)\nflag = 1;\n}\n"
    made = text(source, "cuda", analyse_c)
    assert re.search(r"^dead_kernel\(\)$", made, re.MULTILINE)


def test_sums_in_another_order_are_said_in_every_language(analyse_c) -> None:
    source = (
        "void bins(int n, float g[restrict 8], const int *restrict k, const double *restrict x)\n{\n"
        "for (int i = 0; i < n; i++)\ng[k[i] & 7] += x[i];\n}\n"
    )
    for code in ("openmp", "openacc", "cuda"):
        said: Sequence[str] = edits(source, code, analyse_c).rests_on
        assert any("Elements of `g` are combined in an order of the threads" in sentence for sentence in said)
        assert any("rounded to `float`" in sentence for sentence in said) == (code == "cuda")
    comment = " ".join(text(source, "cuda", analyse_c).replace("\n *", "").partition("*/")[0].split())
    assert "The result rests on: - Elements of `g` are combined in an order of the threads" in comment


@pytest.mark.parametrize("code", ["openmp", "openacc", "cuda"])
def test_nan_zeros_and_errno_are_said_in_every_language(code: str, analyse_c) -> None:
    source = (
        "#include <math.h>\n%sdouble f(int n, double *restrict y, const double *restrict x)\n{\ndouble m = x[0];\n"
        "for (int i = 0; i < n; i++) {\ny[i] = sqrt(x[i]);\nif (x[i] > m)\nm = x[i];\n}\nreturn m;\n}\n"
    )
    said = " ".join(
        edits(source % "#include <errno.h>\nint last(void) { return errno; }\n", code, analyse_c, 0).rests_on
    )
    for part in ("no value is assumed to be NaN", "a zero of either sign", "Nothing on a device sets `errno`"):
        assert part in said
    assert "errno" not in " ".join(edits(source % "", code, analyse_c).rests_on)


def test_no_launch_is_written_for_a_guess(analyse_c) -> None:
    source = "void f(int n, double *restrict y) {\nfor (int i = 0; i < n; i++)\ny[i] *= 2;\n}\n"
    (openmp,), (openacc,) = (directives(source, code, analyse_c) for code in ("openmp", "openacc"))
    cuda = re.findall(r"const dim3 block\((\d+)\);", text(source, "cuda", analyse_c))
    written = {*re.findall(r"thread_limit\((\d+)\)", openmp), *re.findall(r"vector_length\((\d+)\)", openacc), *cuda}
    assert written <= {"128", "256"}


def test_kernels_of_a_region_name_sections_that_start_elsewhere(analyse_c) -> None:
    """A pointer that no clause names leads to its first element on the device, which is not there."""
    source = (
        "void f(int n, double *restrict x, double *restrict y)\n{\nfor (int t = 0; t < 3; t++) {\n"
        "for (int q = 1; q < n - 1; q++)\nx[q] = y[q - 1] + t;\nfor (int q = 1; q < n - 1; q++)\ny[q] = x[q];\n}\n}\n"
    )
    region, *kernels = directives(source, "openmp", analyse_c)
    assert "map(from: x[1:n-2]) map(tofrom: y[0:n-1])" in region
    assert all("map(alloc: x[1:n-2])" in kernel and "y[" not in kernel for kernel in kernels)


def test_a_pointer_s_value_is_not_stored_on_the_device(analyse_c) -> None:
    source = "void f(double **r, double *out)\n{\nfor (int i = 0; i < 4; i++)\nr[i] = out + 16 * (3 - i);\n}\n"
    for code in ("openmp", "openacc", "cuda"):
        assert "`r` is an array of pointers" in edits(source, code, analyse_c).refusal


@pytest.mark.parametrize("code", ["openmp", "openacc", "cuda"])
@pytest.mark.parametrize("team", ["omp parallel for", "omp task", "omp target teams distribute"])
def test_no_kernel_is_started_by_many_threads(team: str, code: str, analyse_c) -> None:
    source = (
        "static void line(int n, const double *restrict p, double *restrict y)\n"
        "{\nfor (int j = 0; j < n; j++)\ny[j] += p[j];\n}\n"
        f"void all(int k, double *a, double *c)\n{{\n#pragma {team}\nfor (int i = 0; i < k; i++)\n"
        "line(8, a + i, c + i * 8);\n}\n"
    )
    assert (
        "calls `line`" in edits(source, code, analyse_c).refusal
        or "call `line`" in edits(source, code, analyse_c).refusal
    )


def test_the_host_does_not_write_by_another_name_between_kernels(analyse_c) -> None:
    source = (
        "static double a[64], b[64];\nstatic void use(int n, int steps, double *edge)\n{\n"
        "for (int t = 0; t < steps; t++) {\n"
        "*edge = t;\nfor (int i = 1; i < n - 1; i++)\nb[i] = a[i - 1] + a[i + 1];\n"
        "for (int i = 1; i < n - 1; i++)\na[i] = b[i] * 0.5;\n}\n}\nvoid all(double *other) { use(64, 5, %s); }\n"
    )
    for code in ("openmp", "openacc"):
        assert "passes `a` for `edge` and `a`: they overlap there" in edits(source % "a", code, analyse_c).refusal


@pytest.mark.parametrize(
    ("read", "call", "is_refused"),
    [
        ("z[i]", "add(n, w, w + n)", False),
        ("z[i]", "add(n, w, w + n - 1)", True),
        ("z[i]", "add(3, w, w + 3)", False),
        ("z[i - 2]", "add(n, w, w + n)", True),
        ("z[i - 2]", "add(n, w, w + n + 2)", False),
        ("z[i + 2]", "add(n, w + n, w)", True),
        ("z[i]", "add(n, w, w + m)", True),
    ],
)
def test_parts_of_one_buffer_are_apart_where_all_that_is_touched_is(
    read: str, call: str, is_refused: bool, analyse_c
) -> None:
    source = (
        f"static void add(int n, double *y, double *z)\n{{\nfor (int i = 0; i < n; i++)\ny[i] = {read} + 1;\n}}\n"
        f"void all(int n, int m, double *w) {{ {call}; }}\n"
    )
    made = edits(source, "cuda", analyse_c)
    assert ("`all` passes" in made.refusal) == is_refused
