"""The GPU and the CPU that a file is analysed for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.loader import load_cpu, load_cpu_for, load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.preprocess.confinement import confinement_of
from warplens.server.settings.folder_config import ConfigProblem, FolderConfig
from warplens.server.settings.own_profiles import profile_name
from warplens.server.settings.settings import Settings
from warplens.server.worker.job import AnalysisJob

Machine = TypeVar("Machine")


@dataclass(frozen=True, slots=True)
class Machines:
    """The profiles in force and the names they were loaded by, with what was wrong with the names asked for."""

    gpu: Gpu
    cpu: Cpu
    gpu_name: str
    cpu_name: str
    problems: tuple[ConfigProblem, ...] = ()

    def compiled_with(self, flags: tuple[str, ...] | None) -> Machines:
        """With a CPU whose code is compiled with these flags; as it is where nobody knows them."""
        return self if flags is None else replace(self, cpu=load_cpu_for(self.cpu_name, flags))


def machines_for(job: AnalysisJob, config: FolderConfig, config_path: str, roots: tuple[Path, ...]) -> Machines:
    """The profiles that the folder's file or the settings name; none outside of a workspace that is not trusted.

    Names may be those of the user's own files, in the workspace or in the configuration folder.
    """
    if job.trusted:
        return _choose(job.settings, config, config_path, roots)
    confinement = confinement_of(Path(job.path), roots, (), (), trusted=False)
    named = ((config.gpu, config_path), (config.cpu, config_path), (job.settings.gpu, ""), (job.settings.cpu, ""))
    outside = {
        name: ConfigProblem(origin, f"`{name}` lies outside of the workspace, which is not trusted: it is not read")
        for name, origin in named
        if name and name.endswith(".toml") and not confinement.allows(name)
    }
    allowed = replace(
        config,
        gpu=None if config.gpu in outside else config.gpu,
        cpu=None if config.cpu in outside else config.cpu,
    )
    settings = replace(
        job.settings,
        gpu=Settings().gpu if job.settings.gpu in outside else job.settings.gpu,
        cpu=Settings().cpu if job.settings.cpu in outside else job.settings.cpu,
    )
    machines = _choose(settings, allowed, config_path, roots)
    return replace(machines, problems=(*outside.values(), *machines.problems))


def _choose(settings: Settings, config: FolderConfig, config_path: str, roots: tuple[Path, ...]) -> Machines:
    """Load the profiles that file or setting name; a name that can't be used is said and the next one tried."""
    problems: list[ConfigProblem] = []
    lines = dict(config.lines)

    def named(key: str, in_file: str | None, in_settings: str, default: str) -> tuple[_Named, ...]:
        file = _Named(in_file, config_path, f"`{key}`", lines.get(key, 0))
        return file, _Named(in_settings, "", f"setting `warplens.{key}`"), _Named(default)

    def found(name: str) -> str:
        return profile_name(name, roots)

    gpu, gpu_name = _first_loadable(load_gpu, found, named("gpu", config.gpu, settings.gpu, Settings().gpu), problems)
    cpu, cpu_name = _first_loadable(load_cpu, found, named("cpu", config.cpu, settings.cpu, Settings().cpu), problems)
    return Machines(gpu, cpu, gpu_name, cpu_name, tuple(problems))


@dataclass(frozen=True, slots=True)
class _Named:
    """A profile's name, and who named it: `key` in the configuration file `path` or, without one, in the settings."""

    name: str | None
    path: str = ""
    key: str = ""
    line: int = 0


def _first_loadable(
    load: Callable[[str], Machine],
    found: Callable[[str], str],
    names: tuple[_Named, ...],
    problems: list[ConfigProblem],
) -> tuple[Machine, str]:
    for each in names[:-1]:
        if not each.name:
            continue
        try:
            name = found(each.name)
            return load(name), name
        except ProfileError as error:
            problems.append(ConfigProblem(each.path, f"{each.key}: {error}", each.line))
    default = names[-1].name or ""
    return load(default), default
