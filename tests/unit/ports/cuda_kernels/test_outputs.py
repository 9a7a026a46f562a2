"""Several outputs per thread: variables that outlive a group have copies, shared loops stand around the outputs."""

from support.cuda_kernels.printed import body

PRODUCT = (
    "void f(int n, int m, int p, const float *restrict a, const float *restrict b, float *restrict c) {"
    " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {"
    " float s = 0; for (int k = 0; k < p; k++) s += a[i * p + k] * b[k * m + j]; c[i * m + j] = s; } }"
)


def test_the_inner_loop_stands_around_the_outputs() -> None:
    lines = [line.strip() for line in body(PRODUCT, (2, 4, 1)).split("\n")]
    assert "float s[4][2];" in lines
    inner = lines.index("for (int k = 0; k < p; k++) {")
    assert lines[inner + 2] == "for (int fy = 0; fy < 4; fy++) {"
    assert "s[fy][fx] += a[i * p + k] * b[k * m + j];" in lines


def test_outputs_beyond_the_end_read_what_the_last_one_reads_and_write_nothing() -> None:
    lines = [line.strip() for line in body(PRODUCT, (2, 4, 1)).split("\n")]
    update, store = lines.index("s[fy][fx] += a[i * p + k] * b[k * m + j];"), lines.index("c[i * m + j] = s[fy][fx];")
    assert lines[update - 1] == "const int j = min(j_block + (int)threadIdx.x + fx * 32, m - 1);"
    assert lines[store - 1] == "if (i < n && j < m) {"


def test_outputs_along_x_lie_a_block_apart_and_along_y_side_by_side() -> None:
    text = body(PRODUCT, (2, 4, 1))
    assert "const int i = i_block + threadIdx.y * 4 + fy;" in text
    assert "const int j = j_block + threadIdx.x + fx * 32;" in text
    assert "i_block += gridDim.y * 32" in text


def test_a_loop_whose_length_threads_differ_in_stays_in_the_output() -> None:
    text = body(
        "void f(int n, float *restrict a, const float *restrict b) { for (int i = 0; i < n; i++) {"
        " float s = 0; for (int k = 0; k < i; k++) s += b[k]; a[i] = s; } }",
        (2, 1, 1),
    )
    lines = [line.strip() for line in text.split("\n")]
    assert lines.index("for (int fx = 0; fx < 2; fx++) {") < lines.index("for (int k = 0; k < i; k++) {")
    assert "float s = 0.0f;" in lines


def test_what_the_kernel_writes_is_not_read_for_an_output_that_does_not_exist() -> None:
    text = body(
        "void f(int n, int m, float *restrict a) { for (int i = 0; i < n; i++) {"
        " float s = 0; for (int k = 0; k < m; k++) s += a[i * m + k]; a[i * m] = s; } }",
        (2, 1, 1),
    )
    assert "min(" not in text
    assert text.count("if (i < n) {") == 2


def test_a_triangle_asks_for_each_output() -> None:
    text = body(
        "void f(int n, float *restrict a, const float *restrict b)"
        "{ for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i * n + j] = b[j * n + i]; }",
        (1, 4, 1),
    )
    lines = [line.strip() for line in text.split("\n")]
    assert lines.index("const int i = i_block + threadIdx.y * 4 + fy;") < lines.index("if (i < n && j < i) {")


def test_an_array_of_the_iteration_has_a_copy_for_each_output() -> None:
    text = body(
        "void f(int n, float *restrict a, const float *restrict b) { for (int i = 0; i < n; i++) {"
        " float w[4]; for (int k = 0; k < 4; k++) w[k] = b[4 * i + k]; a[i] = w[0] + w[3]; } }",
        (2, 1, 1),
    )
    assert "float w[2][4];" in text
    assert "w[fx][k] = b[4 * i + k];" in text
