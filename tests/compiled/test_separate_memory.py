"""Ports of OpenMP and OpenACC compute the same where the device has memory of its own, with garbage in it before."""

import re
from functools import partial
from pathlib import Path

import pytest
from support.examples import is_nightly
from support.openacc_ports import insertion as openacc
from support.openacc_ports import random_program
from support.openmp_ports import insertion as openmp
from support.openmp_ports.loop_shapes import LOOP_SHAPES
from support.openmp_ports.memory_and_calls import MEMORY_AND_CALLS
from support.openmp_ports.random_nests import random_nests
from support.openmp_ports.reductions_and_time_loops import REDUCTIONS_AND_TIME_LOOPS
from support.separate_memory.offload import build, guard_of_run, run
from support.separate_memory.programs import LANGUAGES, on_device, on_host, ported_program
from warplens.analysis.engine.memo import Memo

PROGRAMS = sorted((Path(__file__).parents[1] / "fixtures" / "programs").glob("*.c"))
CASES = (*LOOP_SHAPES, *REDUCTIONS_AND_TIME_LOOPS, *MEMORY_AND_CALLS)
_COUNT = 60 if is_nightly() else 20
NESTS = {"omp": range(9000, 9000 + _COUNT), "acc": range(9060, 9060 + _COUNT)}


@pytest.fixture(scope="module")
def offload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that guards the device's memory, where there is a compiler with such a device."""
    return guard_of_run(tmp_path_factory)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("few_launches")
def test_programs_print_the_same(program: Path, analyse_c, offload: Path, tmp_path: Path) -> None:
    """Both languages, whose analyses have most in common."""
    source, memo = program.read_text(encoding="utf-8"), Memo()
    expected = re.match(r"/\*.*?ports: (?P<omp>\d+) omp, (?P<acc>\d+) acc", source, re.DOTALL)
    assert expected is not None, "the comment at the top says how many nests get a port"
    printed = on_host(source, tmp_path)
    for language, fix in LANGUAGES.items():
        ported = ported_program(source, fix, partial(analyse_c, memo=memo))
        assert ported.ports == int(expected[language]), (language, ported.refusals)
        ran = on_device(ported, language, tmp_path, offload)
        assert (ran.output, ran.status) == (printed, 0), ported.text + ran.errors


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("few_launches")
def test_random_nests_compute_the_same(language: str, analyse_c, offload: Path, tmp_path: Path) -> None:
    texts = random_nests(NESTS[language])
    made = openmp.ported_text if language == "omp" else openacc.ported_text
    originals, ported = [], []
    for text in texts:
        after, ports = made(text, analyse_c(text), "")
        if any(port.lines for port in ports):
            originals.append(text)
            ported.append(after if language == "omp" else openacc.as_openmp(after))
    assert len(originals) > len(texts) // 3
    files = random_program.write(originals, ported, tmp_path)
    build(files, tmp_path, flags=("-O1", "-ffp-contract=off"))
    ran = run(tmp_path, guard=offload)
    assert (ran.output, ran.status) == ("", 0), ran.errors[:2000]
