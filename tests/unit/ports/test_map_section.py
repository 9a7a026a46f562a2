"""A mapped section is exactly the rows that the loops touch."""

import re

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.openmp_ports.insertion import ported_text


@st.composite
def loops(draw: st.DrawFn) -> tuple[tuple[str, str], tuple[str, str], str]:
    """Headers of i and j, each in C and in Python, and the subscript of x in both."""
    first, last = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    i = (f"int i = {first}; i < n - {last}; i++", f"range({first}, n - {last})")
    if draw(st.booleans()):
        i = (f"int i = n - {last + 1}; i >= {first}; i--", f"range(n - {last + 1}, {first} - 1, -1)")
    step = draw(st.sampled_from([1, 1, 3, 4]))
    if step > 1:  # tiles: of their points some are left out, or go on into the next tile
        i = (f"int i = {first}; i < n - {last}; i += {step}", f"range({first}, n - {last}, {step})")
        length = draw(st.sampled_from([step, step, step - 1, step + 2]))
        j = (
            f"int j = i; j < i + {length} && j < n - {last}; j++",
            f"range(i, min(i + {length}, n - {last}))",
        )
        return i, j, f"{draw(st.sampled_from([0, 0, 1, -1]))} * i + {draw(st.integers(-1, 3))} * j + 30"
    j = draw(
        st.sampled_from(
            [
                ("int j = 0; j < m; j++", "range(m)"),
                ("int j = 0; j <= i; j++", "range(i + 1)"),
                ("int j = i; j < n; j++", "range(i, n)"),
                ("int j = m; j > 2; j--", "range(m, 2, -1)"),
                ("int j = 1; j < 12; j += 4", "range(1, 12, 4)"),
            ]
        )
    )
    slopes = draw(st.integers(-2, 3)), draw(st.integers(-1, 3))
    subscript = f"{slopes[0]} * i + {slopes[1]} * j + {draw(st.integers(0, 9))}"
    return i, j, subscript


@given(nest=loops(), n=st.integers(8, 20), m=st.integers(4, 20))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_section_is_the_hull_of_what_is_touched(nest, n: int, m: int, analyse_c) -> None:
    (i_c, i_python), (j_c, j_python), subscript = nest
    source = (
        "void work(int n, int m, double *restrict y, const double *restrict x) {\n"
        f"for ({i_c}) {{ double s = 0; for ({j_c}) s += x[{subscript}]; y[i] = s; }} }}"
    )
    text, _ = ported_text(source, analyse_c(source))
    section = re.search(r"\bx\[(.*?):(.*?)\]", " ".join(re.findall("#pragma.*", text)))
    assume(section is not None)
    start, length = (eval(text, {"n": n, "m": m}) for text in section.groups())
    touched = [
        eval(subscript, {"i": i, "j": j})
        for i in eval(i_python, {"n": n, "m": m})
        for j in eval(j_python, {"n": n, "m": m, "i": i})
    ]
    assert (start, start + length - 1) == (min(touched), max(touched))


def test_loops_side_by_side_that_count_with_one_variable_have_limits_of_their_own(analyse_c) -> None:
    source = (
        "void work(int n, int m, int p, double *restrict y, const double *restrict x, const double *restrict z) {\n"
        "int k; for (int i = 0; i < p; i++) { double s = 0;"
        " for (k = 0; k < n; k++) s += x[k]; for (k = 0; k < m; k++) s += z[k]; y[i] = s; } }"
    )
    text, _ = ported_text(source, analyse_c(source))
    assert "x[0:n], z[0:m]" in text
