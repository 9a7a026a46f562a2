"""What the user chose in the editor: one frozen value, read when a request is served."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from warplens.analysis.advice.noise_levels import LEVELS, Noise
from warplens.server.settings.nearest import MOST_NAMED, meant, shortened

_MAX_TIME_LIMIT_S = 3600.0
_MAX_WORTHWHILE_US = 1e9


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything under `warplens` in the client's configuration; `gpu` and `cpu` are names of profiles."""

    gpu: str = "a100"
    cpu: str = "server"
    default_size: int = 1024
    sizes: tuple[tuple[str, int], ...] = ()
    include_paths: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    disabled_rules: frozenset[str] = frozenset()
    code_lens: bool = True
    inlay_hints: bool = True
    hints_on_every_loop: bool = False
    analyse_while_typing: bool = False
    keeps_results: bool = True
    reads_program: bool = True
    """Whether the other files of its program are read for what they say of a file."""
    analysis_time_limit_s: float = 10.0
    noise: Noise = "normal"
    arguments: tuple[str, ...] | None = None
    """Those with which the program is called, without its own name; None where nobody said."""
    compiler_flags: tuple[str, ...] | None = None
    """With which the CPU's code is compiled; None: as the build says."""
    worthwhile_s: float = 20e-6
    """About what launching a kernel and waiting for it takes: below, there is nothing to gain on any GPU."""


COMPILER_FLAGS_TEXT = "flags of gcc or clang: `-O3 -march=native`"
CALLED_AS_TEXT = "how the program is called, as in a shell: `./prog -n 4096 in.dat`"
_LONGEST_CALL = 10_000


def arguments_of(value: object) -> tuple[str, ...] | None:
    """Arguments of a command line, which nothing ever runs; None for what is none.

    >>> arguments_of("./prog -n 4096 'in dat'"), arguments_of("./prog '"), arguments_of("")
    (('-n', '4096', 'in dat'), None, None)
    """
    if not isinstance(value, str) or len(value) > _LONGEST_CALL:
        return None
    try:
        words = shlex.split(value)
    except ValueError:
        return None
    return tuple(words[1:]) if words else None


def flags_of_text(value: object) -> tuple[str, ...] | None:
    """Flags of a compiler, which nothing ever runs; None for what is none.

    >>> flags_of_text("-O3 -march=native"), flags_of_text("-O2 '"), flags_of_text(3)
    (('-O3', '-march=native'), None, None)
    """
    if not isinstance(value, str) or len(value) > _LONGEST_CALL:
        return None
    try:
        return tuple(shlex.split(value)) or None
    except ValueError:
        return None


def settings_from_client(value: object) -> tuple[Settings, tuple[str, ...]]:
    """Settings of a client's `warplens` section, and a message for each value that was not understood.

    A value that is missing or wrong keeps its default. Names that are the client's own business are left to it.
    """
    if value is None:
        return Settings(), ()
    if not isinstance(value, dict):
        return Settings(), ("the `warplens` settings are not an object; the defaults are used",)
    settings, problems = Settings(), []
    for name, field, check, expected in _CHECKS:
        given = _lookup(value, name)
        if given is None:
            continue
        if (read := check(given)) is None:
            problems.append(f"setting `warplens.{name}` must be {expected}; it is ignored")
        else:
            settings = replace(settings, **{field: read})
    known, unknown = _known_codes(settings.disabled_rules)
    problems += unknown
    names = list(islice(_unknown_names(value, ""), MOST_NAMED + 1))
    if len(names) > MOST_NAMED:
        problems.append(
            f"there are no settings {', '.join(f'`warplens.{shortened(name)}`' for name in names)} and others"
        )
    else:
        for name in names:
            problems.append(f"there is no setting `warplens.{shortened(name)}`: {meant(name, SETTING_NAMES)}")
    return replace(settings, disabled_rules=known), tuple(problems)


def _known_codes(given: frozenset[str]) -> tuple[frozenset[str], list[str]]:
    """The codes that are meant, and a message for each that there is not."""
    if not given:
        return given, []
    from warplens.analysis.engine.switched_off import known_code, unknown_code_text  # noqa: PLC0415 - see noise_level

    unknown = sorted(each for each in given if known_code(each) is None)
    return (
        frozenset(code for each in given if (code := known_code(each))),
        [f"setting `warplens.disabledRules`: {unknown_code_text(shortened(each))}" for each in unknown[:MOST_NAMED]],
    )


def _unknown_names(section: dict[str, Any], before: str) -> Iterator[str]:
    """Dotted names that neither server nor client has a setting for."""
    for key, value in section.items():
        name = f"{before}{key}"
        if name in SETTING_NAMES:
            continue
        if isinstance(value, dict) and any(known.startswith(f"{name}.") for known in SETTING_NAMES):
            yield from _unknown_names(value, f"{name}.")
        else:
            yield name


def is_size(value: object) -> bool:
    """Whether a value can be a problem size: an integer of 63 bits, not negative, not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _lookup(section: dict[str, Any], name: str) -> Any:
    """A dotted name is nested objects in most clients, one key in some."""
    if name in section:
        return section[name]
    head, _, tail = name.partition(".")
    inner = section.get(head)
    return _lookup(inner, tail) if tail and isinstance(inner, dict) else None


def _name(value: object) -> str | None:
    return value.strip() if isinstance(value, str) and value.strip() else None


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and is_size(value) and value > 0 else None


def _sizes(value: object) -> tuple[tuple[str, int], ...] | None:
    if isinstance(value, dict) and all(isinstance(k, str) and is_size(v) for k, v in value.items()):
        return tuple(sorted(value.items()))
    return None


def _strings(value: object) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else None


def _codes(value: object) -> frozenset[str] | None:
    strings = _strings(value)
    return None if strings is None else frozenset(strings)


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _seconds(value: object) -> float | None:
    return _number(value, _MAX_TIME_LIMIT_S) or None


def _number(value: object, most: float) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
        return float(value)
    return None


def noise_level(value: object) -> Noise | None:
    """The level of that name."""
    return next((level for level in LEVELS if level == value), None)


def worthwhile_s(value: object) -> float | None:
    """Microseconds, as configuration files have them, in seconds; None for what is no such number."""
    number = _number(value, _MAX_WORTHWHILE_US)
    return None if number is None else number / 1e6


LEVELS_TEXT = ", ".join(f'"{level}"' for level in LEVELS)
WORTHWHILE_TEXT = "a number of microseconds, 0 for every loop"


_CHECKS: tuple[tuple[str, str, Any, str], ...] = (
    ("gpu", "gpu", _name, "the name of a GPU profile"),
    ("cpu", "cpu", _name, "the name of a CPU profile"),
    ("defaultSize", "default_size", _size, "a whole number above 0"),
    ("sizes", "sizes", _sizes, "an object of names and whole numbers"),
    ("calledAs", "arguments", arguments_of, CALLED_AS_TEXT),
    ("compilerFlags", "compiler_flags", flags_of_text, COMPILER_FLAGS_TEXT),
    ("includePaths", "include_paths", _strings, "a list of folders"),
    ("defines", "defines", _strings, "a list of NAME or NAME=VALUE"),
    ("disabledRules", "disabled_rules", _codes, "a list of rule codes"),
    ("noise", "noise", noise_level, f"one of {LEVELS_TEXT}"),
    ("worthwhileMicroseconds", "worthwhile_s", worthwhile_s, WORTHWHILE_TEXT),
    ("codeLens.enabled", "code_lens", _flag, "true or false"),
    ("inlayHints.enabled", "inlay_hints", _flag, "true or false"),
    ("inlayHints.everyLoop", "hints_on_every_loop", _flag, "true or false"),
    ("analyseWhileTyping", "analyse_while_typing", _flag, "true or false"),
    ("program.enabled", "reads_program", _flag, "true or false"),
    ("cache.enabled", "keeps_results", _flag, "true or false"),
    ("analysisTimeLimitSeconds", "analysis_time_limit_s", _seconds, "a number of seconds above 0, at most 3600"),
)

CLIENT_NAMES = ("server.path", "server.args", "trace.server")
"""Settings of the VS Code client alone."""

SETTING_NAMES = (*(name for name, *_ in _CHECKS), *CLIENT_NAMES)
