"""What an array holds is copied once, whatever loops go through it: members, rows found in data, gathered elements."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import facts_of, nests_of
from support.examples import examples
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.facts.nest_facts import NestFacts

BODY = "struct body { double x[3], v[3]; };"
GRID = "struct grid { double u[64][64], v[64][64]; };"


def moved(facts: NestFacts, **sizes: int) -> dict[str, tuple[int, int]]:
    return {t.array: (int(t.in_bytes.evaluate(sizes)), int(t.out_bytes.evaluate(sizes))) for t in facts.transfers}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (  # a million structures of six doubles, whatever loop over x[k] reads them (u33_struct_rows.c)
            (
                f"{BODY} void drift(struct body *restrict b, double dt) {{ for (int i = 0; i < 1048576; i++)"
                " for (int k = 0; k < 3; k++) b[i].x[k] += dt * b[i].v[k]; }"
            ),
            {"b": (48 << 20, 48 << 20)},
        ),
        (  # a member that is no array beside one that is
            (
                "struct odd { char tag; float x[3]; double w; };"
                "void f(struct odd *restrict b) { for (int i = 0; i < 100; i++)"
                " for (int k = 0; k < 3; k++) b[i].x[k] += b[i].w; }"
            ),
            {"b": (2400, 2400)},
        ),
        (  # arrays of structures in structures
            (
                "struct point { float p[3]; }; struct tri { struct point c[3]; int id; };"
                "void f(struct tri *restrict t, float *restrict out) { for (int i = 0; i < 10; i++) { float s = 0;"
                " for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) s += t[i].c[a].p[b]; out[i] = s; } }"
            ),
            {"t": (400, 0), "out": (0, 40)},
        ),
        (  # of one structure the members that are touched
            (
                f"{GRID} static struct grid g; void f(void) {{ for (int i = 0; i < 64; i++)"
                " for (int k = 0; k < 64; k++)"
                " g.u[i][k] += g.v[i][k]; }"
            ),
            {"g": (65536, 32768)},
        ),
        (
            (
                f"{GRID} void f(struct grid *restrict g) {{ for (int i = 0; i < 64; i++) for (int k = 0; k < 64; k++)"
                " g->u[i][k] += g->v[i][k]; }"
            ),
            {"g": (65536, 32768)},
        ),
        (  # bytes that are read as wider numbers
            "void f(char *restrict z) { for (int i = 0; i < 10; i++) ((int *)z)[i] *= 2; }",
            {"z": (40, 40)},
        ),
    ],
)
def test_members_of_structures_are_counted_with_them(source: str, expected: dict[str, tuple[int, int]]) -> None:
    assert moved(facts_of(source)) == expected


CSR = (
    "void smooth(int rounds, int rows, const double val[], const int col[], const int first[], double vin[],"
    " double vout[]) {{ for (int r = 0; r < rounds; r++) {{ for (int j = 0; j < rows; j++) {{ double sum = 0.0;"
    " for (int k = first[j]; k < first[j + 1]; k++) sum += val[k] * vin[col[k]]; vout[j] = sum; }}"
    " for (int j = 0; j < rows; j++) vin[j] = 0.5 * (vin[j] + vout[j]); {more} }} }}"
)


def test_rows_that_are_gone_through_again_are_copied_once() -> None:
    """r01_csr_iterated.c: 21 MiB, not as many times as there are rounds; what is gathered lies where all of it is."""
    sizes = {"rounds": 25, "rows": 14000, "iterations of k": 132}
    facts = facts_of(CSR.format(more=""))
    entries = 14000 * 132
    assert set(facts.parameters) == set(sizes)
    assert moved(facts, **sizes) == {
        "first": (4 * 14001, 0),
        "val": (8 * entries, 0),
        "col": (4 * entries, 0),
        "vin": (8 * 14000, 8 * 14000),
        "vout": (0, 8 * 14000),
    }
    assert [a.kind for a in facts.assumptions if a.subject == "vin" and "depends on data" in a.text] == ["bounds"]


def test_rows_whose_starts_change_may_be_others_each_time() -> None:
    source = CSR.replace("const int first[]", "int first[]").format(more="for (int j = 0; j < rows; j++) first[j] = 0;")
    sizes = {"rounds": 25, "rows": 14000, "iterations of k": 132}
    assert moved(facts_of(source), **sizes)["val"] == (8 * 25 * 14000 * 132, 0)


def test_one_element_says_nothing_of_how_long_an_array_is() -> None:
    facts = facts_of(
        "void f(int n, const int *restrict at, const double *restrict x, double *restrict y)"
        " { for (int i = 0; i < n; i++) y[i] = x[0] + x[at[i]]; }"
    )
    assert "elements of x" in facts.parameters


@settings(max_examples=examples(60))
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 2), st.integers(1, 5), st.data())
def test_touched_structures_are_the_enumerated_ones(
    members: int, inner: int, first: int, count: int, data: st.DataObject
) -> None:
    """Brute force: distinct structures that a loop over their members meets, times their size."""
    steps = data.draw(st.integers(1, 2))
    offset = data.draw(st.integers(0, 3))
    trips = data.draw(st.integers(1, inner * members))
    source = (
        f"struct s {{ float m[{members * inner}]; int t; }};"
        f"void f(struct s *restrict a) {{ for (int i = {first}; i < {first + count}; i++)"
        f" for (int k = 0; k < {trips}; k++) a[{steps} * i + {offset}].m[k] += 1; }}"
    )
    (nest,) = nests_of(source)
    structures = {steps * i + offset for i in range(first, first + count)}
    expected = (max(structures) - min(structures) + 1) * 4 * (members * inner + 1)
    (transfer,) = analyse_nest(nest).transfers
    assert transfer.out_bytes.evaluate({}) == expected
