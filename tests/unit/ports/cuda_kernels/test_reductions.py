"""Scalars that all threads add to have a second pass, elements of arrays the atomic operations that a GPU has."""

import pytest
from support.cuda_kernels.printed import printed, statement
from warplens.analysis.ports.cuda.plan import PortRefusedError

SUM = "void f(int n, float *a, double *r) { double s = *r; for (int i = 0; i < n; i++) s += a[i]; *r = s; }"


def test_a_block_writes_one_part_and_a_second_kernel_adds_them_to_the_value_before() -> None:
    text = printed(SUM)
    assert text.parameters[-1].kind == "partial"
    assert text.definition[-5:-1] == (
        "    s = block_sum(s);",
        "    if (threadIdx.x == 0) {",
        "        s_parts[blockIdx.x] = s;",
        "    }",
    )
    (second,) = text.second_passes
    assert "        *result += value;" in second.definition
    assert (second.variable, second.name) == ("s", "finish_s")


def test_threads_without_an_iteration_take_part_in_the_reduction() -> None:
    assert not any("return;" in line for line in printed(SUM).definition)


def test_every_lane_asks_for_its_neighbours_value_where_the_operator_might_not() -> None:
    text = printed("int f(int n, const int *k, int s) { for (int i = 0; i < n; i++) s = s && k[i]; return s; }")
    assert "const int other = __shfl_down_sync(0xffffffff, value, offset);" in text.definitions[0]
    assert "value += __shfl_down_sync(0xffffffff, value, offset);" in printed(SUM).definitions[0]


def test_a_block_that_is_no_whole_number_of_warps_names_the_lanes_it_has() -> None:
    even, odd = printed(SUM), printed(SUM, block=(50, 1, 1))
    assert "0xffffffff, value" in even.definitions[0]
    assert "lane + offset < lanes" in odd.definitions[0]
    assert even.definitions[0] in odd.definitions  # the second pass has blocks of 256
    assert "    s = block_sum_of_any_size(s);" in odd.definition


@pytest.mark.parametrize(
    ("declared", "update", "neutral", "folded"),
    [
        ("int s", "s += k[i];", "int s = 0;", "*result += value;"),
        ("unsigned s", "s *= 3u;", "unsigned int s = 1u;", "*result *= value;"),
        ("int s", "s |= k[i];", "int s = 0;", "*result |= value;"),
        ("int s", "s &= k[i];", "int s = ~0;", "*result &= value;"),
        ("int s", "if (k[i] > s) s = k[i];", "int s = INT_MIN;", "*result = value > *result ? value : *result;"),
        ("long s", "if (k[i] < s) s = k[i];", "long s = LONG_MAX;", "*result = value < *result ? value : *result;"),
        ("int s", "s = s && k[i];", "int s = 1;", "*result = *result && value;"),
    ],
)
def test_operators(declared: str, update: str, neutral: str, folded: str) -> None:
    text = printed(f"int f(int n, const int *k, {declared}) {{ for (int i = 0; i < n; i++) {{ {update} }} return s; }}")
    assert f"    {neutral}" in text.definition
    assert f"        {folded}" in text.second_passes[0].definition


@pytest.mark.parametrize(
    ("kind", "update", "expected"),
    [
        ("int", "h[k[i]] += v[i];", "atomicAdd(&h[k[i]], v[i]);"),
        ("int", "h[k[i]]++;", "atomicAdd(&h[k[i]], 1);"),
        ("int", "h[k[i]] -= v[i];", "atomicAdd(&h[k[i]], -v[i]);"),
        ("float", "h[k[i]] += 2 * x[i];", "atomicAdd(&h[k[i]], 2.0f * x[i]);"),
        ("double", "h[k[i]] += x[i];", "atomicAdd(&h[k[i]], (double)x[i]);"),
        ("long", "h[k[i]] += v[i];", "atomicAdd((unsigned long long *)&h[k[i]], (unsigned long long)(v[i]));"),
        ("unsigned", "h[k[i]] |= 4u;", "atomicOr(&h[k[i]], 4u);"),
    ],
)
def test_elements_are_updated_by_atomic_operations(kind: str, update: str, expected: str) -> None:
    arrays = f"{kind} *restrict h, const int *restrict k, const int *restrict v, const float *restrict x"
    assert statement(arrays, update) == expected


@pytest.mark.parametrize(
    ("kind", "update", "reason"),
    [
        ("float", "h[k[i]] *= 2;", "no atomic operation|in a way"),
        ("short", "h[k[i]] += 1;", "no atomic operation for that on `short`"),
        ("unsigned char", "h[k[i]]++;", "no atomic operation for that on `unsigned char`"),
    ],
)
def test_what_the_hardware_has_no_operation_for_is_refused(kind: str, update: str, reason: str) -> None:
    with pytest.raises(PortRefusedError, match=reason):
        statement(f"{kind} *restrict h, const int *restrict k", update)


def test_the_place_of_an_extreme_is_refused() -> None:
    with pytest.raises(PortRefusedError, match="maximum of a loop"):
        printed(
            "int f(int n, const float *x) { int at = 0; float most = x[0];"
            " for (int i = 0; i < n; i++) if (x[i] > most) { most = x[i]; at = i; } return at; }"
        )


def test_the_parts_of_the_blocks_are_no_variable_of_the_nest() -> None:
    loop = "for (int i = 0; i < n; i++) s += s_parts[i];"
    source = f"double f(int n, const double *s_parts) {{ double s = 0; {loop} return s; }}"
    names = [one.name for one in printed(source).parameters]
    assert names == ["s_parts", "n", "s_parts_2"]


def test_every_update_of_an_array_that_iterations_share_is_atomic() -> None:
    text = "if (k[i]) h[k[i]] += 2; else --h[0];"
    expected = "if (k[i]) { atomicAdd(&h[k[i]], 2); } else { atomicAdd(&h[0], -1); }"
    assert statement("int *restrict h, const int *restrict k", text) == expected
