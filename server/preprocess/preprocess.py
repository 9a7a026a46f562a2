"""Preprocessed text of a buffer, whatever is missing: the system's compiler where it may be used, else our own."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from warplens.analysis.frontend.python_preprocessor import preprocess_in_python
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.text.line_markers import without_line_directives
from warplens.analysis.text.macro_definitions import MacroDirective, without_macro_directives, words
from warplens.server.preprocess.compiler import CompilerRun, find_compiler, run_compiler
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.header_search import folder_that_has
from warplens.server.source_file import decode

_MAX_ROUNDS = 64
_STANDARDS = re.compile(r"(?:c|gnu)\d[\dx]")
_MISSING = re.compile(r"fatal error: '?([^':\n]+?)'?(?:: | file not found)")
_ERROR = re.compile(r"^[^\n]*?: (?:fatal )?error: (.+)$", re.MULTILINE)
_MAX_HEADER_BYTES = 16 << 20


def preprocess(
    path: Path, text: str, flags: PreprocessorFlags, roots: Sequence[Path], limit_s: float, *, trusted: bool
) -> Preprocessed:
    """Preprocess the buffer `text` of the file `path`; never raises on what is in it.

    Without a compiler on PATH, and in a workspace that the user does not trust, no process is started.
    """
    text = without_line_directives(text.replace("\0", " "))
    compiler = find_compiler(roots) if trusted else None
    if compiler is None:
        return _in_python(path, text, flags, roots, trusted=trusted)
    try:
        result = _with_compiler(compiler, path, text, flags, roots, limit_s)
    except OSError as error:  # a full or read-only disk has no room for what goes to the compiler and comes back
        result = f"no temporary file can be written ({error.strerror})"
    if isinstance(result, Preprocessed):
        return result
    fallback = _in_python(path, text, flags, roots, trusted=trusted)
    note = (0, f"{result}; warplens' own preprocessor was used, without the system's headers")
    return replace(fallback, notes=(*fallback.notes, note))


def _with_compiler(
    compiler: str, path: Path, text: str, flags: PreprocessorFlags, roots: Sequence[Path], limit_s: float
) -> Preprocessed | str:
    """Run again for each missing include, with the folder that has it or an empty stub; a message when that fails."""
    deadline = time.monotonic() + limit_s
    name = str(path) if str(path).isprintable() and not set(str(path)) & set('"\\') else "main.c"
    standard = flags.standard if _STANDARDS.fullmatch(flags.standard) else "gnu11"
    directory = path.parent if path.parent.is_dir() else Path(tempfile.gettempdir())
    notes: list[tuple[int, str]] = []
    handled: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="warplens-") as stubs:
        found: list[str] = []
        for _ in range(_MAX_ROUNDS):
            arguments = ["-E", "-dD", "-x", "c", f"-std={standard}", "-fopenmp", "-w", f"-iquote{directory}"]
            arguments += [*flags.arguments(), *(f"-I{folder}" for folder in found), "-idirafter", stubs, "-"]
            left_s = max(deadline - time.monotonic(), 0.1)
            run = run_compiler(compiler, arguments, f'# 1 "{name}"\n{text}', directory, left_s)
            if run.ended:
                return run.ended
            missing = _MISSING.search(run.messages)
            if missing is None:
                notes += _error_notes(run, name)
                output, macros = without_macro_directives(run.output, name, words(text))
                macros = tuple(_with_whole_path(one, name, directory) for one in macros)
                return Preprocessed(output, name, tuple(notes), Path(compiler).name, macros)
            header = missing[1]
            if header in handled:
                break
            handled.add(header)
            folder = folder_that_has(header, directory, roots)
            if folder is not None:
                found.append(folder)
                continue
            if not _make_stub(Path(stubs), header):
                break
            line = _line_in(run.messages, name)
            notes.append(
                (line, f"`{header}` was not found: what it declares is not known. Add its folder to the include paths.")
            )
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
    stub.parent.mkdir(parents=True, exist_ok=True)
    stub.touch()
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


def _in_python(
    path: Path, text: str, flags: PreprocessorFlags, roots: Sequence[Path], *, trusted: bool
) -> Preprocessed:
    folders = (str(path.parent), *flags.include_dirs, *flags.system_dirs)
    return preprocess_in_python(
        str(path),
        text,
        reader(roots, trusted=trusted),
        folders,
        flags.defines,
        lambda header: folder_that_has(header, path.parent, roots),
    )


def reader(roots: Sequence[Path], *, trusted: bool) -> Callable[[str], str | None]:
    """A function from a path to its text, None where there is none; without trust, only files inside the roots."""
    resolved = [root.resolve() for root in roots]

    def read(name: str) -> str | None:
        try:
            path = Path(name).resolve()
            if not trusted and not any(path.is_relative_to(root) for root in resolved):
                return None
            if not path.is_file() or path.stat().st_size > _MAX_HEADER_BYTES:
                return None
            return decode(path.read_bytes()).text
        except (OSError, RuntimeError, ValueError):
            return None

    return read
