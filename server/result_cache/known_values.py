"""Pickles of our own values, and of nothing else: reading one can't run code, whoever wrote it."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from warplens.hwprofiles.loader import load_cpu, load_cpu_for, load_gpu

_OURS = "warplens."
_SHARED = (load_gpu, load_cpu, load_cpu_for)
_OTHERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("fractions", "Fraction"): Fraction,
    (load_gpu.__module__, "load_gpu"): load_gpu,
    (load_cpu.__module__, "load_cpu"): load_cpu,
    (load_cpu_for.__module__, "load_cpu_for"): load_cpu_for,
}


class UnknownValueError(Exception):
    """Something that results are not made of."""


def read_known(content: bytes) -> object:
    """The value of a pickle; raises UnknownValueError where it has what no result has, or is no pickle."""
    unpickler = _Unpickler(io.BytesIO(content))
    try:
        value = unpickler.load()
    except UnknownValueError:
        raise
    except Exception as error:
        raise UnknownValueError(f"{type(error).__name__}: {error}") from error
    finally:
        has_changed = unpickler.mend()
    if has_changed:
        raise UnknownValueError("it changes a profile that others use")
    return value


class _Unpickler(pickle.Unpickler):
    """Gives nothing that others use and that a pickle could change: BUILD sets attributes of whatever it is given.

    Classes that would take them are hidden behind a function; of the others `__setstate__` refuses to be called on the
    class. Profiles are loaded once for all: what they have afterwards is compared.
    """

    def __init__(self, content: io.BytesIO) -> None:
        super().__init__(content)
        self._shared: list[tuple[object, dict[str, object]]] = []

    def find_class(self, module: str, name: str) -> Any:
        known = _OTHERS.get((module, name))
        if known is not None:
            return self._hidden(known)
        if module.startswith(_OURS) and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and is_dataclass(found) and found.__module__ == module:
                return found if hasattr(found, "__setstate__") else self._hidden(found)
        raise UnknownValueError(f"{module}.{name} is no part of a result")

    def _hidden(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: object) -> Any:
            value = call(*arguments)
            if call in _SHARED:
                self._shared.append((value, {field.name: getattr(value, field.name) for field in fields(value)}))
            return value

        return called

    def mend(self) -> bool:
        """Give shared values back what they had; whether anything of them was changed."""
        has_changed = False
        for value, before in reversed(self._shared):
            for name, each in before.items():
                if getattr(value, name, None) is not each:
                    object.__setattr__(value, name, each)
                    has_changed = True
        return has_changed
