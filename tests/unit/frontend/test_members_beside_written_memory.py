"""Members of a structure stay what they are while a call writes the memory that another member leads to."""

import pytest

LAYER = """
struct layer { int batch, outputs; float *output, *biases; int *counts; };
void copied(int n, const float *x, float *y) { for (int k = 0; k < n; k++) y[k] = x[k]; }
void counted(int *p, int i) { p[0] = i; }
void set(struct layer *l, int i) { l->outputs = i; }
"""


@pytest.mark.parametrize(
    ("given", "call", "kind"),
    [
        ("struct layer l", "copied(l.outputs, l.biases, l.output + i * l.outputs);", "parallel"),
        ("struct layer l", "copied(l.outputs, l.biases, i * l.outputs + l.output);", "parallel"),
        ("struct layer l", "copied(l.outputs, l.biases, (float *)l.output + i);", "carried"),
        ("struct layer *p", "copied(p->outputs, p->biases, p->output + i * p->outputs);", "parallel"),
        ("struct layer l", "counted(1 + l.counts, i); copied(l.counts[1], l.biases, l.output + i * l.counts[1]);",
         "unknown"),
        ("struct layer l", "set(&l, i); copied(l.outputs, l.biases, l.output + i * l.outputs);", "unknown"),
    ],
)  # fmt: skip
def test_size_in_a_structure(given: str, call: str, kind: str, analyse_c) -> None:
    batch = "p->batch" if "*p" in given else "l.batch"
    report = analyse_c(f"{LAYER}void f({given}) {{ for (int i = 0; i < {batch}; i++) {{ {call} }} }}")
    verdict = report.functions[-1].nests[0].facts.verdicts[0]
    assert verdict.kind in {kind, "carried" if kind == "unknown" else kind}
