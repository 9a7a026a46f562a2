"""What the file says: names, comment, how C calls it, what is copied, what runs on the host."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.fix_fixtures.contexts import contexts
from warplens.analysis.ports.cuda.port import CudaFile, cuda_port
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish

STENCIL = """
/* One step. */
static void step(int n, const double *restrict old, double *restrict new)
{
    // inner points
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            new[i * n + j] = 0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j]
                                     + old[i * n + j - 1] + old[i * n + j + 1]);
}
"""
TWO_NESTS = """
double both(int n, int m, double scale, double a[n][m], const double *x)
{
    double sum = 0.5;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] *= scale;
    for (int i = 0; i < n; i++) sum += x[i]; for (int i = 0; i < n; i++) a[i][0] = x[i];
    return sum;
}
"""
STRUCTURES = """
struct body { float x, v; _Bool fixed; };
struct system { int first; struct body *bodies; };
void move(int n, struct system *s, float dt)
{
    for (int i = 0; i < n; i++)
        if (!s->bodies[i].fixed)
            s->bodies[i].x += dt * s->bodies[i].v;
}
"""
TIME_LOOP = """
#define N 64
static double a[N][N], b[N][N];
int relax(int steps, double tolerance)
{
    double change = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        change = 0;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                change += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]);
        if (change < tolerance)
            break;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = b[i][j];
    }
    return change < tolerance;
}
"""
ROWS = """
void scale(int n, int m, int pitch, float *c, int unused, const char *name)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[i * pitch + j] *= 2;
}
"""
FILTERED = "void f(int n, int *restrict y, const int *restrict x) { for (int i = 0; i < n; i++) if (x[i]) y[i] = i; }"
MACRO = """
#define EACH(i, n) for (int i = 0; i < n; i++)
void fill(int n, double *x)
{
    EACH(i, n)
        x[i] = i;
}
"""

BELOW_ZERO = "void below(int n, double *y) { for (int i = -6; i < n; i++) y[i + 6] = i; }"


def ported(source: str, analyse_c, name: str = "main.c", wish: LaunchWish = AS_PREDICTED) -> list[CudaFile]:
    every = contexts(source, analyse_c(source), name)
    return [cuda_port(context, wish) for context in every if context.evaluation.kernels]


def test_a_function_that_is_the_nest_keeps_its_signature(analyse_c) -> None:
    (file,) = ported(STENCIL, analyse_c, "heat.2d.c", LaunchWish((32, 8, 1), (1, 1, 1), ()))
    assert (file.name, file.symbol, file.replaces_body) == ("heat.2d_step.cu", "heat_2d_step_cuda", True)
    assert file.prototype == "void heat_2d_step_cuda(int n, const double *restrict old, double *restrict new);"
    assert file.call == "heat_2d_step_cuda(n, old, new);"
    assert 'extern "C" void heat_2d_step_cuda(int n, const double *old, double *new_)' in file.text
    comment, _, code = file.text.partition("*/")
    for said in (
        "the body of `step` (heat.2d.c, lines 6 to 9)",
        "block 32x8 as asked for; occupancy 100%",
        "bound by memory bandwidth",
        "in place of `step(n, old, new);`",
        "nvcc -O3 -arch=sm_80 -c heat.2d_step.cu",
    ):
        assert said in " ".join(comment.replace(" * ", " ").split()), comment
    # Only what the loops touch is copied: not the corners of `old`, nor the border of `new`.
    assert "const long old_end = (long)n * n - 1;" in code
    assert "cudaMemcpy(d_old + 1, old + 1, (old_end - 1) * sizeof(double), cudaMemcpyHostToDevice)" in code
    assert "cudaMemcpy(old" not in code
    assert "const long new_first = (long)n + 1;" in code
    assert code.index("if (n < 3)\n        return;") < code.index("cudaMalloc")
    assert code.count("cudaMalloc(") == code.count("cudaFree(") == 2


@pytest.mark.parametrize(
    ("source", "symbol"),
    [
        ("void set(int n, float *x) { LOOP }", "set_cuda"),
        ("static void set(int n, float *x) { LOOP }", "part_set_cuda"),
        ("static __attribute__((noinline)) void set(int n, float *x) { LOOP }", "part_set_cuda"),
        ("static void set(int n, float *x); void set(int n, float *x) { LOOP }", "part_set_cuda"),
        ("static int other(void) { return 1; } void set(int n, float *x) { LOOP }", "set_cuda"),
        ("static int all; void set(int n, float *x) { LOOP }", "set_cuda"),
        ("/* static */ void set(int n, float *x) { LOOP }", "set_cuda"),
    ],
)
def test_functions_that_other_files_may_have_too_get_the_files_name(analyse_c, source: str, symbol: str) -> None:
    loop = "for (int i = 0; i < n; i++) x[i] = i;"
    (file,) = ported(source.replace("LOOP", loop), analyse_c, "part.c")
    assert file.symbol == symbol
    assert f'extern "C" void {symbol}(' in file.text


def test_nests_of_one_function_have_files_of_their_own(analyse_c) -> None:
    files = ported(TWO_NESTS, analyse_c)
    assert [file.name for file in files] == ["main_both_nest1.cu", "main_both_nest2.cu", "main_both_nest3.cu"]
    scaled, summed, column = files
    assert scaled.call == "both_nest1_cuda(n, m, scale, &a[0][0]);"
    assert summed.prototype == "void both_nest2_cuda(int n, const double *x, double *sum_ptr);"
    assert summed.call == "both_nest2_cuda(n, x, &sum);"
    assert "double sum = *sum_ptr;" in summed.text
    assert "*sum_ptr = sum;" in summed.text
    assert "(main.c, `for (int i = 0; i < n; i++) a[i][0] = x[ ...` (from 8:46 to" in column.text
    assert not any(file.replaces_body for file in files)


def test_structures_are_passed_by_their_members(analyse_c) -> None:
    (file,) = ported(STRUCTURES, analyse_c)
    assert file.prototype == "void move_cuda(int n, float dt, struct body *s_bodies);"
    assert file.call == "move_cuda(n, dt, s->bodies);"
    assert 'static_assert(sizeof(struct body) == 12, "laid out as in C");' in file.text
    assert "all the elements that the loops' bounds lead to" not in file.text, "the condition reads each element"


def test_a_vector_of_cuda_is_no_structure_of_the_program(analyse_c) -> None:
    loop = "{ for (int i = 0; i < n; i++) v[i].x *= v[i].w; }"
    (file,) = ported(f"typedef struct {{ float x, y, z, w; }} float4;\nvoid scale(int n, float4 *v) {loop}", analyse_c)
    assert "\nstruct float4_ {" in file.text
    assert file.prototype == "void scale_cuda(int n, float4 *v);"


def test_only_the_end_of_the_name_tells_the_port_from_the_function(analyse_c) -> None:
    (file,) = ported("void to_cuda_array(int n, float *v) { for (int i = 0; i < n; i++) v[i] += 1; }", analyse_c)
    assert "and `to_cuda_array_cuda(n, v);` in place of `to_cuda_array(n, v);`." in file.text


def test_kernels_run_inside_of_the_loop_over_time(analyse_c) -> None:
    (file,) = ported(TIME_LOOP, analyse_c)
    assert [kernel.name for kernel in file.kernels] == ["relax_kernel1", "relax_kernel2", "relax_kernel3"]
    code = file.text.partition('extern "C"')[2]
    order = ["for (int t = 0; t < steps; ++t) {", "relax_kernel1<<<", "change = 0.0;", "relax_kernel2<<<",
             "if (change < tolerance) {", "break;", "relax_kernel3<<<", "*change_ptr = change;"]  # fmt: skip
    places = [code.index(text) for text in order]
    assert places == sorted(places)
    assert code.index("cudaMalloc") < places[0], "arrays stay on the device"
    assert code.rindex("cudaMemcpyHostToDevice") < places[3], "nothing but the sum moves in the loop"


def test_rows_that_overlap_end_the_program(analyse_c) -> None:
    (file,) = ported(ROWS, analyse_c)
    assert file.replaces_body
    assert 'require(m <= pitch, "m <= pitch");' in file.text
    assert "(void)unused;" in file.text
    assert file.prototype == "void scale_cuda(int n, int m, int pitch, float *c, int unused, const char *name);"


def test_what_a_condition_skips_is_taken_to_be_there(analyse_c) -> None:
    (file,) = ported(FILTERED, analyse_c)
    assert "`y` has all the elements that the loops' bounds lead to" in file.text


def test_a_declared_length_is_taken_to_be_there(analyse_c) -> None:
    body = "for (int i = 0; i < n; i++) y[i] = t[k[i]];"
    (file,) = ported(f"void look(int n, int *restrict y, const int t[256], const int *k) {{ {body} }}", analyse_c)
    assert "`t` has all the elements that the declaration gives" in file.text
    assert "256 * sizeof(int), cudaMemcpyHostToDevice" in file.text


def test_a_loop_from_a_macro_is_ported(analyse_c) -> None:
    (file,) = ported(MACRO, analyse_c)
    assert (file.name, file.replaces_body) == ("main_fill.cu", False)
    assert "main.c, line" in file.text


def test_twice_is_the_same(analyse_c) -> None:
    assert ported(TIME_LOOP, analyse_c) == ported(TIME_LOOP, analyse_c)


def test_files_of_one_program_share_no_name_but_what_c_calls(analyse_c) -> None:
    (file,) = ported(TIME_LOOP, analyse_c)
    assert file.text.count("static __global__") == 4
    assert file.text.count("static __device__") == 1
    assert not re.search(r"^(__global__|__device__|void)", file.text, re.MULTILINE)
    assert file.text.count('extern "C"') == 1


@pytest.mark.compiled
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_files_compile_without_a_warning(analyse_c, tmp_path: Path) -> None:
    sources = (STENCIL, TWO_NESTS, STRUCTURES, TIME_LOOP, ROWS, FILTERED, MACRO, BELOW_ZERO)
    files = [file for source in sources for file in ported(source, analyse_c)]
    text = ""
    for number, file in enumerate(files):
        includes = [line for line in file.text.split("\n") if line.startswith("#include")]
        code = "\n".join(line for line in file.text.split("\n") if not line.startswith("#include"))
        text = "\n".join([*includes, text, f"namespace file_{number} {{", code, "}", "#undef CHECK"])
    (tmp_path / "all.cu").write_text(text, encoding="utf-8")
    command = ["nvcc", "-arch=sm_80", "--Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra", "-c", "all.cu"]
    ran = subprocess.run([*command, "-o", "all.o"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("struct state *s = r->of_no_type; for (int i = 0; i < s->n; i++) s->p[i] += 1;", "(s->n, s->p);"),
        ("struct state *s; s = r->of_no_type; double *v = s->p; for (int i = 0; i < 9; i++) v[i] += 1;", "(s->p);"),
        ("struct state *s = &r->own; for (int i = 0; i < s->n; i++) s->p[i] += 1;", "(s->n, s->p);"),
        ("struct state *s = r->at, *t = s; for (int i = 0; i < r->n; i++) t->p[i] += 1;", "(r->n, r->at->p);"),
    ],
)
def test_the_call_names_members_as_the_function_does(analyse_c, body: str, call: str) -> None:
    """A member of what a `void *` leads to has no other name."""
    source = (
        "struct state { double *p; int n; };\nstruct all { void *of_no_type; struct state own, *at; int n; };\n"
        f"void work(struct all *r)\n{{ {body} }}\n"
    )
    (context,) = contexts(source, analyse_c(source))
    assert cuda_port(context, AS_PREDICTED).call.endswith(call)
