"""`.warplens.toml`: what a folder says about its own code.

Nothing in it is executed: it holds names of profiles, sizes, include paths, macros and rule codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from warplens.analysis.advice.noise_levels import Noise
from warplens.analysis.engine.options import SizeChoice
from warplens.analysis.engine.switched_off import known_code, unknown_code_text
from warplens.analysis.ir.size_name import size_name
from warplens.hwprofiles.bounded_toml import TomlError, parse_toml
from warplens.hwprofiles.profile import key_lines
from warplens.server.files.folder_files import CONFIG_NAME
from warplens.server.files.regular_file import read_inside
from warplens.server.settings.nearest import MOST_NAMED, meant, shortened
from warplens.server.settings.settings import (
    CALLED_AS_TEXT,
    COMPILER_FLAGS_TEXT,
    LEVELS_TEXT,
    WORTHWHILE_TEXT,
    arguments_of,
    flags_of_text,
    is_size,
    noise_level,
    worthwhile_s,
)

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

T = TypeVar("T")

_MAX_BYTES = 1 << 20
_MOST_PROBLEMS = 20
_LONGEST_MESSAGE = 1000
_SIZE = "a whole number above 0"
_ERROR_LINE = re.compile(r"\(at line (\d+)")
KEYS = (
    "called_as", "compiler_flags", "cpu", "default_size", "defines", "disabled_rules", "gpu", "include_paths", "noise",
    "sizes", "worthwhile_us",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FolderConfig:
    """The file's content; None or empty where it says nothing. Paths, a profile's included, are absolute.

    `lines` are the 1-based lines of its keys.
    """

    gpu: str | None = None
    cpu: str | None = None
    default_size: int | None = None
    sizes: tuple[SizeChoice, ...] = ()
    include_paths: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    disabled_rules: frozenset[str] = frozenset()
    noise: Noise | None = None
    worthwhile_s: float | None = None
    arguments: tuple[str, ...] | None = None
    """Those with which the program is called, without its own name."""
    compiler_flags: tuple[str, ...] | None = None
    """With which the CPU's code is compiled."""
    lines: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A message about a configuration file; `path` names the file, `line` counts from 1, 0 for the whole file."""

    path: str
    message: str
    line: int = 0

    @property
    def text(self) -> str:
        """The message behind its place."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.message}" if self.path else self.message


def fewer(problems: Sequence[ConfigProblem]) -> tuple[ConfigProblem, ...]:
    """Problems as one reads them: the first ones with how many more there are, none longer than a few lines."""
    shown = tuple(replace(each, message=_cut(each.message)) for each in problems[:_MOST_PROBLEMS])
    more = len(problems) - len(shown)
    return (*shown, ConfigProblem(problems[0].path, f"and {more} more problems like these")) if more else shown


def _cut(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}..."


def nearest_config(directory: Path, roots: Sequence[Path]) -> Path | None:
    """Path of the `.warplens.toml` that counts for a folder."""
    return nearest_file(directory, roots, CONFIG_NAME)


def nearest_file(directory: Path, roots: Sequence[Path], name: str) -> Path | None:
    """Path of the file of this name that counts for a folder: the nearest upward, not above the root it lies in.

    In a folder outside every root only the folder itself is looked at.
    """
    return nearest_path(directory, roots, name, Path.is_file)


def nearest_path(directory: Path, roots: Sequence[Path], name: str, is_wanted: Callable[[Path], bool]) -> Path | None:
    """As `nearest_file`, for whatever is wanted."""
    if not directory.is_absolute():
        return None  # a buffer without a file: what lies in the server's own folder is not meant
    inside = [root for root in roots if directory.is_relative_to(root)]
    top = min(inside, key=lambda root: len(root.parts), default=directory)
    for folder in (directory, *directory.parents):
        candidate = folder / name
        if is_wanted(candidate):
            return candidate
        if folder == top:
            return None
    return None


def load_config(path: Path) -> tuple[FolderConfig, tuple[ConfigProblem, ...]]:
    """Read and check a file; a part that is wrong is left out and said."""
    try:
        text = read_inside(path, path.parent, _MAX_BYTES).decode("utf-8")
        document = parse_toml(text)
    except (OSError, UnicodeDecodeError, TomlError) as error:
        said = reason(error)
        place = _ERROR_LINE.search(said)
        return FolderConfig(), (ConfigProblem(str(path), f"not read: {said}", int(place.group(1)) if place else 0),)
    lines = key_lines(text)
    config, messages = parse_config(document, path.parent)
    problems = tuple(ConfigProblem(str(path), message, _line_of(lines, key)) for key, message in messages)
    return replace(config, lines=tuple(lines.items())), problems


def reason(error: Exception) -> str:
    """Why a file was not read, without its path."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def parse_config(document: dict[str, Any], folder: Path) -> tuple[FolderConfig, tuple[tuple[str, str], ...]]:
    """Check a parsed file: what it says, and a message for each key that is wrong, with the key.

    Relative include paths start at `folder`.

    >>> config, messages = parse_config({"gpu": "v100", "sizes": {"n": 4096, "step": {"n": 512}}}, Path("/p"))
    >>> config.gpu, [(s.name, s.value, s.function) for s in config.sizes], messages
    ('v100', [('n', 4096, ''), ('n', 512, 'step')], ())
    >>> parse_config({"gpus": "v100"}, Path("/p"))[1]
    (('gpus', 'unknown key `gpus`: did you mean `gpu`?'),)
    """
    check = _Check(document, folder)
    check.unknown_keys([key for key in document if key not in KEYS])
    return check.config(), check.said


class ConfigEditError(ValueError):
    """Why a file can't be changed."""


def with_rule_disabled(text: str, code: str) -> str:
    r"""The file with one more rule that is not shown, all else as it was; raises ConfigEditError.

    >>> with_rule_disabled('gpu = "k20"  # old\n[sizes]\nn = 8\n', "WL201")
    'gpu = "k20"  # old\ndisabled_rules = ["WL201"]\n\n[sizes]\nn = 8\n'
    """

    def disable(document: TOMLDocument) -> None:
        rules = document.get("disabled_rules")
        if rules is None:
            document["disabled_rules"] = [code]
        elif isinstance(rules, list):
            if code not in rules:
                rules.append(code)
        else:
            raise ConfigEditError("`disabled_rules` is no list")

    return _edited(text, disable)


def with_size(text: str, name: str, value: int, function: str = "") -> str:
    r"""The file with a size, of one function where one is named, all else as it was; raises ConfigEditError.

    >>> with_size('gpu = "k20"\n', "config.dim", 288)
    'gpu = "k20"\n\n[sizes]\n"config.dim" = 288\n'
    >>> with_size('[sizes]\nn = 8  # rows\n', "n", 64, "step")
    '[sizes]\nn = 8  # rows\n\n[sizes.step]\nn = 64\n'
    """

    def set_size(document: TOMLDocument) -> None:
        import tomlkit  # noqa: PLC0415 - as in _edited

        table: Any = document
        for key in ("sizes", function) if function else ("sizes",):
            if key not in table:
                table[key] = tomlkit.table()
            table = table[key]
            if not isinstance(table, dict):
                raise ConfigEditError(f"`{key}` is no table")
        table[name] = value

    return _edited(text, set_size)


def _edited(text: str, change: Callable[[TOMLDocument], None]) -> str:
    import tomlkit  # noqa: PLC0415 - to change a file, which is rare; tomli reads
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415 - as above

    try:
        document = tomlkit.parse(text)
        change(document)
        return str(document.as_string())
    except TOMLKitError as error:
        raise ConfigEditError(str(error)) from error


class _Check:
    """One file's values, read by kind; what is wrong is collected."""

    def __init__(self, document: dict[str, Any], folder: Path) -> None:
        self._document = document
        self._folder = folder
        self._messages: list[tuple[str, str]] = []

    @property
    def said(self) -> tuple[tuple[str, str], ...]:
        """A message for each key that is wrong; of many the first ones, and how many more there are."""
        more = len(self._messages) - MOST_NAMED
        if more <= 1:
            return tuple(self._messages)
        return (*self._messages[:MOST_NAMED], ("", f"and {more} more values that are left out"))

    def wrong(self, key: str, message: str) -> None:
        self._messages.append((key, message))

    def unknown_keys(self, keys: Sequence[str]) -> None:
        if len(keys) > MOST_NAMED:
            named = ", ".join(f"`{shortened(key)}`" for key in keys[:MOST_NAMED])
            self.wrong(keys[0], f"{len(keys)} unknown keys: {named} and {len(keys) - MOST_NAMED} more")
            return
        for key in keys:
            self.wrong(key, f"unknown key `{shortened(key)}`: {meant(key, KEYS)}")

    def config(self) -> FolderConfig:
        return FolderConfig(
            gpu=self._name("gpu"),
            cpu=self._name("cpu"),
            default_size=self._value("default_size", lambda v: v if is_size(v) and v > 0 else None, _SIZE),
            sizes=self._sizes(self._document.get("sizes", {})),
            include_paths=tuple(str(self._folder / path) for path in self._texts("include_paths")),
            defines=self._texts("defines"),
            disabled_rules=self._codes(self._texts("disabled_rules")),
            noise=self._value("noise", noise_level, f"one of {LEVELS_TEXT}"),
            worthwhile_s=self._value("worthwhile_us", worthwhile_s, WORTHWHILE_TEXT),
            arguments=self._value("called_as", arguments_of, CALLED_AS_TEXT),
            compiler_flags=self._value("compiler_flags", flags_of_text, COMPILER_FLAGS_TEXT),
        )

    def _value(self, key: str, read: Callable[[Any], T | None], expected: str) -> T | None:
        given = self._document.get(key)
        value = None if given is None else read(given)
        if given is not None and value is None:
            self.wrong(key, f"`{key}` must be {expected}")
        return value

    def _name(self, key: str) -> str | None:
        name = self._value(key, lambda v: v if isinstance(v, str) and v.strip() else None, "the name of a profile")
        return str(self._folder / name) if name and name.endswith(".toml") else name

    def _texts(self, key: str) -> tuple[str, ...]:
        return self._value(key, _strings, "a list of strings") or ()

    def _codes(self, rules: tuple[str, ...]) -> frozenset[str]:
        codes = {given: known_code(given) for given in dict.fromkeys(rules)}
        unknown = [given for given, code in codes.items() if code is None]
        for given in unknown[:MOST_NAMED]:
            self.wrong("disabled_rules", f"`disabled_rules`: {unknown_code_text(shortened(given))}")
        if unknown[MOST_NAMED:]:
            self.wrong("disabled_rules", f"`disabled_rules`: {len(unknown)} codes that there are not")
        return frozenset(code for code in codes.values() if code is not None)

    def _sizes(self, table: object) -> tuple[SizeChoice, ...]:
        if not isinstance(table, dict):
            self.wrong("sizes", "`sizes` must be a table of names and whole numbers")
            return ()
        choices: list[SizeChoice] = []
        for key, value in table.items():
            entries, function = (value.items(), key) if isinstance(value, dict) else ([(key, value)], "")
            for name, size in entries:
                if is_size(size):
                    choices.append(SizeChoice(size_name(name) or name, size, "file", function))
                else:
                    where = f"sizes.{function}.{name}" if function else f"sizes.{name}"
                    self.wrong(where, f"`{where}` must be a whole number, not negative")
        return tuple(choices)


def _strings(value: object) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else None


def _line_of(lines: Mapping[str, int], key: str) -> int:
    """1-based line of a key, of the table it is in where it has none of its own; 0 when that is unknown."""
    while key and key not in lines:
        key = key.rpartition(".")[0]
    return lines.get(key, 0)
