"""Ports of whole files of the corpus: what they compute on several threads, and that a second time changes nothing."""

from pathlib import Path

import pytest
from support.openmp_ports.whole_files import differing, ported_file

FOLDER = Path(__file__).parents[1] / "fixtures" / "dependence"
FILES = {"scalars": 15, "struct_members": 15, "private_arrays": 8, "declared_rows": 6, "guards": 6}
"""Files of the corpus, each with how many of its functions get a port at least."""


@pytest.mark.usefixtures("few_launches")
@pytest.mark.parametrize(("name", "least"), FILES.items(), ids=FILES)
def test_ports_compute_the_same_and_a_second_time_changes_nothing(
    name: str, least: int, analyse_c, tmp_path: Path
) -> None:
    source = (FOLDER / f"{name}.c").read_text(encoding="utf-8")
    ported = ported_file(source, analyse_c(source))
    assert len(ported.functions) >= least
    wrong = differing(source, ported, tmp_path)
    assert not wrong, "\n".join(ported.functions[function] for function in wrong)
    again = ported_file(ported.text, analyse_c(ported.text))
    assert (again.text, again.functions) == (ported.text, {})
