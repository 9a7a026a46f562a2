"""Profiles by name or by path: the ones that come with the project, and a user's own.

A user's profile is a TOML file with `extends = "a100"` and only the keys it changes. Values are TOML entries
`{ value, unit, kind, source }`, optionally `measured_on`, `note` and `clock_mhz` (see schema.py for keys and units).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from warplens.analysis.cpu.compiler_flags import compilation_of
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.bounded_toml import TomlError, parse_toml
from warplens.hwprofiles.build_cpu import build_cpu
from warplens.hwprofiles.build_gpu import build_gpu
from warplens.hwprofiles.consistency import require_consistent
from warplens.hwprofiles.profile import Profile, ProfileError, parse_profile, read_text, require_complete
from warplens.hwprofiles.schema import CPU_SCHEMA, GPU_SCHEMA, Schema

_PACKAGE = "warplens.hwprofiles"
_ALIKE = 0.5


@cache
def gpu_names() -> tuple[str, ...]:
    """Ids of the GPU profiles that come with the project, sorted."""
    return tuple(sorted(_stem(file) for _, file in _profile_files("gpu")))


@cache
def cpu_names() -> tuple[str, ...]:
    """Ids of the CPU profiles that come with the project, sorted."""
    return tuple(sorted(_stem(file) for _, file in _profile_files("cpu")))


def load_gpu(name: str) -> Gpu:
    """GPU by id, alias ("A100", "RTX 2080 Ti") or path of a profile (ends in `.toml`).

    Raises ProfileError: no such profile, or one that breaks the schema.
    """
    if name.endswith(".toml"):
        return build_gpu(_load_path(Path(name), "gpu", GPU_SCHEMA))
    return _load_bundled_gpu(name)


def load_cpu(name: str) -> Cpu:
    """CPU by id, alias or path of a profile (ends in `.toml`).

    Raises ProfileError: no such profile, or one that breaks the schema.
    """
    if name.endswith(".toml"):
        return build_cpu(_load_path(Path(name), "cpu", CPU_SCHEMA))
    return _load_bundled_cpu(name)


@lru_cache(maxsize=64)
def load_cpu_for(name: str, flags: tuple[str, ...]) -> Cpu:
    """CPU as `load_cpu` has it, with code that is compiled with these flags.

    Raises ProfileError: no such profile, or one that breaks the schema.
    """
    cpu = load_cpu(name)
    return replace(cpu, compilation=compilation_of(flags, cpu))


def load_profile(name: str) -> Profile:
    """Entries, with their sources, behind a CPU by id or path, or a GPU by id, alias or path.

    Raises ProfileError: as `load_gpu`.
    """
    is_path = name.endswith(".toml")
    if name in cpu_names() or (is_path and is_cpu(name)):
        return _load_path(Path(name), "cpu", CPU_SCHEMA) if is_path else _load_bundled(name, "cpu", CPU_SCHEMA)
    profile = _load_path(Path(name), "gpu", GPU_SCHEMA) if is_path else _load_bundled(name, "gpu", GPU_SCHEMA)
    build_gpu(profile)
    return profile


def is_cpu(path: str) -> bool:
    """Whether a profile's file is a CPU's: it extends one, or has a section that only CPUs have.

    Raises ProfileError for a file that can't be read; what is wrong inside it is found by loading it.
    """
    try:
        document = parse_toml(read_text(Path(path)))
    except TomlError:
        return False
    base = document.get("extends")
    return base in cpu_names() or any(section in document for section in CPU_SCHEMA.keys() - GPU_SCHEMA.keys())


@lru_cache(maxsize=64)
def _load_bundled_gpu(name: str) -> Gpu:
    return build_gpu(_load_bundled(name, "gpu", GPU_SCHEMA))


@lru_cache(maxsize=64)
def _load_bundled_cpu(name: str) -> Cpu:
    return build_cpu(_load_bundled(name, "cpu", CPU_SCHEMA))


def _load_bundled(name: str, family: str, schema: Schema) -> Profile:
    return _resolve(_find(name, family, schema), family, schema, ())


def _load_path(path: Path, family: str, schema: Schema) -> Profile:
    return _resolve(parse_profile(read_text(path), str(path), schema), family, schema, ())


def _resolve(profile: Profile, family: str, schema: Schema, seen: tuple[str, ...]) -> Profile:
    """Fill from the profile it extends, and check that nothing is missing."""
    if profile.extends:
        if profile.file in seen:
            raise ProfileError(profile.file, "extends", f"goes in a circle: {' -> '.join((*seen, profile.file))}")
        try:
            found = _find(profile.extends, family, schema)
        except ProfileError as error:
            raise profile.error("extends", str(error)) from error
        profile = profile.over(_resolve(found, family, schema, (*seen, profile.file)))
    require_complete(profile, schema)
    if family == "gpu":
        require_consistent(profile)
    return profile


def _find(name: str, family: str, schema: Schema) -> Profile:
    """Profile whose id, name or alias is meant; the file's name is tried first, the others need all files read."""
    wanted = _plain(name)
    candidates = sorted(_profile_files(family), key=lambda named: (_plain(_stem(named[1])) != wanted, named[1].name))
    for label, file in candidates:
        profile = parse_profile(file.read_text(encoding="utf-8"), label, schema)
        if wanted in {_plain(known) for known in (profile.id, profile.name, *profile.aliases)}:
            return profile
    known_ids = sorted(_stem(file) for _, file in candidates)
    near = get_close_matches(wanted, known_ids, 3, _ALIKE)
    meant = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known_ids)}"
    raise ProfileError(name, "", f"no {family.upper()} profile of that name; {meant}")


def _plain(name: str) -> str:
    """Letters and digits only, without the maker's name: "NVIDIA GeForce RTX 2080 Ti" is "rtx2080ti"."""
    plain = "".join(character for character in name.casefold() if character.isalnum())
    for maker in ("nvidia", "geforce", "tesla", "amd"):
        plain = plain.removeprefix(maker)
    return plain


def _profile_files(family: str) -> Iterator[tuple[str, Traversable]]:
    """Each with its path in the project, for messages."""
    pending = [(f"hwprofiles/{family}", files(_PACKAGE) / family)]
    while pending:
        label, folder = pending.pop()
        for entry in folder.iterdir():
            if entry.is_dir():
                pending.append((f"{label}/{entry.name}", entry))
            elif entry.name.endswith(".toml"):
                yield f"{label}/{entry.name}", entry


def _stem(file: Traversable) -> str:
    return file.name.removesuffix(".toml")
