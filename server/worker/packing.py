"""The heavy part of a nest's report as bytes, made once per result and read when asked for.

Unpickling every loop of a file would hold up the event loop; a hover needs one. The GPU and the CPU are the same in
every nest: they travel as their names.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from functools import lru_cache
from typing import cast

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.hwprofiles.loader import load_cpu, load_gpu

_KEPT = 5000


class Packer:
    """Packs evaluations; a result that comes again from the memo (the same object) is not packed again."""

    def __init__(self) -> None:
        self._packed: OrderedDict[tuple[int, str, str], tuple[NestEvaluation, bytes]] = OrderedDict()

    def pack(self, evaluation: NestEvaluation, gpu_name: str, cpu_name: str) -> bytes:
        """Bytes for `unpack`; the evaluation is kept, so that its identity stays its own."""
        key = (id(evaluation), gpu_name, cpu_name)
        if key not in self._packed:
            buffer = io.BytesIO()
            pickler = _ProfilePickler(buffer, pickle.HIGHEST_PROTOCOL)
            pickler.names = {id(evaluation.gpu): ("gpu", gpu_name), id(evaluation.cpu): ("cpu", cpu_name)}
            pickler.dump(evaluation)
            self._packed[key] = (evaluation, buffer.getvalue())
            if len(self._packed) > _KEPT:
                self._packed.popitem(last=False)
        self._packed.move_to_end(key)
        return self._packed[key][1]


def load_profiles(gpu_name: str, cpu_name: str) -> None:
    """Have at hand what `unpack` will need, so that the first hover doesn't wait for it."""
    load_gpu(gpu_name)
    load_cpu(cpu_name)


@lru_cache(maxsize=64)
def unpack(packed: bytes) -> NestEvaluation:
    """Evaluation of a nest; the bytes come from our own analysis process."""
    return cast("NestEvaluation", _ProfileUnpickler(io.BytesIO(packed)).load())


class _ProfilePickler(pickle.Pickler):
    names: dict[int, tuple[str, str]]

    def persistent_id(self, obj: object) -> tuple[str, str] | None:
        return self.names.get(id(obj)) if isinstance(obj, Gpu | Cpu) else None


class _ProfileUnpickler(pickle.Unpickler):
    def persistent_load(self, pid: tuple[str, str]) -> Gpu | Cpu:
        kind, name = pid
        return load_gpu(name) if kind == "gpu" else load_cpu(name)
