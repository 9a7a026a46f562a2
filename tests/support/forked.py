"""Starts of Warplens in tests are forks of the test's own process, which has loaded all of it.

A start loads for a second of CPU time, twice for a server, and some 500 tests start one. A fork leaves out nothing
else: it is a process of its own, with the id, pipes, session, folder and environment of the one that was asked for,
and it ends as that one would. Only the commands in `_entry` are forked. A test of how a process starts or of its memory
has the mark `cold_start`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.thread
import contextlib
import faulthandler
import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities
from warplens.server.lsp.message_stream import MessageStream
from warplens.server.worker.early_start import COMMAND

WARPLENS = Path(sys.executable).with_name("warplens")

_WAITING = {concurrent.futures.thread._worker.__code__, MessageStream._next_body.__code__}
"""The innermost frame of a thread that waits for a call, or for a message on a stream that is none of the fork's."""

_LEFT: list[object] = []
"""Streams of the process that was forked: to end one that a thread of it reads would wait for that thread."""


@contextlib.contextmanager
def starts_as_forks() -> Iterator[None]:
    """Have subprocess, and asyncio, which uses it, fork this process where it would start Warplens."""
    start, tests = subprocess.Popen.__init__, os.getpid()

    def start_or_fork(self: subprocess.Popen[Any], args: Any, *rest: Any, **options: Any) -> None:
        entry = _entry(args)
        # A server has threads of its own later: a fork would take along the locks of one that is at work.
        if entry is not None and not rest and (os.getpid() == tests or _threads_wait()):
            _load()
            options["preexec_fn"] = partial(_become, entry, options.get("env"))
        start(self, args, *rest, **options)

    subprocess.Popen.__init__ = start_or_fork  # type: ignore[method-assign]
    try:
        yield
    finally:
        subprocess.Popen.__init__ = start  # type: ignore[method-assign]


def _threads_wait() -> bool:
    """Whether all other threads of this process have nothing to do: they are an executor's, or read messages."""
    own = threading.get_ident()
    doing = (frame.f_code for thread, frame in sys._current_frames().items() if thread != own)
    return all(code in _WAITING for code in doing)


def _entry(args: object) -> Callable[[], object] | None:
    """What the command runs once all is loaded; None of a command that is none of Warplens."""
    if not isinstance(args, Sequence) or isinstance(args, str | bytes):
        return None
    match tuple(map(os.fspath, args)):
        case words if words == COMMAND:
            return _analysis_process
        case (program, *arguments) if program == str(WARPLENS):
            return partial(_command, arguments)
        case (sys.executable, "-P", "-c", text, *arguments) if "warplens.server" in text:
            return partial(_program, text, ["-c", *arguments])
        case (sys.executable, "-P", file) if file.endswith("_child.py"):
            return partial(run_path, file, run_name="__main__")
    return None


def _analysis_process() -> None:
    from warplens.server.worker.child import main

    main()


def _command(arguments: Sequence[str]) -> int:
    from warplens.server.cli.main import main

    return main(arguments)


def _program(text: str, arguments: list[str]) -> None:
    sys.argv = arguments
    exec(text, {"__name__": "__main__"})


@cache
def _load() -> None:
    from warplens.hwprofiles.loader import gpu_names, load_gpu
    from warplens.hwprofiles.validation import model_errors
    from warplens.server.cli import lsp
    from warplens.server.result_cache.code_version import code_version
    from warplens.server.session import language_server
    from warplens.server.session.load_ahead import MODULES
    from warplens.server.worker import child

    for name in (language_server.__name__, lsp.__name__, child.__name__, *MODULES):
        import_module(name)
    for gpu in gpu_names():
        load_gpu(gpu)
    model_errors()
    code_version()
    _server_converter()


@cache
def _server_converter() -> Converter:
    """A server's, which has built its code for the first message of a client: that takes a tenth of a second."""
    converter = default_converter()
    for client in ("visual-studio-code", "neovim", "emacs"):
        parameters = types.InitializeParams(capabilities=client_capabilities(client))
        request = types.InitializeRequest(0, parameters)
        converter.structure(converter.unstructure(request), types.InitializeRequest)
    return converter


def _become(entry: Callable[[], object], environment: Mapping[str, str] | None) -> None:
    """In the new process, between fork and exec: run the program in the exec's place, and never come back."""
    code = 1
    try:
        faulthandler.disable()
        _let_go_of_files()
        _as_a_fresh_interpreter(environment)
        _take_converter()
        code = _exit_code(entry)
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as an interpreter does at its end
        if not sys.stdout.closed:
            sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - nothing of the test may go on in here
        with contextlib.suppress(Exception):
            traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _let_go_of_files() -> None:
    """Close what the test's process has open, the pipe too in which the parent waits for the exec.

    Objects that are still there may close their numbers once more: so these stay taken.
    """
    empty = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for path in list(Path("/proc/self/fd").iterdir()):
        if (number := int(path.name)) > 2:
            with contextlib.suppress(OSError):
                os.fstat(number)  # the folder's own is gone by now
                os.dup2(empty, number, inheritable=False)


def _as_a_fresh_interpreter(environment: Mapping[str, str] | None) -> None:
    """Take back what the test, pytest and the event loop around it have set for their own process."""
    if environment is not None:
        os.environ.clear()
        os.environ.update(environment)
    _LEFT.append((sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__))
    sys.stdin, sys.stdout, sys.stderr = (open(n, mode, closefd=False) for n, mode in ((0, "r"), (1, "w"), (2, "w")))  # noqa: SIM115
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
    sys.stderr.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    asyncio._set_running_loop(None)
    asyncio.set_event_loop_policy(None)
    logging.root.handlers.clear()
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    gc.freeze()


def _take_converter() -> None:
    from warplens.server.session import language_server

    language_server._new_converter = _server_converter


def _exit_code(entry: Callable[[], object]) -> int:
    try:
        code = entry()
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as an interpreter does
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        return 1
    return code if isinstance(code, int) else 0
