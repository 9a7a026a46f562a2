"""What the flags of a compiler's command line say of the code, read as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from warplens.analysis.cpu.assumed_compilation import assumed_compilation
from warplens.analysis.cpu.compilation import VECTOR_BYTES, Compilation, InstructionSet
from warplens.analysis.cpu.cpu import Cpu

_GENERIC = frozenset(("x86-64", "nocona", "core2", "k8", "opteron", "athlon64", "i686"))
_SSE4 = frozenset(
    ("x86-64-v2", "nehalem", "westmere", "silvermont", "corei7", "bdver1", "btver1", "amdfam10", "barcelona")
)
_AVX512 = frozenset((
    "x86-64-v4", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake", "icelake-client", "icelake-server",
    "tigerlake", "rocketlake", "sapphirerapids", "emeraldrapids", "graniterapids", "znver4", "znver5",
))  # fmt: skip
_WIDEST_PREFERRED = frozenset(("znver4", "znver5"))
"""Tuned for vectors of 64 bytes; gcc prefers 32 for the others with AVX-512."""
_BY_FLAG: dict[str, InstructionSet] = {
    "-msse4.1": "sse4",
    "-msse4.2": "sse4",
    "-mavx": "sse4",
    "-mavx2": "avx2",
    "-mavx512f": "avx512",
    "-mavx512vl": "avx512",
    "-mavx512bw": "avx512",
}
_LONGEST_FLAG = 100
_LEVELS = {"": 1, "0": 0, "1": 1, "2": 2, "3": 3, "s": 2, "z": 2, "g": 1, "fast": 3}


def compilation_of(flags: Sequence[str], cpu: Cpu) -> Compilation:
    """Read gcc's or clang's flags; what they leave open is the compiler's default: -O0, generic x86-64, no fast-math.

    `cpu` says what -march=native means. Unknown flags are ignored. Of flags that contradict each other the last counts.

    >>> from warplens.hwprofiles.loader import load_cpu
    >>> found = compilation_of(("-O3", "-mavx2", "-mfma", "-ffast-math"), load_cpu("desktop"))
    >>> found.level, found.vector_bytes, found.fuses_multiply_add, found.reassociates, found.words
    (3, 32, True, True, 'gcc -O3 -mavx2 -mfma -ffast-math')
    """
    found = replace(assumed_compilation(cpu), level=0)
    preferred = 0
    said: list[str] = []
    for flag in flags:
        before = (found, preferred)
        if flag.startswith("-O") and flag[2:] in _LEVELS:
            found = replace(found, level=_LEVELS[flag[2:]])
            if flag == "-Ofast":
                found = replace(found, reassociates=True, sets_errno=False)
        elif flag.startswith("-march="):
            found = _for_target(found, flag.removeprefix("-march="), cpu)
            preferred = cpu.native_vector_bytes if flag == "-march=native" else 0
            preferred = 64 if flag.removeprefix("-march=") in _WIDEST_PREFERRED else preferred
        elif flag in _BY_FLAG:
            wider = _BY_FLAG[flag]
            found = found if found.has(wider) else replace(found, instructions=wider)
        elif flag in {"-mfma", "-mno-fma"}:
            found = replace(found, fuses_multiply_add=flag == "-mfma")
        elif flag.startswith("-mprefer-vector-width=") and flag.partition("=")[2].isdigit():
            preferred = int(flag.partition("=")[2]) // 8
        elif flag in {"-ffast-math", "-fno-fast-math", "-funsafe-math-optimizations", "-fassociative-math"}:
            is_on = not flag.startswith("-fno-")
            errno = found.sets_errno if flag in {"-funsafe-math-optimizations", "-fassociative-math"} else not is_on
            found = replace(found, reassociates=is_on, sets_errno=errno)
        elif flag in {"-fno-math-errno", "-fmath-errno"}:
            found = replace(found, sets_errno=flag == "-fmath-errno")
        elif flag == "-fopenmp":
            found = replace(found, uses_openmp=True)
        elif flag in {"-fno-tree-vectorize", "-fno-vectorize"}:
            found = replace(found, level=min(found.level, 1))
        if (found, preferred) != before or flag.startswith("-O"):
            said.append(flag)
    return replace(
        found,
        vector_bytes=_width(found, preferred, cpu),
        words=" ".join(("gcc", *dict.fromkeys(said))),
        flags=tuple(flags),
    )


def says_level(flags: Sequence[str]) -> bool:
    """Whether flags say how far to optimise; those of a build that leaves it open are no ground for a prediction."""
    return any(flag.startswith("-O") and flag[2:] in _LEVELS for flag in flags)


def code_flags(arguments: Sequence[str]) -> tuple[str, ...]:
    """Of a command line's arguments those that decide how code is made.

    >>> code_flags(("gcc", "-O2", "-Iinclude", "-march=native", "-c", "f.c", "-Wall", "-fopenmp", "-DN=3"))
    ('-O2', '-march=native', '-fopenmp')
    """
    return tuple(each for each in arguments if each.startswith(("-O", "-m", "-f")) and len(each) <= _LONGEST_FLAG)


def _for_target(found: Compilation, target: str, cpu: Cpu) -> Compilation:
    if target == "native":
        widest: InstructionSet = "avx512" if cpu.native_vector_bytes > VECTOR_BYTES["avx2"] else "avx2"
        if cpu.native_vector_bytes < VECTOR_BYTES["avx2"]:
            widest = "sse4"
        return replace(found, instructions=widest, fuses_multiply_add=widest != "sse4")
    if target in _GENERIC:
        return replace(found, instructions="sse2", fuses_multiply_add=False)
    if target in _SSE4 or target in {"sandybridge", "ivybridge"}:
        return replace(found, instructions="sse4", fuses_multiply_add=False)
    instructions: Literal["avx512", "avx2"] = "avx512" if target in _AVX512 else "avx2"
    return replace(found, instructions=instructions, fuses_multiply_add=True)


def _width(found: Compilation, preferred: int, cpu: Cpu) -> int:
    """Bytes of the vectors that gcc takes: with AVX-512 those of AVX2, unless it is told otherwise."""
    if found.instructions == "sse2":
        return cpu.vector_bytes
    own = VECTOR_BYTES[found.instructions]
    return min(preferred or VECTOR_BYTES["avx2"], own)
