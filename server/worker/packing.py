"""The heavy part of a nest's report as bytes, made once per result and read when asked for.

Unpickling every loop of a file would hold up the event loop; a hover needs one. The GPU and the CPU are the same in
every nest: they travel as their names.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.same_object import SameObject
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.hwprofiles.loader import load_cpu, load_cpu_for, load_gpu
from warplens.server.render.headline import lens_text
from warplens.server.render.loop_hints import LoopHint, loop_hints
from warplens.server.result_cache.known_values import read_known
from warplens.server.worker.quick_pickle import Call, QuickPickler


@dataclass(frozen=True, slots=True)
class PackedNest:
    """An evaluation as bytes for `unpack`, with what is shown of it at once: its line, and hints in its lines."""

    content: bytes
    lens: str
    hints: tuple[LoopHint, ...]


def pack(evaluation: NestEvaluation, gpu_name: str, cpu_name: str, memo: Memo) -> PackedNest:
    """The evaluation, packed; one that comes again from the memo (the same object) is not packed again.

    Raises RecursionError.
    """

    def packed() -> PackedNest:
        buffer = io.BytesIO()
        profiles: dict[int, Call] = {
            id(evaluation.gpu): (load_gpu, (gpu_name,)),
            id(evaluation.cpu): _cpu_call(evaluation.cpu, cpu_name),
        }
        _Pickler(buffer, profiles).dump(evaluation)
        return PackedNest(buffer.getvalue(), lens_text(evaluation), loop_hints(evaluation))

    return memo.get("packed", (SameObject(evaluation), gpu_name, cpu_name), packed)


def _cpu_call(cpu: Cpu, name: str) -> Call:
    if cpu.compilation is None:
        return (load_cpu, (name,))
    return (load_cpu_for, (name, cpu.compilation.flags))


def load_profiles(gpu_name: str, cpu_name: str) -> None:
    """Have at hand what `unpack` will need, so that the first hover doesn't wait for it."""
    load_gpu(gpu_name)
    load_cpu(cpu_name)


@lru_cache(maxsize=64)
def unpack(packed: bytes) -> NestEvaluation:
    """Evaluation of a nest; the bytes come from our own analysis process, now or in an earlier session."""
    return cast("NestEvaluation", read_known(packed))


class _Pickler(QuickPickler):
    """`profiles` says how the GPU and the CPU are got, by the identity of the object."""

    def __init__(self, buffer: io.BytesIO, profiles: Mapping[int, Call]) -> None:
        super().__init__(buffer)
        self._profiles = profiles

    def reducer_override(self, obj: object) -> Call:
        return self._profiles.get(id(obj)) or super().reducer_override(obj)
