"""`restrict` is not written where the file itself calls the function with one address for two parameters."""

import pytest
from conftest import AnalyseC
from support.fix_fixtures.contexts import contexts
from warplens.analysis.ports.fix import AS_PREDICTED
from warplens.analysis.ports.restructure import restrict_fix

_ADD = """
void add(int n, double *a, const double *b, double *c);
void add(int n, double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + c[i];
}
"""


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        ("add(3, p, q, p);", "`all` passes `p` for `a` and `c`: they overlap there"),
        ("if (p) add(3, p + 1, p+1, q);", "`all` passes `p + 1` for `a` and `b`: they overlap there"),
        ("add(3, p, q, q);", "`all` passes `q` for `b` and `c`: they overlap there"),
        ("add(3, p, p + 2, q);", "`all` passes `p` and `p + 2` for `a` and `b`: they overlap there"),
        ("add(3, p, q, q + 3);", ""),
        ("add(0, NULL, NULL, NULL);", ""),
        ("/* add(3, p, q, p); */", ""),
    ],
)
def test_the_file_s_own_calls_keep_the_promise(analyse_c: AnalyseC, call: str, refusal: str) -> None:
    source = f"#define NULL ((void *)0)\n{_ADD}void all(double *p, double *q) {{\n{call}\n}}\n"
    context = next(contexts(source, analyse_c(source)))
    (offer,) = restrict_fix.FIX.offer(context)
    edits = restrict_fix.FIX.edit(context, offer, AS_PREDICTED)
    assert edits.refusal == refusal
    assert len(edits.edits) == (0 if refusal else 6)
