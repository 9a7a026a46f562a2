"""The OpenMP port compiles without a warning and computes what the original computes.

Without an offload compiler the target regions run on the host, on several threads: clauses that are wrong in form, data
races and lost values show, copies that are missing do not. Those are held against the expected clauses.
"""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.fix_fixtures.fixture import FOLDER
from support.openmp_ports.case import Case
from support.openmp_ports.insertion import ported_text
from support.openmp_ports.loop_shapes import LOOP_SHAPES
from support.openmp_ports.memory_and_calls import MEMORY_AND_CALLS
from support.openmp_ports.reductions_and_time_loops import REDUCTIONS_AND_TIME_LOOPS

PORTED = (*LOOP_SHAPES, *REDUCTIONS_AND_TIME_LOOPS, *MEMORY_AND_CALLS)
POOL = 1 << 16
MAIN = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double original[%(pool)d], ported[%(pool)d];
void drive_original(double *), drive_ported(double *);
int main(void)
{
    srand(1);
    for (int i = 0; i < %(pool)d; i++)
        original[i] = (2 * (rand() %% 2048) - 2047) / 4096.0;
    memcpy(ported, original, sizeof original);
    drive_original(original);
    drive_ported(ported);
    for (int i = 0; i < %(pool)d; i++)
        if (!(fabs(original[i] - ported[i]) <= %(tolerance)g * fabs(original[i]))) {
            printf("element %%d: %%.17g, not %%.17g\\n", i, ported[i], original[i]);
            return 1;
        }
    return 0;
}
"""


@pytest.mark.parametrize("case", PORTED, ids=lambda case: case.name)
def test_port_computes_the_same(case: Case, analyse_c, tmp_path: Path) -> None:
    text, ports = ported_text(case.source, analyse_c(case.source))
    assert [port.refusal for port in ports if port.refusal] == []
    lines = [line for port in ports for line in port.lines]
    assert lines
    for clause in case.clauses:
        assert any(clause in line for line in lines), lines

    main = MAIN % {"pool": POOL, "tolerance": 1e-9 if case.is_reduction else 0}
    for name, content in (("original", case.source), ("ported", text), ("main", main)):
        renamed = "" if name == "main" else f"#define work work_{name}\n#define drive drive_{name}\n"
        (tmp_path / f"{name}.c").write_text(renamed + content)
    command = ["gcc", "-O1", "-std=gnu11", "-fopenmp", "-foffload=disable", "-Wall", "-Werror"]
    command += ["-fno-common", "original.c", "ported.c", "main.c", "-lm", "-o", "run"]
    compiled = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, text + compiled.stderr
    environment = {**os.environ, "OMP_NUM_THREADS": "4"}
    ran = subprocess.run(["./run"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, text + ran.stdout


@given(case=st.sampled_from(PORTED), gpu=st.sampled_from(["a100", "gtx460", "h100"]), depth=st.integers(0, 3))
@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_second_port_is_refused(case: Case, gpu: str, depth: int, analyse_c) -> None:
    source = case.source.replace("\n", "\n" + "  " * depth).replace("\n" + "  " * depth + "        #", "\n#")
    once, _ = ported_text(source, analyse_c(source, gpu=gpu))
    twice, ports = ported_text(once, analyse_c(once, gpu=gpu))
    assert twice == once
    assert all("there already as they would be written" in port.refusal for port in ports)


def test_texts_of_the_fixtures_after_compile(tmp_path: Path) -> None:
    """One command for all: clauses in the user's own order and lines in odd places are still OpenMP."""
    files = sorted(str(path) for path in (FOLDER / "openmp").glob("*.after.c"))
    command = ["gcc", "-std=gnu11", "-fopenmp", "-foffload=disable", "-Wall", "-Werror", "-c", *files]
    compiled = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
