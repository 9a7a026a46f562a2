"""What each CUDA file of a quantity says of itself, that the program has it, and that the README tells of it."""

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from warplens.analysis.facts.program import PROFILED_OP_CLASSES
from warplens.hwprofiles.schema import GPU_SCHEMA
from warplens.server.measure.calibration.sass_check import sass_demands

SOURCES = Path(str(files("warplens.hwprofiles"))) / "calibrate" / "gpu"
PROGRAM = "calibrate_gpu.cu"
QUANTITIES = {
    f"{path.parent.name}.{path.stem}": path.read_text(encoding="utf-8")
    for path in sorted(SOURCES.glob("*/*.cu"))
    if path.name != PROGRAM
}
WITHOUT_KERNELS = {"device.properties", "host.context_init_ms", "host.transfers"}


def keys_of(source: str) -> list[str]:
    """Of the second line, which is there also where there are none."""
    found = re.fullmatch(r"// Keys:(?: (.+))?", source.splitlines()[1])
    assert found is not None
    return found[1].split(", ") if found[1] else []


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_file_is_named_as_its_quantity(quantity: str) -> None:
    assert QUANTITIES[quantity].startswith(f"// Quantity: {quantity}\n")


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_keys_are_those_of_profiles(quantity: str) -> None:
    known = {f"{section}.{key.name}" for section, keys in GPU_SCHEMA.items() for key in keys}
    assert set(keys_of(QUANTITIES[quantity])) <= known


def test_no_key_is_of_two_quantities() -> None:
    times = Counter(key for source in QUANTITIES.values() for key in keys_of(source))
    assert [key for key, count in times.items() if count > 1] == []


@pytest.mark.parametrize("op", PROFILED_OP_CLASSES)
def test_every_class_of_instructions_is_measured(op: str) -> None:
    assert keys_of(QUANTITIES[f"instructions.{op}"]) == [f"instructions.lat_{op}", f"instructions.tput_{op}"]


def test_the_program_has_every_quantity_once() -> None:
    program = (SOURCES / PROGRAM).read_text(encoding="utf-8")
    included = re.findall(r'^#include "(\w+)/(\w+)\.cu"$', program, re.MULTILINE)
    run = re.findall(r"^    QUANTITY\((\w+), (\w+)\),$", program, re.MULTILINE)
    assert sorted(map(".".join, included)) == sorted(QUANTITIES)
    assert sorted(map(".".join, run)) == sorted(QUANTITIES)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_what_a_kernel_holds_is_demanded(quantity: str) -> None:
    demands = sass_demands(QUANTITIES[quantity])
    assert {demand.quantity for demand in demands} == (set() if quantity in WITHOUT_KERNELS else {quantity})


def test_both_kernels_of_every_class_are_demanded() -> None:
    for op in PROFILED_OP_CLASSES:
        kernels = {demand.kernel for demand in sass_demands(QUANTITIES[f"instructions.{op}"])}
        assert kernels >= {f"dependent_{op}", f"independent_{op}"}
