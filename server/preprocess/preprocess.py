"""Preprocessed text of a buffer, whatever is missing: the system's compiler where it may be used, else our own."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.text.line_markers import without_line_directives
from warplens.analysis.text.macro_definitions import MacroDirective, without_macro_directives, words
from warplens.server.files.project import program_root, worked_on
from warplens.server.files.regular_file import read_regular
from warplens.server.files.source_file import decode
from warplens.server.preprocess.compiler import CompilerRun, find_compiler, run_compiler, system_folders
from warplens.server.preprocess.confinement import Confinement, confinement_of
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.header_search import folder_that_has
from warplens.server.preprocess.includes import entered_files, outside_of, without_outside
from warplens.server.programs.programs import Programs

_MAX_ROUNDS = 64
_MOST_NAMED = 10
_STANDARDS = re.compile(r"(?:c|gnu)\d[\dx]")
_MISSING = re.compile(r"fatal error: (?:'([^\n]+)' file not found|([^\n]+): [^:\n]+)$", re.MULTILINE)
_STOPPED = re.compile(r"fatal error: ([^\n]+)")
_ERROR = re.compile(r"^[^\n]*?: (?:fatal )?error: (.+)$", re.MULTILINE)
_NOT_FOUND = re.compile(r"`([^`]*)` is not found")
_MAX_HEADER_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class _Buffer:
    """What is preprocessed: `text` of the file `path`, and what it may include. `directory` is where it lies."""

    path: Path
    text: str
    flags: PreprocessorFlags
    roots: Sequence[Path]
    """Folders below which headers are looked for that the flags do not lead to."""
    trusted: bool
    confinement: Confinement
    programs: Programs

    @property
    def directory(self) -> Path:
        """A folder that is there: a buffer may have none."""
        is_there = self.path.is_absolute() and self.path.parent.is_dir()
        return self.path.parent if is_there else Path(tempfile.gettempdir())

    def is_missing(self, header: str) -> str:
        """What is said of a header that is nowhere."""
        around = [root for root in self.roots if self.directory.is_relative_to(root)]
        where = f" below {min(around, key=lambda root: len(root.parts))}" if around else ""
        return (
            f"`{header}` was not found{where}: loops that need what it declares are not decided. Add its folder to the "
            "include paths (`warplens.includePaths`), or install the library that it belongs to."
        )

    def lies_outside(self, name: str) -> str:
        """What is said of a file that was not read."""
        if not self.trusted:
            return f"`{name}` lies outside of the workspace, which is not trusted: it is not read"
        paths = "add its folder to the include paths (`warplens.includePaths`)"
        return f"`{name}` lies outside of the workspace, the system's headers and the include paths, not read: {paths}"


def preprocess(
    path: Path, text: str, flags: PreprocessorFlags, roots: Sequence[Path], limit_s: float, *, trusted: bool
) -> Preprocessed:
    """Preprocess the buffer `text` of the file `path`; never raises on what is in it."""
    return preprocess_and_keep(path, text, flags, roots, limit_s, trusted=trusted)[0]


def preprocess_and_keep(
    path: Path, text: str, flags: PreprocessorFlags, roots: Sequence[Path], limit_s: float, *, trusted: bool
) -> tuple[Preprocessed, str]:
    """What `preprocess` gives, and all that the compiler wrote (`-dD`), macros included: empty where none was used.

    Without a compiler on PATH, and in a workspace that the user does not trust, no process is started. A file outside
    of what the buffer may include (confinement.py) is not read and becomes a note.
    """
    text = without_line_directives(text.replace("\0", " "))
    flags, unusable = flags.usable()
    programs = Programs.outside_of((*roots, *worked_on(path)))
    compiler = find_compiler(programs) if trusted else None
    try:
        system = system_folders(compiler, programs) if compiler else ()
    except OSError:  # a full disk: the compiler itself can't be run either, and that is said
        system = ()
    confinement = confinement_of(path, roots, flags.folders(), system, trusted=trusted)
    top = (program_root(path.parent),) if trusted and path.is_absolute() else ()
    buffer = _Buffer(path, text, flags, tuple(dict.fromkeys((*roots, *top))), trusted, confinement, programs)
    result, output = _preprocessed(compiler, buffer, limit_s)
    no_flag = "is no define (NAME or NAME=VALUE) and no folder: it is left out"
    notes = [(0, f"`{flag[:80]}` {no_flag}") for flag in unusable[:_MOST_NAMED]]
    if unusable[_MOST_NAMED:]:
        notes.append((0, f"and {len(unusable) - _MOST_NAMED} more flags like these: they are left out"))
    return replace(result, notes=(*notes, *result.notes)), output


def _preprocessed(compiler: str | None, buffer: _Buffer, limit_s: float) -> tuple[Preprocessed, str]:
    if compiler is None:
        return _in_python(buffer), ""
    result: tuple[Preprocessed, str] | str
    try:
        result = _with_compiler(compiler, buffer, limit_s)
    except OSError as error:  # a full or read-only disk has no room for what goes to the compiler and comes back
        result = f"no temporary file can be written ({error.strerror})"
    if not isinstance(result, str):
        return result
    fallback = _in_python(buffer)
    note = (0, f"{result}; warplens' own preprocessor was used, without the system's headers")
    return replace(fallback, notes=(*fallback.notes, note)), ""


def _with_compiler(compiler: str, buffer: _Buffer, limit_s: float) -> tuple[Preprocessed, str] | str:
    """Run again for each missing include, with the folder that has it or an empty stub; a message when that fails."""
    deadline = time.monotonic() + limit_s
    path, directory, confinement = buffer.path, buffer.directory, buffer.confinement
    name = str(path) if str(path).isprintable() and not set(str(path)) & set('"\\') else "main.c"
    flags = replace(buffer.flags, includes=tuple(file for file in buffer.flags.includes if confinement.allows(file)))
    standard = flags.standard if _STANDARDS.fullmatch(flags.standard) else "gnu11"
    text, refused = without_outside(buffer.text, directory, (*flags.include_dirs, *flags.system_dirs), confinement)
    notes = [(line, buffer.lies_outside(header)) for line, header in refused]
    notes += [(0, buffer.lies_outside(file)) for file in buffer.flags.includes if file not in flags.includes][
        :_MOST_NAMED
    ]
    handled: set[str] = set()
    missing_headers = [header for _, header in refused]
    with contextlib.ExitStack() as at_end:
        stubs: Path | None = None
        found: list[str] = []
        for _ in range(_MAX_ROUNDS):
            arguments = ["-E", "-dD", "-x", "c", f"-std={standard}", "-fopenmp", "-w", f"-iquote{directory}"]
            arguments += [*flags.arguments(), *(f"-I{folder}" for folder in found)]
            arguments += ["-idirafter", str(stubs), "-"] if stubs else ["-"]
            left_s = max(deadline - time.monotonic(), 0.1)
            run = run_compiler(compiler, arguments, f'# 1 "{name}"\n{text}', directory, left_s, buffer.programs)
            if run.ended:
                return run.ended
            outside = outside_of(run.output, name, directory, confinement)
            if outside:
                return buffer.lies_outside(outside[0])
            missing = _MISSING.search(run.messages)
            if missing is None:
                stopped = _STOPPED.search(run.messages)
                if stopped or not run.output:
                    return f"the preprocessor stopped: {stopped[1] if stopped else run.messages.strip()[-200:]}"
                notes += _error_notes(run, name)
                output, macros = without_macro_directives(run.output, name, words(text))
                macros = tuple(_with_whole_path(one, name, directory) for one in macros)
                preprocessor, unread = Path(compiler).name, tuple(dict.fromkeys(missing_headers))
                included = entered_files(run.output, directory)
                return Preprocessed(output, name, tuple(notes), preprocessor, macros, unread, included), run.output
            header = missing[1] or missing[2]
            if header in handled:
                break
            handled.add(header)
            folder = folder_that_has(header, directory, buffer.roots)
            if folder is not None:
                found.append(folder)
                continue
            if stubs is None:
                stubs = Path(at_end.enter_context(tempfile.TemporaryDirectory(prefix="warplens-")))
                confinement = replace(confinement, system=(*confinement.system, stubs))
            if not _make_stub(stubs, header):
                break
            missing_headers.append(header)
            notes.append((_line_in(run.messages, name), buffer.is_missing(header)))
    return "the includes of this file could not be resolved"


def _with_whole_path(directive: MacroDirective, main_path: str, directory: Path) -> MacroDirective:
    """The file by its absolute path: markers call headers as the `#include` and the flags do."""
    if directive.file == main_path or directive.file.startswith("<"):
        return directive
    return replace(directive, file=os.path.normpath(directory / directive.file))


def _make_stub(stubs: Path, header: str) -> bool:
    stub = stubs / header
    if not Path(os.path.normpath(stub)).is_relative_to(stubs):
        return False
    try:
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.touch()
    except (OSError, ValueError):  # a name that no file can have
        return False
    return True


def _line_in(messages: str, name: str) -> int:
    """Line of the user's file that the first message speaks of, directly or as the place of the include; 0 if none."""
    place = re.search(rf"{re.escape(name)}:(\d+)", messages)
    return int(place[1]) if place else 0


def _error_notes(run: CompilerRun, name: str) -> list[tuple[int, str]]:
    errors = re.findall(rf"^{re.escape(name)}:(\d+):(?:\d+:)? (?:fatal )?error: (.+)$", run.messages, re.MULTILINE)
    notes = [(int(line), f"preprocessor: {message}") for line, message in errors]
    if run.return_code != 0 and not notes:
        said = _ERROR.findall(run.messages) or run.messages.strip().splitlines()[-1:] or ["failed"]
        notes.append((_line_in(run.messages, name), f"preprocessor: {said[0]}"))
    return notes


def _in_python(buffer: _Buffer) -> Preprocessed:
    from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python  # noqa: PLC0415 - seldom needed

    read = ConfinedReader(buffer.confinement)
    flags = buffer.flags
    result = preprocess_in_python(
        str(buffer.path),
        buffer.text,
        read,
        (str(buffer.path.parent), *flags.include_dirs, *flags.system_dirs),
        flags.defines,
        lambda header: folder_that_has(header, buffer.path.parent, buffer.roots),
    )
    notes = ((line, _with_reason(note, buffer, read.refused)) for line, note in result.notes)
    return replace(result, notes=tuple(notes))


def _with_reason(note: str, buffer: _Buffer, refused: set[str]) -> str:
    """The note of a header that is not found, as every preprocessor's, or, if it is only not read, that."""
    header = _NOT_FOUND.fullmatch(note)
    if header:
        end = "/".join(("", *(part for part in os.path.normpath(header[1]).split("/") if part not in {"", ".."})))
        if any(name.endswith(end) for name in refused):
            return buffer.lies_outside(header[1])
        return buffer.is_missing(header[1])
    return note


@dataclass(frozen=True, slots=True)
class ConfinedReader:
    """Called with a path it gives the file's text, None where there is none that may be read.

    `refused` are the paths of files outside, whether there is a file or not.
    """

    confinement: Confinement
    refused: set[str] = field(default_factory=set)

    def __call__(self, name: str) -> str | None:
        """Text of a file that may be read; a path outside is noted."""
        if not self.confinement.allows(name):
            self.refused.add(name)
            return None
        try:
            return decode(read_regular(Path(name), _MAX_HEADER_BYTES)).text
        except (OSError, ValueError):
            return None
