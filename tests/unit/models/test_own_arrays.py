"""Arrays of a thread's own: registers where all subscripts are numbers, else local memory with its traffic."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.thread_registers import thread_registers
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import load_gpu

A100 = load_gpu("a100")


def source(length: int, read: str) -> str:
    return (
        "void f(const float *restrict in, const int *restrict at, float *restrict out)"
        f" {{ for (int i = 0; i < 1048576; i++) {{ float own[{length}]; float s = 0;"
        f" for (int k = 0; k < {length}; k++) own[k] = in[(long)k * 1048576 + i];"
        f" for (int k = 0; k < {length}; k++) s += {read}; out[i] = s; }} }}"
    )


@pytest.mark.parametrize(
    ("length", "read", "in_registers", "local_words", "loads", "stores"),
    [
        (4, "own[3 - k] * own[k]", 4, 0, 0, 0),
        (8, "own[k]", 8, 0, 0, 0),
        (8, "own[at[k]]", 0, 8, 8, 8),
        (8, "own[(k + i) % 8]", 0, 8, 8, 8),
        (256, "own[255 - k]", 0, 256, 256, 256),
    ],
)
def test_where_arrays_of_a_thread_are(
    length: int, read: str, in_registers: int, local_words: int, loads: int, stores: int
) -> None:
    kernel = only_kernel(source(length, read))
    own = kernel_at(kernel, {}).own
    assert (own.register_words, own.local_words) == (in_registers, local_words)
    assert (own.loads.evaluate({}), own.stores.evaluate({})) == (loads, stores)
    assert any("local memory" in a.text and a.subject == "own" for a in kernel.assumptions) == bool(local_words)


def test_an_array_in_registers_takes_them() -> None:
    few, many = (
        thread_registers(SizedKernel.of(only_kernel(source(length, "own[k]")), {}).kernel, A100) for length in (4, 32)
    )
    assert many.per_thread >= 32 + few.per_thread - 6


def test_local_memory_is_moved(analyse_c) -> None:
    """A kilobyte a thread: 216 MB for all that are resident, which L2 has no room for."""

    def time_s(text: str) -> float:
        (function,) = analyse_c(text).functions
        prediction = function.nests[0].evaluation.kernels[0].prediction
        assert not prediction.spills_per_thread  # no register is spilled
        return prediction.time_s

    without = source(256, "own[k]").replace("own[k] = in", "s += in").replace("s += own[k]", "s += k")
    assert time_s(source(256, "own[255 - k]")) > 2 * time_s(without)
