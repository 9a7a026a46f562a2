"""Host functions run on the CPU: every element as in C, no byte read or written beyond what the C program has."""

from pathlib import Path

import pytest
from support.cuda_on_cpu.corpus.hosts import HOSTS
from support.cuda_on_cpu.ports import ports
from support.cuda_on_cpu.programs import Checked, failures

pytestmark = pytest.mark.compiled

_PORTS = 2
"""Of each nest: as predicted, and a block that is no multiple of anything."""


def test_hosts_compute_what_the_c_does(analyse_c, tmp_path: Path) -> None:
    checked: list[Checked] = []
    for case in HOSTS:
        found, _ = ports(case, analyse_c(case.source), seed=3)
        assert len(found) >= _PORTS, case.name
        checked.append(Checked(case, tuple(found[:_PORTS])))
    assert failures(checked, tmp_path, compilers=2) == []
