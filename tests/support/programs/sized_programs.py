"""Programs whose sizes tests ask for, and what reports say of them."""

from __future__ import annotations

from warplens.analysis.engine.report import NestReport

RUN = "void run(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2.0; }\n"

MAIN = "extern void run(double *x, int n);\nextern double x[];\nint main(int argc, char **argv) {{ {} }}\n"

NET = """\
struct net { int inputs, outputs, hidden; };
static struct net made;
struct net *init(int inputs, int hidden, int outputs)
{
    struct net *net = &made;
    net->inputs = inputs;
    net->hidden = hidden;
    net->outputs = outputs;
    return net;
}
void run(struct net *net, double *x)
{
    for (int j = 0; j < net->outputs; j++)
        for (int k = 0; k < net->inputs; k++)
            x[j * net->inputs + k] *= 2;
}
void train(struct net *net, double *restrict x, const double *restrict y)
{
    for (int h = 0; h < 3; h++)
        for (int k = 0; k < (h == 2 ? net->outputs : net->hidden); k++)
            x[h * net->hidden + k] += y[k];
}
"""


def sizes_of(nest: NestReport) -> dict[str, tuple[int, str]]:
    """Value and origin of each size of a nest."""
    assert nest.evaluation is not None
    values = dict(nest.evaluation.sizes)
    return {a.subject: (values[a.subject], a.origin) for a in nest.evaluation.assumptions if a.kind == "size"}


def text_of(nest: NestReport, name: str) -> str:
    """What is said of a size."""
    assert nest.evaluation is not None
    (text,) = (a.text for a in nest.evaluation.assumptions if a.kind == "size" and a.subject == name)
    return text
