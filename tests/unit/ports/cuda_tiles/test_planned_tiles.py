"""What is staged of the loops that people stage by hand, and why others are not."""

from dataclasses import replace

import pytest
from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.ports import contexts
from support.cuda_tiles.planning import planned, reads_of, text_of
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.port import cuda_port
from warplens.analysis.ports.cuda.tile_order import ordered_for_tiles
from warplens.analysis.ports.cuda.tiles import plan_tiles, tile_bytes
from warplens.analysis.ports.fix import LaunchWish

PRODUCT = """
void gemm(int n, int m, int p, float c[restrict n][m], const float a[restrict n][p], const float b[restrict p][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    float s = 0; for (int k = 0; k < p; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } }
"""
STAR = """
void heat(int n, int m, float *restrict b, const float *restrict a) {
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++)
    b[i*m + j] = a[(i-1)*m + j] + a[(i+1)*m + j] + a[i*m + j-1] + a[i*m + j+1] - 4 * a[i*m + j]; }
"""
FILTER = """
void filter(int n, int m, float y[restrict n][m], const float x[restrict n + 4][m + 4], const float f[restrict 5][5]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    float s = 0;
    for (int u = 0; u < 5; u++) for (int v = 0; v < 5; v++) s += x[i + u][j + v] * f[u][v];
    y[i][j] = s; } }
"""
BODIES = """
struct body { float x, y, mass; };
void pull(int n, float *restrict f, const struct body *restrict p) {
  for (int i = 0; i < n; i++) { float s = 0;
    for (int j = 0; j < n; j++) s += (p[j].x - p[i].x) * p[j].mass; f[i] = s; } }
"""


def test_matrix_product_is_staged_in_chunks(analyse_c) -> None:
    report = analyse_c(PRODUCT)
    a, b = planned(report, (32, 8, 1), "a", "b")
    assert (a.staged_in, a.chunk) == (b.staged_in, b.chunk) == (3, 32)
    assert text_of(report, a, (32, 8, 1)).splitlines() == [
        "__shared__ float a_tile[8][32];",
        "{",
        "    const int row = threadIdx.y, column = threadIdx.x;",
        "    if (i_block + row < n && k_chunk + column < p)",
        "        a_tile[row][column] = a[(i_block + row) * p + k_chunk + column];",
        "}",
        "a_tile[i - i_block][k - k_chunk]",
    ]
    assert text_of(report, b, (32, 8, 1)).splitlines()[:2] == [
        "__shared__ float b_tile[32][32];",
        "for (int row = threadIdx.y; row < 32; row += 8) {",
    ]


def test_outputs_of_a_thread_make_the_tile_higher(analyse_c) -> None:
    a, b = planned(analyse_c(PRODUCT), (32, 8, 1), "a", "b", outputs=(2, 4, 1))
    assert [d.width for d in a.dimensions] == [32, 32]
    assert [d.width for d in b.dimensions] == [32, 64]


def test_halo_of_a_star_leaves_out_its_first_and_last_corner(analyse_c) -> None:
    report = analyse_c(STAR)
    (tile,) = planned(report, (32, 8, 1), "a")
    assert [d.width for d in tile.dimensions] == [10, 34]
    assert tuple(map(str, tile.offsets)) == ("1", "m*n - 2")
    assert not any(d.may_start_before for d in tile.dimensions)
    assert "a_tile[i - i_block + 1][j - j_block]" in text_of(report, tile, (32, 8, 1))


def test_filter_of_constant_length_is_staged_once_with_its_halo(analyse_c) -> None:
    report = analyse_c(FILTER)
    x, f = planned(report, (32, 4, 1), "x", "f")
    assert x.staged_in is f.staged_in is None
    assert [d.width for d in x.dimensions] == [8, 36]
    assert "if" not in text_of(report, f, (32, 4, 1))  # all of it is always there


def test_filter_of_any_length_is_staged_row_by_row(analyse_c) -> None:
    source = FILTER.replace("int n, int m", "int n, int m, int r").replace("< 5", "< r").replace("+ 4", "+ r")
    (tile,) = planned(analyse_c(source), (32, 4, 1), "x")
    assert tile.staged_in is not None
    assert [str(d.low) for d in tile.dimensions] == ["i_block' + u", "j_block' + v_chunk'"]
    assert [d.width for d in tile.dimensions] == [4, 32 + tile.chunk - 1]


def test_transposed_tile_is_padded(analyse_c) -> None:
    evaluation = analyse_c(TRANSPOSE).functions[0].nests[0].evaluation.in_source_order
    iterators = {loop.loop: loop.iterator for loop in evaluation.kernels[0].kernel.grid}
    kernel = ordered_for_tiles(evaluation.kernels[0].kernel, {"a"})
    assert [iterators[loop] for loop in kernel.thread_order] == ["i", "j"]
    sizes = dict(evaluation.sizes)
    (tile,) = plan_tiles(evaluation.facts.nest, kernel, (32, 8, 1), (1, 4, 1), ("a",), sizes, evaluation.gpu)
    assert [(d.width, d.pad) for d in tile.dimensions] == [(32, 0), (32, 1)]


TRANSPOSE = """
void transpose(int n, int m, float b[restrict m][n], const float a[restrict n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j]; }
"""


def test_scattered_stores_are_collected_and_copied_out_row_by_row(analyse_c) -> None:
    report = analyse_c(TRANSPOSE)
    (tile,) = planned(report, (32, 8, 1), "b", outputs=(1, 4, 1))
    assert (tile.is_written, [(d.width, d.pad) for d in tile.dimensions]) == (True, [(32, 0), (32, 1)])
    assert text_of(report, tile, (32, 8, 1)).splitlines() == [
        "__shared__ float b_tile[32][32 + 1];",
        "for (int row = threadIdx.y; row < 32; row += 8) {",
        "    const int column = threadIdx.x;",
        "    if (j_block + row < m && i_block + column < n)",
        "        b[(j_block + row) * n + i_block + column] = b_tile[row][column];",
        "}",
        "b_tile[j - j_block][i - i_block]",
    ]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (("j < m", "j <= i"), "not each of its elements once"),
        (("b[j][i] = a", "if (a[i][j] > 0) b[j][i] = a"), "not each of its elements once"),
        (("b[j][i] = a", "b[j][i] += a"), "not each of its elements once"),
        (("b[j][i] = a", "b[j][2 * i] = a"), "not each of its elements once"),
    ],
)
def test_what_is_not_written_whole_is_not_collected(analyse_c, changed: tuple[str, str], why: str) -> None:
    report = analyse_c(TRANSPOSE.replace(*changed).replace("b[restrict m][n]", "b[restrict m][2 * n]"))
    with pytest.raises(PortRefusedError, match=why):
        planned(report, (32, 8, 1), "b")


FLAT = """
void work(int w, int h, const unsigned char *restrict in, const float *restrict k, unsigned char *restrict out) {
  for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {
    float r = 0, g = 0, b = 0;
    for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) {
      r += k[i*5+j] * in[3*((y+i)*(w+4)+x+j)]; g += k[i*5+j] * in[3*((y+i)*(w+4)+x+j)+1];
      b += k[i*5+j] * in[3*((y+i)*(w+4)+x+j)+2]; }
    out[3*(y*w+x)] = r; out[3*(y*w+x)+1] = g; out[3*(y*w+x)+2] = b; } }
"""


def test_pixels_of_three_bytes_are_one_box(analyse_c) -> None:
    (tile,) = planned(analyse_c(FLAT), (32, 32, 1), "in")
    assert [(d.width, d.pad) for d in tile.dimensions] == [(36, 0), (108, 0)]
    assert tile_bytes(tile) == 3888


@pytest.mark.parametrize("outputs", [(1, 1, 1), (1, 4, 1), (2, 2, 1)])
@pytest.mark.parametrize("block", [(32, 8, 1), (16, 16, 1), (8, 4, 1)])
@pytest.mark.parametrize("source", [PRODUCT, STAR, FILTER, TRANSPOSE, FLAT])
def test_what_is_predicted_is_what_is_written(analyse_c, source: str, block, outputs) -> None:
    report = analyse_c(source)
    evaluation = report.functions[0].nests[0].evaluation.in_source_order
    sized = SizedKernel.of(evaluation.kernels[0].kernel, evaluation.known_sizes)
    choices = shared_opportunities(sized, block, evaluation.gpu, outputs)
    assert choices
    for choice in choices:
        (tile,) = planned(report, block, c_name(choice.array), outputs=outputs)
        assert (tile_bytes(tile), tile.dimensions[-1].pad) == (choice.size_bytes, choice.pad_elements)
        assert tile.is_written == choice.is_written


def test_order_of_threads_stays_where_the_other_accesses_suit_it(analyse_c) -> None:
    kernel = analyse_c(PRODUCT).functions[0].nests[0].evaluation.in_source_order.kernels[0].kernel
    assert ordered_for_tiles(kernel, {"a", "b"}) is kernel
    assert ordered_for_tiles(kernel, set()) is kernel


def test_registers_are_counted_by_the_axes_in_their_new_order(analyse_c) -> None:
    kernel = analyse_c(TRANSPOSE).functions[0].nests[0].evaluation.in_source_order.kernels[0].kernel
    kernel = replace(kernel, live_by_axes=((1, 2, 3, 4),))
    assert ordered_for_tiles(kernel, {"a"}).live_by_axes == ((1, 3, 2, 4),)


def test_column_reads_of_doubles_are_padded(analyse_c) -> None:
    source = """
    void rows(int n, int m, double *restrict y, const double a[restrict n][m]) {
      for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) s += a[i][k]; y[i] = s; } }
    """
    report = analyse_c(source)
    (tile,) = planned(report, (32, 1, 1), "a")
    assert tile.dimensions[-1].pad == 1
    assert tile_bytes(tile) == 32 * 33 * 8


def test_structures_are_staged_whole_and_the_threads_own_is_left(analyse_c) -> None:
    report = analyse_c(BODIES)
    (tile,) = planned(report, (128, 1, 1), "p")
    assert {read.written for read in reads_of(report, tile)} == {"p[j].x", "p[j].mass"}
    assert (tile.member, tile_bytes(tile)) == ("", 128 * 12)
    assert "p_tile[j - j_chunk].mass" in text_of(report, tile, (128, 1, 1))


def test_one_member_is_staged_alone(analyse_c) -> None:
    report = analyse_c(BODIES.replace(" * p[j].mass", ""))
    (tile,) = planned(report, (128, 1, 1), "p")
    assert (tile.member, tile_bytes(tile)) == ("x", 128 * 4)
    assert "p_tile[at] = p[j_chunk + at].x;" in text_of(report, tile, (128, 1, 1))


def test_rows_that_blocks_move_differently_get_tiles_of_their_own(analyse_c) -> None:
    source = """
    void syrk(int n, int p, float c[restrict n][n], const float a[restrict n][p]) {
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        float s = 0; for (int k = 0; k < p; k++) s += a[i][k] * a[j][k]; c[i][j] = s; } }
    """
    tiles = planned(analyse_c(source), (16, 16, 1), "a")
    assert [tile.name for tile in tiles] == ["a_tile_i", "a_tile_j"]


def test_loop_that_is_left_early_is_refused(analyse_c) -> None:
    source = PRODUCT.replace("s += a[i][k] * b[k][j];", "{ if (s > 9) break; s += a[i][k] * b[k][j]; }")
    with pytest.raises(PortRefusedError, match=r"`a`.*`a\[i\]\[k\]`.*`break` may end the loop over `k`"):
        planned(analyse_c(source), (32, 8, 1), "a")


def test_loop_of_another_length_in_each_thread_is_refused(analyse_c) -> None:
    with pytest.raises(PortRefusedError, match=r"`b`.*loop over `k` runs from or to another value .* `i` decides"):
        planned(analyse_c(PRODUCT.replace("k < p", "k < i")), (32, 8, 1), "b")


def test_loop_under_a_condition_is_refused(analyse_c) -> None:
    source = PRODUCT.replace("for (int k", "if (c[i][j] > 0) for (int k")
    with pytest.raises(PortRefusedError, match=r"`a`.*it runs only where `c\[i\]\[j\] > 0\.0`"):
        planned(analyse_c(source), (32, 8, 1), "a")


def test_what_the_kernel_writes_is_refused(analyse_c) -> None:
    with pytest.raises(PortRefusedError, match="`c` can't be staged in shared memory: the kernel writes it"):
        planned(analyse_c(PRODUCT), (32, 8, 1), "c")


def test_subscripts_from_memory_are_refused(analyse_c) -> None:
    source = """
    void take(int n, float *restrict y, const float *restrict x, const int *restrict idx) {
      for (int i = 0; i < n; i++) y[i] = x[idx[i]] + x[i]; }
    """
    with pytest.raises(PortRefusedError, match=r"`x`.*data decides which element `x\[idx\[i\]\]` is"):
        planned(analyse_c(source), (32, 1, 1), "x")


def test_too_large_tiles_are_refused_with_their_size(analyse_c) -> None:
    with pytest.raises(PortRefusedError, match=r"takes 1052672 bytes .*1048576 of them for `b`.* has 49152"):
        planned(analyse_c(PRODUCT), (512, 2, 1), "a", "b")


def test_variables_with_the_names_of_the_kernels_own_values_are_others(analyse_c) -> None:
    source = """
    void window(int n, int i_block, float *restrict y, const float *restrict x) {
      for (int i = 0; i < n; i++) y[i] = x[i + i_block] + x[i + i_block + 1] + x[i + i_block + 2]; }
    """
    (tile,) = planned(analyse_c(source), (32, 1, 1), "x")
    assert [(str(d.low), d.width) for d in tile.dimensions] == [("i_block + i_block'", 34)]


WINDOW = """
void window(int n, int t, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) { float s = %s; y[i] = s; } }
"""


def test_nothing_is_read_where_the_loop_that_reads_has_no_iteration(analyse_c) -> None:
    report = analyse_c(WINDOW.replace("= %s", "= 0; for (int u = 0; u < t; u++) s += x[i + 2] * x[i + 3]"))
    (tile,) = planned(report, (32, 1, 1), "x")
    assert [str(condition) for condition in tile.conditions] == ["t - 1"]
    assert "if (t > 0 && i_block + 2 + at < n + 3)" in text_of(report, tile, (32, 1, 1))


def test_edges_that_conditions_leave_out_are_not_read(analyse_c) -> None:
    report = analyse_c(WINDOW % "x[i]; if (i > 0) s += x[i - 1]; if (i < n - 1) s += x[i + 1]")
    (tile,) = planned(report, (32, 1, 1), "x")
    assert (str(tile.dimensions[0].first), str(tile.dimensions[0].last), tile.conditions) == ("0", "n - 1", ())


def test_what_only_sizes_decide_to_read_is_refused_beside_what_is_always_read(analyse_c) -> None:
    with pytest.raises(PortRefusedError, match=r"last element of `x` that is read may be `n` or `n [+] 4`"):
        planned(analyse_c(WINDOW % "x[i] + x[i + 1]; if (n > 20) s += x[i + 5]"), (32, 1, 1), "x")


def test_last_element_of_a_loop_with_a_step_is_computed(analyse_c) -> None:
    source = (WINDOW % "x[i - 1] + x[i] + x[i + 1]").replace("int i = 0; i < n; i++", "int i = 1; i < n - 1; i += 2")
    (tile,) = planned(analyse_c(source), (32, 1, 1), "x")
    (value,) = tile.values
    assert [value.formula.evaluate({"n": n}) for n in (3, 4, 5, 6)] == [1, 1, 3, 3]
    assert tile.dimensions[0].last.evaluate({value.name: 3}) == 4


def test_comment_and_text_have_the_same_tile() -> None:
    case = Case(
        "transpose",
        """
        void transpose(int n, int m, float b[restrict m][n], const float a[restrict n][m])
        { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j]; }
        """,
        function="transpose",
    )
    ((_, context),) = contexts(case, analysed(case))
    text = cuda_port(context, LaunchWish((32, 8, 1), (1, 4, 1), ("a",))).text
    assert "`a` in 4.12 KiB of shared memory" in text  # 32 * 33 * 4 bytes
    assert "__shared__ float a_tile[32][32 + 1];" in text
    assert "a_tile[threadIdx.x][j - j_block]" in text
