"""The system's C compiler: which one, and one run of its preprocessor under limits."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from warplens.server.programs.programs import Programs

if sys.platform == "linux":
    import resource

COMPILER_NAMES = ("cc", "gcc", "clang")
_VERSION_LIMIT_S = 5.0
_OUTPUT_LIMIT_BYTES = 64 << 20
_MEMORY_LIMIT_BYTES = 2 << 30
"""Of addresses: a header may be as large as a disk's hole allows, or a device that never ends."""
_OUT_OF_MEMORY = "out of memory"
_LOOK_S = 0.01
"""How often its output's size is looked at."""
_POLL_S = 0.001
"""Between two looks where no one tells that it has ended; `Popen.wait` with a limit looks less and less often."""


@dataclass(frozen=True, slots=True)
class CompilerRun:
    """What came out; `ended` says why it was stopped, empty when it ended by itself."""

    output: str
    messages: str
    return_code: int
    ended: str = ""


def find_compiler(programs: Programs) -> str | None:
    """Absolute path of the first of cc, gcc, clang on PATH."""
    return programs.find(*COMPILER_NAMES)


@lru_cache(maxsize=8)
def system_folders(compiler: str, programs: Programs) -> tuple[str, ...]:
    """The folders that the compiler searches by itself, as it names them; none where it does not say."""
    with tempfile.TemporaryDirectory(prefix="warplens-") as folder:
        run = run_compiler(compiler, ["-E", "-v", "-x", "c", "-"], "", Path(folder), _VERSION_LIMIT_S, programs)
    searched = run.messages.partition("#include <...> search starts here:\n")[2].partition("End of search list")[0]
    folders = (line.strip().removesuffix(" (framework directory)") for line in searched.splitlines())
    absolute = (folder for folder in folders if Path(folder).is_absolute())
    return tuple(dict.fromkeys(each for folder in absolute for each in (folder, str(Path(folder).resolve()))))


def run_compiler(
    compiler: str, arguments: Sequence[str], text: str, directory: Path, limit_s: float, programs: Programs
) -> CompilerRun:
    """Run the compiler on `text` as its standard input, in `directory`, for at most `limit_s` seconds.

    `programs` are those that it may start itself. The output goes through files, so that neither side can block, and is
    bounded: includes can nest exponentially.
    """
    deadline = time.monotonic() + limit_s
    ended = ""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        source.write(text.encode("utf-8", "surrogatepass"))
        source.seek(0)
        try:
            process = subprocess.Popen(
                [compiler, *arguments],
                stdin=source,
                stdout=output,
                stderr=messages,
                cwd=directory,
                env={**programs.environment(), "LC_ALL": "C"},
            )
        except (OSError, ValueError) as error:  # ValueError: a flag that no program can be given, with a NUL in it
            return CompilerRun("", "", -1, f"{compiler} could not be started: {error}")
        _limit_memory(process.pid)
        with _waiting_for(process) as wait:
            while process.poll() is None and not ended:
                wait()
                if time.monotonic() > deadline:
                    ended = f"the preprocessor was ended after {limit_s:g} s"
                elif os.fstat(output.fileno()).st_size > _OUTPUT_LIMIT_BYTES:
                    ended = f"the preprocessor was ended: its output exceeds {_OUTPUT_LIMIT_BYTES >> 20} MiB"
        if ended:
            _end(process)
        output.seek(0)
        messages.seek(0)
        said = messages.read(1 << 20).decode("utf-8", "replace")
        if not ended and (process.returncode < 0 or _OUT_OF_MEMORY in said):
            ended = f"the preprocessor was ended: it needs more than {_MEMORY_LIMIT_BYTES >> 20} MiB, or crashed"
        size = min(os.fstat(output.fileno()).st_size, _OUTPUT_LIMIT_BYTES)  # reading asks for as much memory
        text = "" if ended else output.read(size).decode("utf-8", "replace")
        return CompilerRun(text, said, process.returncode, ended)


@contextlib.contextmanager
def _waiting_for(process: subprocess.Popen[bytes]) -> Iterator[Callable[[], object]]:
    """What waits until a process has ended, but not for long: Linux tells at once."""
    handle = -1
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # of a kernel, or a sandbox, that has no such call
            handle = os.pidfd_open(process.pid)
    if handle < 0:
        yield lambda: time.sleep(_POLL_S)
        return
    try:
        ended = select.poll()
        ended.register(handle, select.POLLIN)
        yield lambda: ended.poll(_LOOK_S * 1000)
    finally:
        os.close(handle)


def _limit_memory(process_id: int) -> None:
    """Bound what the compiler, and what it starts, may take: Linux can do that to a process that runs."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(process_id, resource.RLIMIT_AS, (_MEMORY_LIMIT_BYTES, _MEMORY_LIMIT_BYTES))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a compiler and what it runs: gcc's driver leaves the preprocessor itself (cc1) behind when it is killed.

    The group is also ours, so its members are killed one by one where the system lists them (Linux).
    """
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    with contextlib.suppress(OSError):
        for child in listed.read_text(encoding="ascii").split():
            os.kill(int(child), signal.SIGKILL)
    process.kill()
    process.wait()
