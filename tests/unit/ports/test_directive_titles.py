"""A menu shows whole clauses."""

import re

import pytest
from support.fix_fixtures.contexts import contexts
from warplens.analysis.ports.catalogue import offers
from warplens.analysis.ports.fix import TITLE_LENGTH

LOOPS = {
    "one": "for (int i = 0; i < n; i++) y[i] = x[i];",
    "two": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i * n + j] = x[i * n + j] + x[j * n + i];",
    "long names": "double longer_than_a_menu = 0, other_one;\nfor (int i = 0; i < n; i++) { other_one = x[i];"
    " longer_than_a_menu += other_one * other_one; } y[0] = longer_than_a_menu;",
    "region": "for (int t = 0; t < n; t++) { for (int i = 0; i < n; i++) y[i] = x[i] + t;"
    " for (int i = 0; i < n; i++) z[i] = y[i]; for (int i = 0; i < n; i++) y[i] = z[n - 1 - i]; }",
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_title_ends_between_clauses(loop: str, analyse_c) -> None:
    source = f"void work(int n, double *restrict y, double *restrict z, const double *restrict x) {{\n{loop}\n}}"
    (context,) = contexts(source, analyse_c(source))
    titles = [offer.title for offer in offers(context) if offer.code in {"openmp", "openacc"} and not offer.refusal]
    assert titles
    for title in titles:
        shown = title.partition("`: ")[2]
        assert len(title) <= TITLE_LENGTH
        assert shown.count("(") == shown.count(")")
        clauses = re.sub(r" …| and \d+ more directives?", "", shown)
        assert re.fullmatch(r"(?:[a-z_]+(?:\((?:[^()]|\([^()]*\))*\))? ?)+", clauses)
