"""Options that every command has that analyses files, and what they mean.

What they mean is worked out of an option that is given: until then little is loaded, as for a help.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from warplens.analysis.advice.noise_levels import LEVELS
from warplens.server.settings.settings import CALLED_AS_TEXT, WORTHWHILE_TEXT, Settings, arguments_of, worthwhile_s

if TYPE_CHECKING:
    from warplens.analysis.gpu.launch.extent import Extent

_MOST_SECONDS = 1_000_000
"""Timers of the system overflow somewhere beyond."""


def add_analysis_options(parser: argparse.ArgumentParser) -> None:
    """Declare what to analyse for, how long at most, and colour."""
    add_machine_options(parser)
    add_source_options(parser)


def add_machine_options(parser: argparse.ArgumentParser) -> None:
    """Declare GPU, CPU and sizes."""
    parser.add_argument("--gpu", metavar="NAME", type=gpu, help="a profile's name or TOML file (default: A100)")
    add_cpu_and_size_options(parser)


def add_cpu_and_size_options(parser: argparse.ArgumentParser) -> None:
    """Declare CPU and sizes, for commands with several GPUs."""
    parser.add_argument("--cpu", metavar="NAME", type=_cpu, help="the CPU that the GPU is compared with")
    parser.add_argument(
        "--size",
        dest="sizes",
        metavar="NAME=SIZE",
        type=_size,
        action="append",
        default=[],
        help="a problem size, as reports call it: --size n=4096, --size 's->count=8', --size 'iterations of i=40'; for "
        "any number of names",
    )


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Declare how a file is read, what is assumed of it, how long at most, and colour."""
    parser.add_argument(
        "--called-as",
        metavar="COMMAND",
        type=_arguments,
        help="take the sizes from the arguments of the program: --called-as './prog -n 4096 in.dat' (nothing is run)",
    )
    parser.add_argument("--default-size", metavar="SIZE", type=positive, default=Settings().default_size,
                        help="value of sizes that nothing says (default: %(default)s)")  # fmt: skip
    parser.add_argument(
        "-I", dest="include_paths", metavar="DIR", action="append", default=[], help="a folder of headers"
    )
    parser.add_argument(
        "-D",
        "--define",
        dest="defines",
        metavar="NAME[=VALUE]",
        type=_define,
        action="append",
        default=[],
        help="define a macro, as for a compiler",
    )
    parser.add_argument(
        "--alone",
        action="store_true",
        help="read no other file of the program: sizes are then those that the file itself tells",
    )
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: %(default)s)")
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=seconds,
        default=60.0,
        help="of one loop nest, and of reading a file (default: %(default)g)",
    )


def add_noise_options(parser: argparse.ArgumentParser) -> None:
    """Declare how much to report."""
    parser.add_argument(
        "--noise",
        choices=LEVELS,
        default=Settings().noise,
        help="quiet: warnings on loops that a GPU would speed up; normal: what can be changed; all: every finding "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--worthwhile-us",
        metavar="MICROSECONDS",
        type=_microseconds,
        default=Settings().worthwhile_s,
        help="say nothing of nests that take less on one core, at sizes that are known (default: "
        f"{Settings().worthwhile_s * 1e6:g})",
    )
    parser.add_argument(
        "--disable",
        metavar="CODES",
        dest="disabled_rules",
        type=_codes,
        action="append",
        default=[],
        help="rules not to report: --disable WL201,WL902",
    )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Settings as the options say."""
    return Settings(
        gpu=arguments.gpu or Settings().gpu,
        cpu=arguments.cpu or Settings().cpu,
        default_size=arguments.default_size,
        arguments=arguments.called_as,
        sizes=tuple(arguments.sizes),
        include_paths=tuple(str(Path(folder).resolve()) for folder in arguments.include_paths),
        defines=tuple(arguments.defines),
        reads_program=not arguments.alone,
        analysis_time_limit_s=arguments.time_limit,
        noise=getattr(arguments, "noise", "all"),
        worthwhile_s=getattr(arguments, "worthwhile_us", 0.0),
        disabled_rules=frozenset(code for codes in getattr(arguments, "disabled_rules", ()) for code in codes),
    )


def _arguments(command: str) -> tuple[str, ...]:
    found = arguments_of(command)
    if found is None:
        raise argparse.ArgumentTypeError(f"must be {CALLED_AS_TEXT}")
    return found


def gpu(name: str) -> str:
    """A GPU that can be loaded, by what it is loaded by; raises ArgumentTypeError."""
    return _profile(name, "gpu")


def _cpu(name: str) -> str:
    return _profile(name, "cpu")


def _profile(name: str, kind: Literal["gpu", "cpu"]) -> str:
    """The name, a file's from its root, of a profile that can be loaded; one's own are found by name."""
    from warplens.hwprofiles.loader import load_cpu, load_gpu  # noqa: PLC0415 - no help needs it
    from warplens.hwprofiles.profile import ProfileError  # noqa: PLC0415 - as above
    from warplens.server.settings.own_profiles import profile_name  # noqa: PLC0415 - as above

    named = profile_name(name, (Path.cwd(),))
    try:
        (load_gpu if kind == "gpu" else load_cpu)(named)
    except ProfileError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return str(Path(named).resolve()) if named.endswith(".toml") else named


def _size(text: str) -> tuple[str, int]:
    from warplens.analysis.ir.size_name import size_name  # noqa: PLC0415 - no help needs it

    written, _, value = text.rpartition("=")
    name = size_name(written)
    if not name or not value.strip().isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=SIZE with a whole number (macros: -D)")
    return name, int(value)


def _define(text: str) -> str:
    """A definition that a compiler takes; raises ArgumentTypeError."""
    from warplens.analysis.ir.size_name import size_name  # noqa: PLC0415 - no help needs it
    from warplens.server.preprocess.flags import is_definition  # noqa: PLC0415 - as above

    if is_definition(text):
        return text
    name, _, value = text.rpartition("=")
    is_size = bool(size_name(name)) and value.strip().isdecimal()
    hint = f": it defines a macro; for the size say --size '{text}'" if is_size else ""
    raise argparse.ArgumentTypeError(f"{text!r} is not NAME[=VALUE]{hint}")


def _microseconds(text: str) -> float:
    try:
        value = worthwhile_s(float(text))
    except ValueError:
        value = None
    if value is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not {WORTHWHILE_TEXT}")
    return value


def _codes(text: str) -> tuple[str, ...]:
    from warplens.analysis.engine.switched_off import known_code, unknown_code_text  # noqa: PLC0415 - as above

    found = []
    for given in names(text):
        code = known_code(given)
        if code is None:
            raise argparse.ArgumentTypeError(unknown_code_text(given))
        found.append(code)
    return tuple(found)


def place(text: str) -> tuple[str, int]:
    """FILE:LINE; raises ArgumentTypeError."""
    path, _, line = text.rpartition(":")
    if not path or not line.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not FILE:LINE")
    return path, int(line)


def positive(text: str) -> int:
    """A whole number above 0; raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def extent(text: str) -> Extent:
    """`32x8` with ones for what is left out; raises ArgumentTypeError."""
    parts = text.split("x")
    if not 1 <= len(parts) <= 3 or not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not one to three whole numbers above 0 with x between them")
    x, y, z = (*map(int, parts), 1, 1)[:3]
    return x, y, z


def names(text: str) -> tuple[str, ...]:
    """Names between commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def milliseconds(text: str) -> float:
    """A time in milliseconds, above 0, as seconds; raises ArgumentTypeError."""
    try:
        value = float(text) / 1e3
    except ValueError:
        value = 0.0
    if not 0 < value <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of milliseconds above 0")
    return value


def seconds(text: str) -> float:
    """A time above 0, and an end; raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0, up to {_MOST_SECONDS}")
    return value
