"""Which builtins behind the x86 intrinsics only compute."""

from __future__ import annotations

import pytest
from warplens.analysis.c.c_library import VALUE, LibraryCall, library_call
from warplens.analysis.c.vector_builtins import PREFIX, only_computes

COMPUTING = """addss mulps256 maxps minpd sqrtps rsqrtps shufps unpckhps cvtps2dq cvttps2dq cvtdq2ps movmskps pslldi128
    psrawi256 pminsw128 pmaxub128 pcmpeqd128 pshufd palignr128 pmovzxbw128 ptestz128 vfmaddps256 blendvps haddps
    comieq ucomilt vec_ext_v4sf vec_set_v8hi packssdw128 punpcklbw128 permvarsi256 roundps256 ps_ps256 crc32si"""
TOUCHING = """movntps movntdq maskmovdqu maskloadps maskstoreps gathersiv4sf loadups storeups lddqu loadhps storelps
    ldmxcsr stmxcsr rdtsc rdtscp rdrand32_step clflush mfence sfence pause emms vzeroupper monitor mwait xbegin
    addcarryx_u32 sbb_u32 pmovdb128mem_mask vbroadcastss fxsave xgetbv"""


@pytest.mark.parametrize("name", COMPUTING.split())
def test_arithmetic_touches_nothing(name: str) -> None:
    assert only_computes(PREFIX + name)
    assert not only_computes(name)


@pytest.mark.parametrize("name", TOUCHING.split())
def test_what_reads_or_sets_anything_else_is_not_arithmetic(name: str) -> None:
    assert not only_computes(PREFIX + name)


@pytest.mark.parametrize("name", ["sfence", "lfence", "mfence", "pause"])
def test_what_keeps_accesses_in_order_touches_nothing_though_it_is_no_arithmetic(name: str) -> None:
    assert library_call(PREFIX + name) == LibraryCall(VALUE)


@pytest.mark.parametrize("name", ["clflush", "monitor", "xbegin", "stmxcsr"])
def test_other_commands_are_not_understood(name: str) -> None:
    found = library_call(PREFIX + name)
    assert found is not None
    assert found.unknown
