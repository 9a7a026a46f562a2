"""The few compiler flags that decide what a preprocessor makes of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PreprocessorFlags:
    """Folders are absolute, `defines` and `undefines` without `-D` and `-U`, `standard` empty for the default."""

    include_dirs: tuple[str, ...] = ()
    system_dirs: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    standard: str = ""

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
        )


def flags_from_arguments(arguments: Sequence[str], directory: Path) -> PreprocessorFlags:
    """Pick -I -isystem -include -D -U -std out of a compile command; everything else in it is ignored.

    >>> flags_from_arguments(["cc", "-Iinc", "-D", "N=4", "-o", "x", "-fplugin=evil.so", "-std=c99"], Path("/p"))
    PreprocessorFlags(include_dirs=('/p/inc',), system_dirs=(), includes=(), defines=('N=4',), undefines=(), \
standard='c99')
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
    )
