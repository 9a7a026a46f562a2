"""What a GPU does for `/` and `%` of integers: it has no instruction for them.

The quotient is a product with a reciprocal, corrected twice. The reciprocal depends on the divisor alone, so that
compilers compute it once for all divisions by the same number, before the loop where that is possible. A 64-bit
division tests first whether both operands fit 32 bits, and is then a division of 32 bits. A constant divisor has its
reciprocal in the instructions; a power of two needs shifts, and a rounding towards zero where the dividend has a sign.

Source: SASS of nvcc 13 for sm_86 and sm_90 (the same): 17 instructions for an unsigned quotient, 22 for a signed one, 7
and 8 of which are the reciprocal; clang 18 writes the same test and leaves the rest to ptxas.
Assumes: operands of 64-bit divisions fit 32 bits. Not modelled: the 80 instructions where they don't.
"""

from __future__ import annotations

from warplens.analysis.facts.program import OpClass

Steps = tuple[OpClass, ...]

UNSIGNED_RECIPROCAL: Steps = ("convert", "fp32_special", "int_add", "convert", "int_mul", "int_mul", "int_mul")
SIGNED_RECIPROCAL: Steps = ("int_add", *UNSIGNED_RECIPROCAL)
_ESTIMATE: Steps = ("int_mul", "int_mul", "int_mad")
"""A quotient that may be up to two too small, and what is left of the dividend; ptxas negates by a multiplication."""
UNSIGNED_REMAINDER: Steps = (*_ESTIMATE, "compare", "int_add", "compare", "int_add", "logic")
SIGNED_REMAINDER: Steps = ("int_add", *UNSIGNED_REMAINDER, "compare", "int_mul")
UNSIGNED_QUOTIENT: Steps = (*_ESTIMATE, "compare", "int_add", "int_add", "compare", "int_add", "logic")
SIGNED_QUOTIENT: Steps = ("int_add", "logic", *UNSIGNED_QUOTIENT, "compare", "int_mul")
REMAINDER_OF_QUOTIENT: Steps = ("int_mad",)
"""Dividend - quotient · divisor, where the quotient is known."""
QUOTIENT_OF_REMAINDER: Steps = ("int_add", "int_add", "logic")
"""What a quotient costs beside the remainder: its corrections and its sign."""
FITS_32_BITS: Steps = ("logic", "compare")
"""Before the jump around the division of 64 bits."""
JOINED: Steps = ("logic", "logic")
"""Where the paths of a 64-bit division meet: the marks of the two and the upper half of the result."""


def reciprocal(*, signed: bool) -> Steps:
    """From a 32-bit divisor to its reciprocal."""
    return SIGNED_RECIPROCAL if signed else UNSIGNED_RECIPROCAL


def quotient(*, signed: bool) -> Steps:
    """From a 32-bit dividend and the divisor's reciprocal to their quotient."""
    return SIGNED_QUOTIENT if signed else UNSIGNED_QUOTIENT


def remainder(*, signed: bool) -> Steps:
    """From a 32-bit dividend, the divisor and its reciprocal to what is left."""
    return SIGNED_REMAINDER if signed else UNSIGNED_REMAINDER


def by_constant(*, signed: bool, wide: bool) -> Steps:
    """Quotient by a number that is no power of two: the upper half of a product, a shift, the sign added.

    >>> by_constant(signed=False, wide=False)
    ('int_mul', 'shift')
    """
    if wide:
        return ("int64_mul", "int64_add", "int64_mul", "shift", "shift")
    return ("int_mul", "shift", "int_add") if signed else ("int_mul", "shift")


def by_power_of_two(operator: str, *, signed: bool, wide: bool) -> Steps:
    """Quotient or remainder by 2^k; towards zero, so that the sign of a dividend that may be negative is added first.

    >>> by_power_of_two("%", signed=False, wide=False)
    ('logic',)
    """
    shift: OpClass = "shift64" if wide else "shift"
    logic: OpClass = "logic64" if wide else "logic"
    add: OpClass = "int64_add" if wide else "int_add"
    if not signed:
        return (shift,) if operator == "/" else (logic,)
    return ("shift", "shift", shift) if operator == "/" else ("shift", add, logic, add)
