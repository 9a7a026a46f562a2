"""Random nests whose rows have several loops compute the same with the directives of their ports, most a team per row.

OpenMP's run on several threads, with a copy of exactly what is mapped; OpenACC's by gcc on one thread, and as OpenMP's
of the same meaning. A second port leaves them as they are.
"""

import re
from pathlib import Path

import pytest
from support.examples import is_nightly
from support.openacc_ports import insertion as openacc
from support.openacc_ports.random_program import differing, write
from support.openmp_ports import insertion as openmp
from support.openmp_ports.device_memory import with_own_memory
from support.openmp_ports.random_rows import random_rows
from support.separate_memory.offload import build, guard_of_run, run

_COUNT = 400 if is_nightly() else 60
_CHECKED = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
_THREADS = ["-fopenmp", "-foffload=disable", *_CHECKED]
_TEAM_LOOP = {"omp": re.compile(r"#pragma omp parallel for"), "acc": re.compile(r"#pragma acc loop vector")}
_MADE = {"omp": openmp.ported_text, "acc": openacc.ported_text}


def _ported(seeds: range, language: str, analyse_c) -> tuple[list[str], list[str]]:
    """Originals and what their ports made of them; of more than a sixth of the nests with a team per row."""
    originals, ported = [], []
    for text in random_rows(seeds):
        after, ports = _MADE[language](text, analyse_c(text), "")
        if any(port.lines for port in ports):
            originals.append(text)
            ported.append(after)
            assert _MADE[language](after, analyse_c(after), "")[0] == after, "ported twice"
    assert sum(_TEAM_LOOP[language].search(text) is not None for text in ported) > len(seeds) // 6
    return originals, ported


def _on_device(text: str) -> str:
    name = re.search(r"nest_\d+", text)
    assert name is not None
    return with_own_memory(text, name[0])


@pytest.mark.usefixtures("few_launches")
def test_openmp_on_threads(analyse_c, tmp_path: Path) -> None:
    originals, ported = _ported(range(20_000, 20_000 + _COUNT), "omp", analyse_c)
    assert differing(originals, [_on_device(text) for text in ported], _THREADS, tmp_path) == []


@pytest.mark.usefixtures("few_launches")
def test_openacc_on_one_thread_and_as_openmp(analyse_c, tmp_path: Path) -> None:
    originals, ported = _ported(range(21_000, 21_000 + _COUNT), "acc", analyse_c)
    on_host, on_threads = tmp_path / "acc", tmp_path / "omp"
    on_host.mkdir()
    on_threads.mkdir()
    assert differing(originals, ported, ["-fopenacc", *_CHECKED], on_host) == []
    on_device = [_on_device(openacc.as_openmp(text)) for text in ported]
    assert differing(originals, on_device, _THREADS, on_threads) == []


@pytest.mark.parametrize("language", ["omp", "acc"])
@pytest.mark.usefixtures("few_launches")
def test_on_separate_memory(language: str, analyse_c, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    guard = guard_of_run(tmp_path_factory)
    first = {"omp": 22_000, "acc": 23_000}[language]
    originals, ported = _ported(range(first, first + _COUNT), language, analyse_c)
    texts = ported if language == "omp" else [openacc.as_openmp(text) for text in ported]
    build(write(originals, texts, tmp_path), tmp_path, flags=("-O1", "-ffp-contract=off"))
    ran = run(tmp_path, guard=guard)
    assert (ran.output, ran.status) == ("", 0), ran.errors[:2000]
