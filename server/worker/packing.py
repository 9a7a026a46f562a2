"""The heavy part of a nest's report as bytes, made once per result and read when asked for.

Unpickling every loop of a file would hold up the event loop; a hover needs one. The GPU and the CPU are the same in
every nest: they travel as their names.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

from warplens.analysis.models.evaluation import NestEvaluation
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.result_cache.known_values import read_known

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
            profiles = {id(evaluation.gpu): (load_gpu, (gpu_name,)), id(evaluation.cpu): (load_cpu, (cpu_name,))}
            _Pickler(buffer, profiles).dump(evaluation)
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
    """Evaluation of a nest; the bytes come from our own analysis process, now or in an earlier session."""
    return cast("NestEvaluation", read_known(packed))


_Call = tuple[Callable[..., object], tuple[object, ...]]


class _Pickler(pickle.Pickler):
    """Writes a value as the call that makes it, where pickle's own way is several times as slow.

    That of a dataclass goes through `dataclasses.fields` both ways, that of a fraction through its text. `profiles`
    says how the GPU and the CPU are got, by the identity of the object.
    """

    def __init__(self, buffer: io.BytesIO, profiles: Mapping[int, _Call]) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self._profiles = profiles
        self._arguments: dict[type[Any], tuple[str, ...] | None] = {}

    def reducer_override(self, obj: object) -> _Call:
        if id(obj) in self._profiles:
            return self._profiles[id(obj)]
        if isinstance(obj, Fraction):
            return Fraction, (obj.numerator, obj.denominator)
        kind: type[Any] = type(obj)
        if kind not in self._arguments:
            self._arguments[kind] = _constructor_arguments(kind)
        names = self._arguments[kind]
        return NotImplemented if names is None else (kind, tuple([getattr(obj, name) for name in names]))


def _constructor_arguments(kind: type[Any]) -> tuple[str, ...] | None:
    """Fields in the order in which the constructor takes them; None where it is no dataclass, or takes others."""
    if not is_dataclass(kind) or not all(field.init and not field.kw_only for field in fields(kind)):
        return None
    return tuple(field.name for field in fields(kind))
