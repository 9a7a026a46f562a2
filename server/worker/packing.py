"""The heavy part of a nest's report as bytes, made once per result and read when asked for.

Unpickling every loop of a file would hold up the event loop; a hover needs one. The GPU and the CPU are the same in
every nest: they travel as their names.
"""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from warplens.analysis.models.evaluation import NestEvaluation
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.render.headline import lens_text
from warplens.server.render.loop_hints import LoopHint, loop_hints
from warplens.server.result_cache.known_values import read_known
from warplens.server.worker.quick_pickle import Call, QuickPickler

_KEPT = 5000


@dataclass(frozen=True, slots=True)
class PackedNest:
    """An evaluation as bytes for `unpack`, with what is shown of it at once: its line, and hints in its lines."""

    content: bytes
    lens: str
    hints: tuple[LoopHint, ...]


class Packer:
    """Packs evaluations; a result that comes again from the memo (the same object) is not packed again."""

    def __init__(self) -> None:
        self._packed: OrderedDict[tuple[int, str, str], tuple[NestEvaluation, PackedNest]] = OrderedDict()

    def pack(self, evaluation: NestEvaluation, gpu_name: str, cpu_name: str) -> PackedNest:
        """The evaluation, packed; it is kept, so that its identity stays its own. Raises RecursionError."""
        key = (id(evaluation), gpu_name, cpu_name)
        if key not in self._packed:
            buffer = io.BytesIO()
            profiles: dict[int, Call] = {
                id(evaluation.gpu): (load_gpu, (gpu_name,)),
                id(evaluation.cpu): (load_cpu, (cpu_name,)),
            }
            _Pickler(buffer, profiles).dump(evaluation)
            packed = PackedNest(buffer.getvalue(), lens_text(evaluation), loop_hints(evaluation))
            self._packed[key] = (evaluation, packed)
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
    """Evaluation of a nest; the bytes come from our own analysis process, now or in an earlier session."""
    return cast("NestEvaluation", read_known(packed))


class _Pickler(QuickPickler):
    """`profiles` says how the GPU and the CPU are got, by the identity of the object."""

    def __init__(self, buffer: io.BytesIO, profiles: Mapping[int, Call]) -> None:
        super().__init__(buffer)
        self._profiles = profiles

    def reducer_override(self, obj: object) -> Call:
        return self._profiles.get(id(obj)) or super().reducer_override(obj)
