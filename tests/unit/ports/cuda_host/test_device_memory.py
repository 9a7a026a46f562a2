"""Sections of arrays on the device are what the loops touch: no element less, and none that C does not touch."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import facts_of
from support.cuda_on_cpu.host_sections import section
from support.examples import examples
from warplens.analysis.ports.cuda.device_memory import device_memory
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

I_LOOPS = [
    ("int i = 0; i < n; i++", "range(n)"),
    ("int i = 1; i <= n - 2; i++", "range(1, n - 1)"),
    ("int i = n - 1; i >= 2; i--", "range(n - 1, 1, -1)"),
    ("int i = 1; i < n; i += 3", "range(1, n, 3)"),
    ("int i = n; i > 0; i -= 2", "range(n, 0, -2)"),
    ("int i = 0; i < n && i < m; i++", "range(min(n, m))"),
    ("int i = 0; i < n / 2; i++", "range(n // 2)"),
]
J_LOOPS = [
    ("int j = 0; j < m; j++", "range(m)"),
    ("int j = 0; j <= i; j++", "range(i + 1)"),
    ("int j = i + 1; j < n; j++", "range(i + 1, n)"),
    ("int j = 0; j < n - i; j++", "range(n - i)"),
    ("int j = m; j > 2; j--", "range(m, 2, -1)"),
    ("int j = 1; j < 12; j += 4", "range(1, 12, 4)"),
    ("int j = i; j < i + m; j++", "range(i, i + m)"),
    ("int j = 0; j < m - 2; j++", "range(m - 2)"),
]
GUARDS = [("", "True"), ("if (i > 0)", "i > 0"), ("if (i < n - 1 && j > 1)", "i < n - 1 and j > 1"),
          ("if (j + i < m)", "j + i < m")]  # fmt: skip


@st.composite
def nests(draw: st.DrawFn) -> tuple[str, str, str, str, str]:
    """A C function, ranges of i and j, guard and subscript of x in Python; x is also read by `i > 1 ? x[i - 2] : 0`."""
    (i_c, i_python), (j_c, j_python) = draw(st.sampled_from(I_LOOPS)), draw(st.sampled_from(J_LOOPS))
    guard_c, guard_python = draw(st.sampled_from(GUARDS))
    slopes = [str(draw(st.integers(-2, 3))), draw(st.sampled_from(["-1", "0", "1", "2", "n", "o"]))]
    subscript = f"{slopes[0]} * j + {slopes[1]} * i + {draw(st.sampled_from(['0', '3', '-4', 'o', 'm']))}"
    source = (
        "void work(int n, int m, int o, double *restrict y, const double *restrict x) {\n"
        f"for ({i_c}) {{ double s = i > 1 ? x[i - 2] : 0; for ({j_c}) {guard_c} s += x[{subscript}]; y[i] = s; }} }}"
    )
    return source, i_python, j_python, guard_python, subscript


@given(nest=nests())
@settings(max_examples=examples(60))
def test_section_is_the_hull_of_what_is_touched(nest: tuple[str, str, str, str, str]) -> None:
    source, i_python, j_python, guard, subscript = nest
    facts = facts_of(source)
    if not facts.kernels:
        return
    try:
        memory = device_memory(facts, has_results=False)
    except PortRefusedError:
        return
    hulls = {array.array.name: array for array in memory.arrays}
    for n, m, o in ((0, 0, 0), (1, 3, -2), (2, 9, 4), (7, 4, -3), (9, 1, 0), (12, 6, 5), (5, -2, 1), (-3, 4, 2)):
        names = {"n": n, "m": m, "o": o}
        iterations = [(i, j) for i in eval(i_python, names) for j in eval(j_python, names | {"i": i})]
        places = (names | {"i": i, "j": j} for i, j in iterations)
        x = {eval(subscript, at) for at in places if eval(guard, at)}
        x |= {i - 2 for i in eval(i_python, names) if i > 1}
        y = set(eval(i_python, names))
        sizes = extend_sizes(names, facts.nest)
        for name, touched in (("x", x), ("y", y)):
            found = section(memory, hulls[name].touched, sizes)
            expected = range(min(touched), max(touched) + 1) if touched else range(0)
            if hulls[name].touched.is_guarded:  # a condition is left out: a strided loop's, or one of data
                assert touched <= set(found), (name, names)
            else:
                assert len(found) == len(expected) == 0 or found == expected, (name, names)


def test_few_of_these_loops_are_refused() -> None:
    refused = 0
    for i, _ in I_LOOPS:
        for j, _ in J_LOOPS:
            body = f"for ({i}) {{ double s = 0; for ({j}) s += x[i + j]; y[i] = s; }}"
            source = f"void work(int n, int m, double *restrict y, const double *restrict x) {{ {body} }}"
            try:
                device_memory(facts_of(source), has_results=False)
            except PortRefusedError:
                refused += 1
    assert refused <= len(I_LOOPS) * len(J_LOOPS) // 4


@pytest.mark.parametrize(
    ("loops", "subscript"),
    [
        ("for (int i = 0; i < n; i++)", "(i + 1) % n"),
        ("for (int i = 0; i < n; i++)", "(n + i - 1) % n"),
        ("for (int i = n - 1; i >= 0; i--)", "(i + 4) % n + 3"),
        ("for (int i = 0; i < n; i++)", "(i + 2) % n * 3"),
        ("for (int i = 0; i < n; i++)", "i / 2"),
        ("for (int i = 1; i < n; i++)", "(i + 5) / 3 + o"),
        ("for (int i = 0; i < n; i++)", "7 - i / 2"),
        ("for (int i = 0; i < 40; i++)", "i % 8"),
        ("for (int i = 0; i < 40; i++)", "(i & 7) * 2 + o"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)", "(i + j) % n"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)", "(i + 1) % n * m + (j + 1) % m"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)", "i / 2 * m + j / 4"),
    ],
)
def test_sections_of_quotients_and_remainders(loops: str, subscript: str) -> None:
    facts = facts_of(
        f"void work(int n, int m, int o, double *restrict y, double *restrict x) {{ {loops} y[i] += x[{subscript}]; }}"
    )
    memory = device_memory(facts, has_results=False)
    array = next(array for array in memory.arrays if array.array.name == "x")
    python = subscript.replace("/", "//")
    for n, m, o in ((1, 1, 0), (2, 5, 1), (9, 4, 2), (16, 16, 0), (0, 3, 1), (3, 0, 0)):
        names = {"n": n, "m": m, "o": o}
        i_range = range(40) if "40" in loops else range(1, n) if "= 1" in loops else range(n)
        j_range = range(m) if "j" in loops else range(1)
        touched = {eval(python, names | {"i": i, "j": j}) for i in i_range for j in j_range}
        expected = range(min(touched), max(touched) + 1) if touched else range(0)
        found = section(memory, array.touched, extend_sizes(names, facts.nest))
        assert found == expected, names


@pytest.mark.parametrize("subscript", ["(i + 1) % m", "(i - 1) % n", "i % n + i", "(i + 1) % 8", "i % 3 + i / 3"])
def test_where_a_remainder_may_not_take_all_its_values_nothing_is_taken_for_granted(subscript: str) -> None:
    source = "void work(int n, int m, double *restrict y, double *restrict x) { for (int i = 0; i < n; i++)"
    with pytest.raises(PortRefusedError, match=r"which elements of `x` are used|decided at run time"):
        device_memory(facts_of(f"{source} y[i] = x[{subscript}]; }}"), has_results=False)


@pytest.mark.parametrize(
    ("body", "is_copied_in"),
    [
        ("for (int i = 0; i < n; i++) y[i] = x[i];", False),
        ("for (int i = 2; i < n - 1; i++) y[i] = x[i];", False),
        ("for (int i = n - 1; i >= 0; i--) y[i] = x[i];", False),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * m + j] = x[i];", False),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[j * n + i] = x[i];", False),
        ("for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) y[i * m + j] = x[i];", True),
        ("for (int i = 0; i < n; i++) y[2 * i] = x[i];", True),
        ("for (int i = 0; i < n; i += 2) y[i] = x[i];", True),
        ("for (int i = 0; i < n; i++) y[i] += x[i];", True),
        ("for (int i = 0; i < n; i++) if (x[i] > 0) y[i] = x[i];", True),
        ("for (int i = 0; i < n; i++) if (i != 3) y[i] = x[i];", True),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i] = x[j];", True),
        ("for (int t = 0; t < m; t++) for (int i = 0; i < n; i++) y[i] = x[i] + t;", False),
        ("for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) y[i * n + j] = x[i];", True),
    ],
)
def test_only_what_is_written_in_full_is_not_copied_in(body: str, is_copied_in: bool) -> None:
    facts = facts_of(f"void work(int n, int m, double *restrict y, const double *restrict x) {{ {body} }}")
    arrays = {array.array.name: array for array in device_memory(facts, has_results=False).arrays}
    assert arrays["y"].is_copied_in == is_copied_in
    assert arrays["y"].written is not None
    assert arrays["x"].is_copied_in
    assert arrays["x"].written is None


def test_numbers_of_the_host_are_not_the_nests_variables_of_such_names() -> None:
    source = (
        "void work(int n, int i_last, double *restrict y, const double *restrict x)\n"
        "{ for (int i = 0; i < n; i += 3) y[i] = x[i + i_last]; }"
    )
    memory = device_memory(facts_of(source), has_results=False)
    x = next(array for array in memory.arrays if array.array.name == "x")
    assert section(memory, x.touched, {"n": 11, "i_last": 100}) == range(100, 110)
