"""A loop in chunks: filled, used and filled again between barriers, with names that nothing of the nest has."""

from support.c_nests.parsed import facts_of
from warplens.analysis.ports.cuda.kernel_text import kernel_text
from warplens.analysis.ports.cuda.plan import KernelPlan
from warplens.analysis.ports.cuda.tiles import plan_tiles
from warplens.hwprofiles.loader import load_gpu

PRODUCT = (
    "void f(int n, int m, int p, const float *restrict row, const float *restrict k_end, float *restrict row_tile) {"
    " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {"
    " float s = 0; for (int k = 0; k < p; k++) s += row[i * p + k] * k_end[k * m + j]; row_tile[i * m + j] = s; } }"
)


def lines(arrays: tuple[str, ...], outputs: tuple[int, int, int]) -> list[str]:
    facts = facts_of(PRODUCT)
    (kernel,) = facts.kernels
    sizes = {"n": 512, "m": 512, "p": 512}
    tiles = plan_tiles(facts.nest, kernel, (16, 16, 1), outputs, arrays, sizes, load_gpu("a100"))
    text = kernel_text(facts, KernelPlan(kernel, "kernel", (16, 16, 1), outputs, tiles))
    return [line.strip() for line in text.definition]


def test_the_tile_is_filled_between_barriers() -> None:
    text = lines(("row", "k_end"), (1, 1, 1))
    chunk = text.index("for (int k_chunk = 0; k_chunk < p; k_chunk += 16) {")
    first, second = (number for number, line in enumerate(text) if line == "__syncthreads();")
    inner = text.index("for (int k = k_chunk; k < k_end_2; k++) {")
    assert chunk < first < inner < second
    assert text[second + 1] == "}"


def test_names_of_the_filling_are_not_those_of_the_nest() -> None:
    text = "\n".join(lines(("row", "k_end"), (1, 1, 1)))
    assert "const int k_end_2 = min(k_chunk + 16, p);" in text
    assert "row_2 = threadIdx.y" in text
    assert "= row[(i_block + row_2) * p" in text


def test_sums_of_threads_without_an_output_are_not_conditional() -> None:
    """Nothing but the tiles is read, and their values go nowhere."""
    text = lines(("row", "k_end"), (1, 1, 1))
    inner = text.index("for (int k = k_chunk; k < k_end_2; k++) {")
    assert text[inner + 1].startswith(
        "s += row_tile_2[threadIdx.y][k - k_chunk] * k_end_tile[k - k_chunk][threadIdx.x]"
    )


def test_what_is_read_from_the_array_is_read_for_outputs_alone() -> None:
    text = lines(("row",), (1, 1, 1))
    inner = text.index("for (int k = k_chunk; k < k_end_2; k++) {")
    assert text[inner + 1] == "if (i < n && j < m) {"
