"""The `changes` of a what-if as a client sent them: what can be applied, and a sentence about everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.unused_sizes import nearest_sizes
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.size_name import by_size_key, called_now, size_key
from warplens.analysis.models.launches.pin_refusals import Refusal
from warplens.analysis.models.nest.what_if import Changes
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.launch_pin import LaunchPin
from warplens.analysis.text.quantities import count_text
from warplens.hwprofiles.loader import cpu_names, gpu_names, load_cpu, load_cpu_for, load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.settings.nearest import meant
from warplens.server.settings.settings import is_size
from warplens.server.what_if.data_places import DATA_PLACES, DataPlace

MOST = 2**48
"""What no size may exceed: more elements than any computer has addresses for."""

_MOST_EXTENT = 2**20
_MOST_NAMES = 100
_NAMES = ("sizes", "gpu", "cpu", "block", "workPerThread", "shared", "data", "kernel", "mapping")
_LAUNCH = ("mapping", "block", "workPerThread", "shared", "kernel")

Machine = TypeVar("Machine", Gpu, Cpu)


@dataclass(frozen=True, slots=True)
class AskedChanges:
    """Changes that can be tried, which total is meant, and what is wrong with the rest."""

    changes: Changes
    data: DataPlace = "cold"
    problems: tuple[Refusal, ...] = ()


def asked_changes(asked: object, base: NestEvaluation, *, reads_files: bool = False) -> AskedChanges:
    """Read the changes of a request; JSON of any shape is taken, what it should not have becomes a problem.

    Machines are those that come with the project and the one in force; with `reads_files` a profile's file too.
    """
    if asked is None:
        return AskedChanges(Changes())
    if not isinstance(asked, Mapping):
        return AskedChanges(Changes(), problems=(Refusal("", "`changes` is not an object"),))
    reader = _Reader(
        base, {str(name): value for name, value in asked.items() if value is not None}, reads_files=reads_files
    )
    return reader.read()


class _Reader:
    """Reads one request's changes, and gathers what is wrong with them."""

    def __init__(self, base: NestEvaluation, asked: Mapping[str, object], *, reads_files: bool) -> None:
        self._base = base
        self._asked = asked
        self._reads_files = reads_files
        self._problems: list[Refusal] = []

    def read(self) -> AskedChanges:
        """The changes that make sense."""
        for name in sorted(self._asked.keys() - set(_NAMES))[:_MOST_NAMES]:
            self._refuse("", f"{_shown(name)} can't be changed: what can be is {', '.join(_NAMES)}")
        changes = Changes(
            sizes=tuple(self._sizes()),
            gpu=self._machine("gpu", self._base.gpu, gpu_names(), load_gpu),
            cpu=self._machine("cpu", self._base.cpu, cpu_names(), self._load_cpu),
        )
        if self._base.kernels:
            pin = LaunchPin(self._block(), self._work_per_thread(), self._shared())
            changes = replace(changes, pin=pin, kernel=self._kernel(), mapping=self._mapping())
        else:
            for name in (each for each in _LAUNCH if each in self._asked):
                self._refuse(name, "no loop here is known to be parallel, so nothing is launched on a GPU")
        return AskedChanges(changes, self._data(), tuple(self._problems))

    def _load_cpu(self, name: str) -> Cpu:
        """A CPU whose code is compiled as that of the one in force."""
        said = self._base.cpu.compilation
        return load_cpu(name) if said is None else load_cpu_for(name, said.flags)

    def _refuse(self, change: str, message: str) -> None:
        self._problems.append(Refusal(change, message))

    def _sizes(self) -> Iterator[tuple[str, int]]:
        asked = self._asked.get("sizes", {})
        if not isinstance(asked, Mapping) or len(asked) > _MOST_NAMES:
            self._refuse("sizes", f"`sizes` is not an object of at most {_MOST_NAMES} names and whole numbers")
            return
        for name, value in asked.items():
            known = self._parameter(str(name))
            if known is None:
                self._refuse("sizes", self._unknown_size(str(name)))
            elif not isinstance(value, int) or isinstance(value, bool) or value < 0:
                self._refuse("sizes", f"`{name}` must be a whole number from 0 on, not {_shown(value)}")
            elif value > MOST:
                most = f"{count_text(MOST)} at most"
                self._refuse("sizes", f"`{name}` = {_shown(value)} is more than any memory holds: {most}")
            else:
                yield known, value

    def _parameter(self, name: str) -> str | None:
        names = [known for known, _ in self._base.sizes]
        return name if name in names else by_size_key(names).get(size_key(name))

    def _unknown_size(self, name: str) -> str:
        names = [known for known, _ in self._base.sizes]
        now = called_now(name)
        if now and self._parameter(now) is not None:
            return f"{_shown(name)} is now called `{now}`"
        near = nearest_sizes(name, names)
        meant = f": did you mean `{near[0]}`?" if near else ""
        return f"the loop does not depend on a size {_shown(name)}{self._known_sizes()}{meant}"

    def _known_sizes(self) -> str:
        names = ", ".join(f"`{name}`" for name, _ in self._base.sizes)
        return f", but on {names}" if names else ": all its bounds are numbers"

    def _machine(
        self, change: str, base: Machine, names: tuple[str, ...], load: Callable[[str], Machine]
    ) -> Machine | None:
        """A machine by name; a client's request names no file to read."""
        name = self._asked.get(change)
        if name is None or name == base.id:
            return None
        try:
            if isinstance(name, str) and (self._reads_files or not name.endswith(".toml")):
                return load(name)
        except ProfileError:
            pass
        self._refuse(change, f"there is no {change.upper()} {_shown(name)}: {meant(str(name), names)}")
        return None

    def _block(self) -> tuple[int, int, int] | None:
        asked = self._asked.get("block")
        if asked is None:
            return None
        if isinstance(asked, list | tuple) and 1 <= len(asked) <= 3 and all(_is_extent(each) for each in asked):
            x, y, z = (*asked, 1, 1)[:3]
            return x, y, z
        self._refuse("block", f"a block is one to three whole numbers from 1 on, not {_shown(asked)}")
        return None

    def _work_per_thread(self) -> int | None:
        asked = self._asked.get("workPerThread")
        if asked is None or (isinstance(asked, int) and _is_extent(asked)):
            return asked
        self._refuse("workPerThread", f"outputs per thread are a whole number from 1 on, not {_shown(asked)}")
        return None

    def _shared(self) -> tuple[str, ...] | None:
        asked = self._asked.get("shared")
        if asked is None:
            return None
        if isinstance(asked, list | tuple) and len(asked) <= _MOST_NAMES and all(isinstance(x, str) for x in asked):
            return tuple(asked)
        self._refuse("shared", f"`shared` is a list of at most {_MOST_NAMES} arrays' names, not {_shown(asked)}")
        return None

    def _kernel(self) -> int | None:
        asked, count = self._asked.get("kernel"), len(self._base.kernels)
        if asked is None or (isinstance(asked, int) and not isinstance(asked, bool) and 0 <= asked < count):
            return asked
        known = "only kernel 0" if count == 1 else f"kernels 0 to {count - 1}"
        self._refuse("kernel", f"there is no kernel {_shown(asked)} here, {known}; the launch is that of every kernel")
        return None

    def _mapping(self) -> str:
        asked = self._asked.get("mapping", "")
        if isinstance(asked, str):
            return asked[:_MOST_NAMES]
        self._refuse("mapping", f"a mapping is named by text, not {_shown(asked)}")
        return ""

    def _data(self) -> DataPlace:
        asked = self._asked.get("data", "cold")
        found = next((place for place in DATA_PLACES if place == asked), None)
        if found is None:
            self._refuse("data", f"`data` is `cold` (on the host before and after) or `resident`, not {_shown(asked)}")
        return found or "cold"


def _is_extent(value: object) -> bool:
    return isinstance(value, int) and is_size(value) and 1 <= value <= _MOST_EXTENT


def _shown(value: object) -> str:
    text = f"`{value}`" if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
