"""Random nests compute the same with the directives of their OpenACC ports, which a second port leaves as they are.

gcc runs OpenACC on one thread in the host's memory; the same directives as OpenMP's run on four threads, with a copy of
exactly what the data clauses name.
"""

import re
from pathlib import Path

import pytest
from support.examples import is_nightly
from support.openacc_ports.insertion import as_openmp, ported_text
from support.openacc_ports.random_program import differing
from support.openmp_ports.device_memory import with_own_memory
from support.openmp_ports.random_nests import random_nests
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish

NESTS = range(5000, 5140 if is_nightly() else 5048)


@pytest.mark.usefixtures("few_launches")
@pytest.mark.parametrize("wish", [AS_PREDICTED, LaunchWish(block=(8, 4, 1))], ids=["best", "8x4"])
def test_random_nests_compute_the_same(wish: LaunchWish, analyse_c, tmp_path: Path) -> None:
    half = len(NESTS) // 2
    seeds = NESTS[:half] if wish == AS_PREDICTED else NESTS[half:]
    originals, ported, on_device = [], [], []
    for text in random_nests(seeds):
        after, ports = ported_text(text, analyse_c(text), function="", wish=wish)
        if any(port.lines for port in ports):
            originals.append(text)
            ported.append(after)
            name = re.search(r"nest_\d+", text)
            assert name is not None
            on_device.append(with_own_memory(as_openmp(after), name[0]))
            assert ported_text(after, analyse_c(after), function="", wish=wish)[0] == after
    assert len(originals) > len(seeds) // 3
    on_host, on_threads = tmp_path / "acc", tmp_path / "omp"
    on_host.mkdir()
    on_threads.mkdir()
    checked = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    assert differing(originals, ported, ["-fopenacc", *checked], on_host) == []
    assert differing(originals, on_device, ["-fopenmp", "-foffload=disable", *checked], on_threads) == []
