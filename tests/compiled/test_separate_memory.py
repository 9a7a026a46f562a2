"""Ports of OpenMP and OpenACC compute the same where the device has memory of its own, with garbage in it before."""

import re
from pathlib import Path

import pytest
from support.made_once import made_once
from support.openacc_ports import insertion as openacc
from support.openacc_ports import random_program
from support.openmp_ports import insertion as openmp
from support.openmp_ports.loop_shapes import LOOP_SHAPES
from support.openmp_ports.memory_and_calls import MEMORY_AND_CALLS
from support.openmp_ports.random_nests import random_nests
from support.openmp_ports.reductions_and_time_loops import REDUCTIONS_AND_TIME_LOOPS
from support.separate_memory.offload import build, guarded, require_offload, run
from support.separate_memory.programs import LANGUAGES, on_device, on_host, ported_program

PROGRAMS = sorted((Path(__file__).parents[1] / "fixtures" / "programs").glob("*.c"))
CASES = (*LOOP_SHAPES, *REDUCTIONS_AND_TIME_LOOPS, *MEMORY_AND_CALLS)
NESTS = {"omp": range(9000, 9080), "acc": range(9080, 9160)}


@pytest.fixture(scope="module")
def offload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that guards the device's memory, where there is a compiler with such a device."""
    folder, _ = made_once("guarded-device", lambda folder: str(guarded(folder)), tmp_path_factory)
    require_offload(folder)
    return guarded(folder)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("few_launches", "offload")
def test_programs_print_the_same(program: Path, language: str, analyse_c, tmp_path: Path) -> None:
    source = program.read_text(encoding="utf-8")
    ported = ported_program(source, LANGUAGES[language], analyse_c)
    expected = re.match(r"/\*.*?ports: (\d+) omp, (\d+) acc", source, re.DOTALL)
    assert expected is not None, "the comment at the top says how many nests get a port"
    assert ported.ports == int(expected[1 if language == "omp" else 2]), ported.refusals
    ran = on_device(ported, language, tmp_path)
    assert (ran.output, ran.status) == (on_host(source, tmp_path), 0), ported.text + ran.errors


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
