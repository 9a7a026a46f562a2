"""What a shell makes of a line and TAB, asked of the shell itself."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LONGEST_WAIT_S = 30.0
_SETUP = {
    "bash": (
        "bind 'set enable-bracketed-paste off'; bind 'set completion-query-items 0'; bind 'set page-completions off'; "
        'PS1=; source {script}; bind -x \'"\\C-g": printf "<<%s>>\\n" "$READLINE_LINE"\''
    ),
    "zsh": (
        "unset zle_bracketed_paste; unsetopt prompt_sp; PROMPT=; fpath=({folder} $fpath); autoload -U compinit; "
        "compinit -D -u; bindkey -e; said() {{ print -r -- \"<<$BUFFER>>\"; }}; zle -N said; bindkey '^G' said"
    ),
}
"""Ctrl-G says what stands in the line: it is read once the completion before it has ended."""
_OPTIONS = {"bash": ("--norc", "--noprofile", "-i"), "zsh": ("-f", "-i")}


class Terminal:
    """A shell that waits for keys."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def completed(self, line: str) -> str:
        """The line after TAB; it is taken away again."""
        self.send(f"{line}\t\x07")
        read = self.read_until(b">>\r\n")
        self.send("\x15")
        return read.decode().rpartition("<<")[2].partition(">>")[0]

    def send(self, keys: str) -> None:
        """Press keys."""
        os.write(self._handle, keys.encode())

    def read_until(self, end: bytes) -> bytes:
        """What the shell writes up to there; raises TimeoutError."""
        read = b""
        deadline = time.monotonic() + _LONGEST_WAIT_S
        while end not in read:
            if not select.select([self._handle], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError(read)
            read += os.read(self._handle, 65536)
        return read


@contextmanager
def terminal(shell: Path, script: Path, folder: Path) -> Iterator[Terminal]:
    """A shell in a folder, which is its home too, with the script of its completion."""
    settings = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    process, handle = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(shell, [shell.name, *_OPTIONS[shell.name]], settings)
    try:
        started = Terminal(handle)
        setup = _SETUP[shell.name].format(script=script, folder=script.parent)
        started.send(f"{setup}; echo be''gins\n")
        started.read_until(b"begins\r\n")
        yield started
    finally:
        os.close(handle)
        os.waitpid(process, 0)


def bash_offers(script: Path, folder: Path, *words: str) -> set[str]:
    """What bash would list for the last of the words, taken apart as bash does."""
    ask = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _warplens; printf "%s\\n" "${COMPREPLY[@]}"'
    return _lines(("bash", "--norc", "-c", ask, "ask", str(script), "warplens", *words), folder)


def fish_offers(fish: Path, script: Path, folder: Path, line: str) -> set[str]:
    """What fish would list, without what it says of each."""
    ask = 'source "$argv[1]"; complete --do-complete "$argv[2]"'
    lines = _lines((str(fish), "--no-config", "-c", ask, str(script), line), folder)
    return {each.partition("\t")[0] for each in lines}


def _lines(command: tuple[str, ...], folder: Path) -> set[str]:
    settings = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stderr == ""
    return {line for line in ran.stdout.splitlines() if line}
