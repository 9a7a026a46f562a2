"""The kernels hold what they shall measure, on every architecture, and a kernel that doesn't is found.

The SASS in the tests of the parser is written by hand after what cuobjdump prints.
"""

import re
from pathlib import Path

import pytest
from warplens.server.measure.calibration.sass_check import (
    Kernels,
    SassDemand,
    SassHeaderError,
    SassMismatch,
    disassembled,
    parse_sass,
    sass_demands,
    sass_mismatches,
)
from warplens.server.measure.kernel_times.toolchain import BuildError
from warplens.server.programs.programs import ANYWHERE

TEXT = """
Fatbin elf code:
================
arch = sm_80
code version = [1,7]

	code for sm_80
		Function : _Z9chain_addILi2EEvPf
	.headerflags	@"EF_CUDA_SM80 EF_CUDA_PTX_SM(EF_CUDA_SM80)"
        /*0000*/                   FADD R1, R1, R1 ;                 /* 0x00000a00ff017624 */
                                                                     /* 0x000fe400078e00ff */
        /*0010*/                   CS2R R2, SR_CLOCKLO ;             /* 0x0000000000027805 */
        /*0020*/              @!P0 FADD.FTZ R0, R0, R9 ;             /* 0x0000003500008947 */
        /*0030*/                   FADD R0, R0, R9 ;                 /* 0x0000000900000221 */
        /*0040*/             @!UP0 UIADD3 UR4, UR4, 0x1, URZ ;       /* 0x0000000900000221 */
        /*0050*/                   CS2R R4, SR_CLOCKLO ;             /* 0x0000000000047805 */
        /*0060*/                   FADD R0, R0, R9 ;                 /* 0x0000000900000221 */
        /*0070*/                   EXIT ;                            /* 0x000000000000794d */
		Function : _Z9chain_addILi4EEvPf
        /*0000*/                   FADD R0, R0, R9 ;                 /* 0x0000000900000221 */
        /*0010*/                   FADD R0, R0, R9 ;                 /* 0x0000000900000221 */
arch = sm_90
		Function : _Z11unchain_addv
        /*0000*/                   S2UR UR4, SR_CLOCKLO ;            /* 0x0000000000027805 */
        /*0010*/                   FADD R0, R0, R9 ;                 /* 0x0000000900000221 */
"""


def demand(kernel: str, opcode: str, least: int, *architectures: str) -> SassDemand:
    return SassDemand("a.quantity", kernel, opcode, least, architectures)


def test_only_what_is_between_the_clock_reads_counts() -> None:
    sass = parse_sass(TEXT)
    assert sass["sm_80"]["_Z9chain_addILi2EEvPf"] == {"FADD.FTZ": 1, "FADD": 1, "UIADD3": 1}


def test_all_of_a_kernel_counts_that_reads_no_clock_or_one() -> None:
    sass = parse_sass(TEXT)
    assert sass["sm_80"]["_Z9chain_addILi4EEvPf"] == {"FADD": 2}
    assert sass["sm_90"]["_Z11unchain_addv"] == {"S2UR": 1, "FADD": 1}


def test_the_instance_with_the_fewest_decides() -> None:
    found = sass_mismatches(parse_sass(TEXT), [demand("chain_add", "FADD", 2, "sm_80")])
    assert found == [SassMismatch("a.quantity", "chain_add", "sm_80", "FADD >= 2", 1)]
    assert sass_mismatches(parse_sass(TEXT), [demand("chain_add", r"FADD(\.FTZ)?", 2, "sm_80")]) == []


def test_a_kernel_whose_name_ends_alike_is_another() -> None:
    found = sass_mismatches(parse_sass(TEXT), [demand("chain_add", "FADD", 1)])
    assert found == [SassMismatch("a.quantity", "chain_add", "sm_90", "FADD >= 1", None)]


@pytest.mark.parametrize(
    "line",
    [
        "chain FADD 64",
        "chain FADD >= 0",
        "chain FADD >= many",
        "chain FADD >= 1 on",
        "chain ( >= 1",
        "chain F ADD >= 1",
    ],
)
def test_a_line_that_demands_nothing_is_an_error(line: str) -> None:
    with pytest.raises(SassHeaderError, match=r"a\.b"):
        sass_demands(f"// Quantity: a.b\n// SASS: {line}\n")


def test_lines_below_the_header_demand_nothing() -> None:
    assert sass_demands("// Quantity: a.b\n\n// SASS: chain FADD >= 64\n") == ()


def all_demands(sources: Path) -> list[SassDemand]:
    return [one for path in sorted(sources.glob("*/*.cu")) for one in sass_demands(path.read_text(encoding="utf-8"))]


@pytest.fixture(scope="module")
def parsed() -> dict[str, dict[str, Kernels]]:
    """Filled by the first test that needs it: the text of five architectures takes seconds."""
    return {}


@pytest.fixture
def program_sass(built, cuobjdump: str, parsed: dict[str, dict[str, Kernels]], tmp_path: Path) -> dict[str, Kernels]:
    if not parsed:
        parsed["program"] = parse_sass(disassembled(built.program, tmp_path, ANYWHERE))
    return parsed["program"]


def test_the_kernels_hold_what_they_measure(built, program_sass: dict[str, Kernels], gpu_sources: Path) -> None:
    assert tuple(program_sass) == built.architectures
    assert sass_mismatches(program_sass, all_demands(gpu_sources)) == []


def test_no_kernel_keeps_its_values_in_memory(program_sass: dict[str, Kernels]) -> None:
    spilled = {
        (arch, kernel)
        for arch, kernels in program_sass.items()
        for kernel, opcodes in kernels.items()
        if any(opcode.startswith(("LDL", "STL")) for opcode in opcodes)
    }
    assert spilled == set()


@pytest.mark.parametrize("quantity", ["fp32_add", "int64_mul", "branch"])
def test_a_kernel_without_its_instructions_is_found(
    quantity: str, built, program_sass: dict[str, Kernels], gpu_sources: Path
) -> None:
    """As if a compiler had folded half of a chain."""
    demands = sass_demands((gpu_sources / "instructions" / f"{quantity}.cu").read_text(encoding="utf-8"))
    doctored = {
        arch: {
            kernel: type(opcodes)({opcode: count // 2 - 1 for opcode, count in opcodes.items()})
            if re.search(rf"\ddependent_{quantity}I", kernel)
            else opcodes
            for kernel, opcodes in kernels.items()
        }
        for arch, kernels in program_sass.items()
    }
    found = sass_mismatches(doctored, demands)
    assert {(one.arch, one.kernel) for one in found} == {
        (arch, f"dependent_{quantity}") for arch in built.architectures
    }


def test_what_is_no_program_is_said(cuobjdump: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    with pytest.raises(BuildError, match="cuobjdump"):
        disassembled(tmp_path / "text", tmp_path, ANYWHERE)
