"""Conditions around a subscript: followed to the element, or nothing is copied on a guess."""

import pytest
from support.c_nests.parsed import facts_of
from support.cuda_on_cpu.host_sections import section
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ports.cuda.device_memory import DeviceMemory, device_memory
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

_SIZES = ((0, 0), (1, 0), (1, 1), (2, 1), (3, 2), (4, 0), (9, 3), (10, 5), (16, 20))


def _facts(body: str, x: str) -> NestFacts:
    head = f"double work(int n, int r, const int *restrict b, double *restrict y, const double {x})"
    return facts_of(f"{head} {{ double s = 0; {body} return s; }}")


def _memory(body: str, x: str = "*restrict x") -> DeviceMemory:
    return device_memory(_facts(body, x), has_results=False)


@pytest.mark.parametrize(
    ("loop", "iterations", "condition", "python", "subscript"),
    [
        ("int i = 0; i < n; i++", "range(n)", "i != 0", "i != 0", "i - 1"),
        ("int i = 0; i < n; i++", "range(n)", "i", "i", "i - 1"),
        ("int i = 0; i < n; i++", "range(n)", "i != 0 && i != n - 1", "0 < i < n - 1", "i + 1"),
        ("int i = 0; i < n; i++", "range(n)", "i < 2 || i >= n - 2", "i < 2 or i >= n - 2", "i"),
        ("int i = 0; i < n; i++", "range(n)", "i == r", "i == r", "i"),
        ("int i = 0; i < n; i++", "range(n)", "i >= r / 2", "i >= r // 2", "i - r / 2"),
        ("int i = 0; i < n; i += 2", "range(0, n, 2)", "i + 1 < n", "i + 1 < n", "i + 1"),
        ("int i = n - 1; i >= 0; i -= 3", "range(n - 1, -1, -3)", "i >= 2", "i >= 2", "i - 2"),
        ("int i = 0; i < n; i++", "range(n)", "b[i] && i > 0", "i > 0", "i - 1"),
        ("int i = 0; i < n; i++", "range(n)", "!(i >= n - 1 || b[i])", "i < n - 1", "i + 1"),
    ],
)
def test_followed_conditions_leave_what_is_touched(
    loop: str, iterations: str, condition: str, python: str, subscript: str
) -> None:
    facts = _facts(f"for ({loop}) if ({condition}) y[i] = x[{subscript}];", "*restrict x")
    memory = device_memory(facts, has_results=False)
    x = next(array for array in memory.arrays if array.array.name == "x")
    for n, r in _SIZES:
        names = {"n": n, "r": r}
        places = [i for i in eval(iterations, names) if eval(python, names | {"i": i})]
        touched = {eval(subscript.replace("/", "//"), names | {"i": i}) for i in places}
        expected = range(min(touched), max(touched) + 1) if touched else range(0)
        found = section(memory, x.touched, extend_sizes(names, facts.nest))
        assert len(found) == len(expected) == 0 or found == expected, names


_LOST = [
    "for (int i = 0; i < n; i++) if (i % 4 != 3) y[i] = x[i + 1];",
    "for (int i = 0; i < n; i++) if (2 * i + 1 < n) y[i] = x[2 * i + 1];",
    "for (int i = 0; i < n; i++) if (i * i < n) y[i] = x[i];",
    "for (int i = 0; i < n; i++) { int in = i > 0 && r > 0; if (in) y[i] = x[i - 1]; }",
    "for (int i = 0; i < n; i += 3) if (i >= 2) y[i] = x[i - 2];",
    "for (int i = 0; i < n; i++) { int ok = b[i] && i < n - 1; if (ok) y[i] = x[i + 1]; }",
    "for (int i = 0; i < n; i++) { int ok = 0; if (b[i]) ok = i < n - 1; if (ok) y[i] = x[i + 1]; }",
    "for (int i = 0; i < n; i += 8) for (int j = 0; j < 8; j++) { if (i + j == n) break; y[i + j] = x[i + j]; }",
]


@pytest.mark.parametrize("body", _LOST)
def test_a_condition_of_iterators_that_is_not_followed_is_not_left_out(body: str) -> None:
    with pytest.raises(PortRefusedError, match=r"condition that is not followed|not known from the loops' bounds"):
        _memory(body)


def test_a_parameter_whose_length_is_declared_needs_no_condition_followed() -> None:
    body = "for (int i = 1; i < n; i++) if (i % 4 != r) s += x[i - 1];"
    with pytest.raises(PortRefusedError, match=r"declare how long `x` is, `x\[n\]` in place of `\*x`$"):
        _memory(body)
    (array,) = _memory(body, "x[restrict n]").arrays
    assert [str(end.value) for end in array.touched.ends] == ["n"]


def test_what_data_decides_goes_no_further_than_a_declaration() -> None:
    for condition, end in (("b[i]", "n / 2"), ("b[i]", "r"), ("i % 4 != 3", "n")):
        memory = _memory(f"for (int i = 0; i < n; i++) if ({condition}) s += x[i + 1];", f"x[{end}]")
        x = next(array for array in memory.arrays if array.array.name == "x")
        assert section(memory, x.touched, {"n": 20, "r": 7, "n/2": 10}) == range({"n / 2": 10, "r": 7, "n": 20}[end])


@pytest.mark.parametrize("taken", ["r", "r / 2", "1"])
def test_data_does_not_decide_what_is_below_the_start(taken: str) -> None:
    with pytest.raises(PortRefusedError, match="whether `x` is used below its start is decided by data"):
        _memory(f"for (int i = 0; i < n; i++) if (b[i]) y[i] = x[i - {taken}];")
