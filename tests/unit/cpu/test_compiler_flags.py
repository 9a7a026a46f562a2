"""Flags of a compiler and of a Makefile as text, and what the model makes of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.c_nests import parsed
from warplens.analysis.cpu.assumed_compilation import assumed_compilation
from warplens.analysis.cpu.compiler_flags import code_flags, compilation_of, says_level
from warplens.analysis.cpu.makefile_flags import makefile_flags
from warplens.analysis.cpu.sequential import cpu_time
from warplens.hwprofiles.loader import load_cpu, load_cpu_for

CPU = load_cpu("desktop")
DOT = parsed.facts_of(
    "void f(long n, float *a, float *b, float *r)"
    " { float s = 0; for (long i = 0; i < n; i++) s += a[i] * b[i]; *r = s; }\n"
)
SCALE = parsed.facts_of(
    "void f(long n, float *restrict a, float *restrict b) { for (long i = 0; i < n; i++) b[i] = 2.0f * a[i]; }\n"
)


@pytest.mark.parametrize(
    ("flags", "level", "vector_bytes", "fuses", "reassociates"),
    [
        ("", 0, 16, False, False),
        ("-O", 1, 16, False, False),
        ("-O3 -O2", 2, 16, False, False),
        ("-Ofast", 3, 16, False, True),
        ("-O3 -mavx2", 3, 32, False, False),
        ("-O3 -mavx2 -mfma", 3, 32, True, False),
        ("-O3 -march=haswell", 3, 32, True, False),
        ("-O3 -march=x86-64-v2", 3, 16, False, False),
        ("-O3 -march=skylake-avx512", 3, 32, True, False),
        ("-O3 -march=skylake-avx512 -mprefer-vector-width=512", 3, 64, True, False),
        ("-O3 -march=znver5", 3, 64, True, False),
        ("-O3 -march=native", 3, 32, True, False),
        ("-O3 -ffast-math -fno-fast-math", 3, 16, False, False),
        ("-O3 -fno-tree-vectorize", 1, 16, False, False),
    ],
)
def test_flags_are_read(flags: str, level: int, vector_bytes: int, *, fuses: bool, reassociates: bool) -> None:
    found = compilation_of(flags.split(), CPU)
    assert (found.level, found.vector_bytes) == (level, vector_bytes)
    assert (found.fuses_multiply_add, found.reassociates) == (fuses, reassociates)


@given(st.lists(st.text(max_size=30), max_size=20))
def test_any_text_is_read(flags: list[str]) -> None:
    found = compilation_of(flags, CPU)
    assert 0 <= found.level <= 3
    assert found.flags == tuple(flags)


@given(st.text(max_size=300))
def test_any_makefile_is_read(text: str) -> None:
    assert all("$" not in word for word in makefile_flags(text))


def test_nothing_said_is_gcc_o3_for_the_profiles_target() -> None:
    assert assumed_compilation(CPU).level == 3
    assert cpu_time(DOT, dict.fromkeys(DOT.parameters, 999), CPU) == cpu_time(
        DOT, dict.fromkeys(DOT.parameters, 999), CPU, assumed_compilation(CPU)
    )


def test_only_a_level_makes_a_builds_flags_count() -> None:
    assert not says_level(("-march=native", "-Wall"))
    assert says_level(("-Wall", "-O2"))
    assert code_flags(("cc", "-O2", "-g", "-o", "-x", "-fopenmp", "f.c")) == ("-O2", "-fopenmp")


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("CFLAGS=-O2 -g\n", ("-O2", "-g")),
        ("CFLAGS = -O1\nCFLAGS = -O3\n", ("-O3",)),
        ("OPT = -O3\nCFLAGS = $(OPT) -Wall\n", ("-Wall", "-O3")),
        ("CFLAGS = -O2 `pkg-config --cflags x`\n", ("-O2", "--cflags")),
        ("  CFLAGS += -ffast-math\n", ("-ffast-math",)),
        ("all:\n\tcc -O3 f.c\n", ()),
        ("# CFLAGS = -O3\n", ()),
    ],
)
def test_a_makefiles_words_are_read(text: str, flags: tuple[str, ...]) -> None:
    assert makefile_flags(text) == flags


def test_o2_leaves_a_loop_scalar_that_o3_vectorises() -> None:
    sizes = dict.fromkeys(SCALE.parameters, 2000)
    plain = cpu_time(SCALE, sizes, load_cpu_for("desktop", ("-O2",)))
    wide = cpu_time(SCALE, sizes, load_cpu_for("desktop", ("-O3", "-mavx2")))
    assert not plain.vectorised
    assert wide.vectorised
    assert plain.one_core_s > 3 * wide.one_core_s
    assert any("gcc -O2" in assumption.text for assumption in plain.assumptions)


def test_fast_math_lets_a_float_sum_be_done_in_lanes() -> None:
    sizes = dict.fromkeys(DOT.parameters, 2000)
    exact, fast = (cpu_time(DOT, sizes, load_cpu_for("desktop", flags)) for flags in (("-O3",), ("-O3", "-ffast-math")))
    assert not exact.vectorised
    assert fast.vectorised
    assert exact.one_core_s > 3 * fast.one_core_s
