"""Rows are laid out by hand, in 64 bits where C did not compute the place in 32."""

import pytest
from support.cuda_kernels.printed import body, printed


def two_loops(declarations: str, text: str) -> str:
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
    return body(f"void f(int n, int m, {declarations}) {{ {loops} {{ {text} }} }}").split("\n")[-2].strip()


@pytest.mark.parametrize(
    ("declarations", "text", "expected"),
    [
        ("float *restrict a", "a[i * m + j] = 1;", "a[i * m + j] = 1.0f;"),
        ("float *restrict a", "a[(long)i * m + j] = 1;", "a[(long)i * m + j] = 1.0f;"),
        ("float *restrict a", "a[(unsigned)i * m + j] = 1;", "a[(long)i * m + j] = 1.0f;"),  # more than an int holds
        ("float *restrict a", "a[(i + 1) * m + j - 1] = 1;", "a[(i + 1) * m + j - 1] = 1.0f;"),
        ("float a[n][m]", "a[i][j] = 1;", "a[(long)i * m + j] = 1.0f;"),
        ("float a[n][m]", "a[i + 1][j] = 1;", "a[(long)(i + 1) * m + j] = 1.0f;"),
        ("float a[100][200]", "a[i][j] = 1;", "a[(long)i * 200 + j] = 1.0f;"),  # a pointer to rows: any number of them
        ("float a[n][m][4]", "a[i][j][2] = 1;", "a[((long)i * m + j) * 4 + 2] = 1.0f;"),
        ("float *restrict a", "a[2 * j + (i & 1)] = 1;", "a[2 * j + (i & 1)] = 1.0f;"),
    ],
)
def test_rows(declarations: str, text: str, expected: str) -> None:
    assert two_loops(declarations, text) == expected


def test_a_pointer_that_walks_is_where_its_subscript_says() -> None:
    text = body("void f(int n, float *restrict a) { float *p = a; for (int i = 0; i < n; i++) { *p = i; p += 2; } }")
    assert text.endswith("a[2L * i] = i;")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("float *p = a + 7 * i; p[j] = 1;", "a[7L * i + j] = 1.0f;"),  # C moves the pointer in 64 bits
        ("float *p = a + i * m; p[j] = 1;", "a[(long)i * m + j] = 1.0f;"),
        ("a[7 * i + j] = 1;", "a[7 * i + j] = 1.0f;"),
        ("a[SEVEN * i + j] = 1;", "a[7 * i + j] = 1.0f;"),
        ("a[(7 * (i)) + j] = 1;", "a[7 * i + j] = 1.0f;"),
    ],
)
def test_what_a_pointer_adds_to_a_subscript_is_added_in_64_bits(text: str, expected: str) -> None:
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
    source = f"enum {{ SEVEN = 7 }}; void f(int n, int m, float *restrict a) {{ {loops} {{ {text} }} }}"
    assert body(source).split("\n")[-2].strip() == expected


def test_an_array_of_the_iteration_keeps_its_dimensions() -> None:
    text = body(
        "void f(int n, float *restrict a) { for (int i = 0; i < n; i++) {"
        " float w[2][3]; for (int j = 0; j < 3; j++) w[1][j] = a[3 * i + j];"
        " a[3 * i] = w[1][2]; } }"
    )
    assert "float w[2][3];" in text
    assert "w[1][j] = a[3 * i + j];" in text


def test_what_is_only_read_is_const_and_pointers_are_restrict() -> None:
    text = printed("void f(int n, float *restrict a, float *restrict b) { for (int i = 0; i < n; i++) a[i] = b[i]; }")
    assert [one.declaration for one in text.parameters] == [
        "float *__restrict__ a",
        "const float *__restrict__ b",
        "int n",
    ]


def test_names_of_cpp_are_not_names_of_c() -> None:
    text = printed(
        "void f(int n, float *restrict new, float *restrict class, int threadIdx)"
        "{ for (int this = 0; this < n; this++) new[this] = class[this] + threadIdx; }"
    )
    assert "    new_[this_] = class_[this_] + threadIdx_;" in text.definition
    assert {one.stands_for for one in text.parameters} == {"new", "class", "threadIdx", "n"}


def test_shadowed_names_stay_apart() -> None:
    text = body(
        "void f(int n, float *restrict a, float *restrict b) { for (int i = 0; i < n; i++) {"
        " float t = a[i]; { float t = b[i]; a[i] = t; } b[i] = t; } }"
    )
    assert text.endswith("const float t = a[i];\nconst float t2 = b[i];\na[i] = t2;\nb[i] = t;")
