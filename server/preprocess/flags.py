"""The few compiler flags that decide what a preprocessor makes of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_DEFINE = re.compile(r"[A-Za-z_$][\w$]*(?:\([^()\n\0]*\))?(?:=[^\n\0\ud800-\udfff]*)?")


@dataclass(frozen=True, slots=True)
class PreprocessorFlags:
    """Folders are absolute, `defines` and `undefines` without `-D` and `-U`, `standard` empty for the default.

    `build_dirs` are the folders that the compiler was run in: where a build generates headers.
    """

    include_dirs: tuple[str, ...] = ()
    system_dirs: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    standard: str = ""
    build_dirs: tuple[str, ...] = ()

    def folders(self) -> tuple[str, ...]:
        """All the folders that are named."""
        return (*self.include_dirs, *self.system_dirs, *self.build_dirs)

    def arguments(self) -> list[str]:
        """The flags as a compiler takes them, each one argument, so that no value can become another flag."""
        return [
            *(f"-I{folder}" for folder in self.include_dirs),
            *(word for folder in self.system_dirs for word in ("-isystem", folder)),
            *(f"-D{define}" for define in self.defines),
            *(f"-U{name}" for name in self.undefines),
            *(word for file in self.includes for word in ("-include", file)),
        ]

    def joined(self, other: PreprocessorFlags) -> PreprocessorFlags:
        """These flags first, then the other's; the other's standard counts where this has none."""
        return PreprocessorFlags(
            self.include_dirs + other.include_dirs,
            self.system_dirs + other.system_dirs,
            self.includes + other.includes,
            self.defines + other.defines,
            self.undefines + other.undefines,
            self.standard or other.standard,
            self.build_dirs + other.build_dirs,
        )

    def usable(self) -> tuple[PreprocessorFlags, tuple[str, ...]]:
        """These flags without those that no compiler takes, and those, as they are written."""
        refused = [f for f in (*self.defines, *self.undefines) if not is_definition(f)]
        refused += [f for f in (*self.folders(), *self.includes) if not _can_be_argument(f)]
        if not refused:
            return self, ()

        def kept(values: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(value for value in values if value not in refused)

        usable = PreprocessorFlags(
            kept(self.include_dirs),
            kept(self.system_dirs),
            kept(self.includes),
            kept(self.defines),
            kept(self.undefines),
            self.standard,
            kept(self.build_dirs),
        )
        return usable, tuple(dict.fromkeys(refused))


def is_definition(text: str) -> bool:
    """Whether a compiler takes it behind `-D`.

    >>> is_definition("N=4"), is_definition("MAX(a, b)=a"), is_definition("s->n=4")
    (True, True, False)
    """
    return _DEFINE.fullmatch(text) is not None


def _can_be_argument(value: str) -> bool:
    """Whether a program can be given the value: a lone surrogate, a NUL can't be."""
    return "\0" not in value and value == value.encode("utf-8", "replace").decode()


def flags_from_arguments(arguments: Sequence[str], directory: Path) -> PreprocessorFlags:
    """Pick -I -isystem -include -D -U -std out of a compile command; everything else in it is ignored.

    >>> flags_from_arguments(["cc", "-Iinc", "-D", "N=4", "-o", "x", "-fplugin=evil.so", "-std=c99"], Path("/p"))
    PreprocessorFlags(include_dirs=('/p/inc',), system_dirs=(), includes=(), defines=('N=4',), undefines=(), \
standard='c99', build_dirs=('/p',))
    """
    found: dict[str, list[str]] = {"-I": [], "-isystem": [], "-include": [], "-D": [], "-U": [], "-std=": []}
    words = iter(arguments)
    for word in words:
        flag = next((f for f in found if word.startswith(f)), None)
        if flag is None:
            continue
        value = word[len(flag) :] or next(words, "")
        if value:
            found[flag].append(value)
    return PreprocessorFlags(
        include_dirs=tuple(str(directory / folder) for folder in found["-I"]),
        system_dirs=tuple(str(directory / folder) for folder in found["-isystem"]),
        includes=tuple(str(directory / file) for file in found["-include"]),
        defines=tuple(found["-D"]),
        undefines=tuple(found["-U"]),
        standard=found["-std="][-1] if found["-std="] else "",
        build_dirs=(str(directory),),
    )
