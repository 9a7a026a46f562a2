"""What around the program may be in its way: PATH, encodings, folders that can't be written."""

from __future__ import annotations

import locale
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from warplens.hwprofiles.recognised_cpu import profile_for
from warplens.server.doctor.check import Check
from warplens.server.measure.calibration.cpu_machine import this_cpu

_LEAST_FREE_BYTES = 64 << 20


def environment_checks() -> Iterator[Check]:
    """What the user's session gives."""
    yield _command()
    yield _path()
    yield _encoding()
    yield _temporary_folder()
    yield _cpu()


def _cpu() -> Check:
    """Speedups are measured against a CPU: which profile is of this machine's class."""
    name = this_cpu().name
    profile = profile_for(name)
    found = f"{name}: no profile is of its class" if profile is None else f"{name}: `{profile}` is of its class"
    return Check("CPU", "ok", f"{found}; `warplens calibrate cpu` measures this machine")


def _command() -> Check:
    """Editors start `warplens` by its name."""
    found = shutil.which("warplens")
    own = Path(sys.executable).with_name("warplens")
    if found is None:
        remedy = f'add {own.parent} to PATH, or tell the editor: "warplens.server.path": "{own}"'
        return Check("command", "note", "`warplens` is not on PATH: editors don't find it by its name", remedy)
    if own.exists() and Path(found).resolve() != own.resolve():
        remedy = "remove one of them, or name one in the editor's settings: `warplens.server.path`"
        return Check("command", "note", f"editors start {found}, this is {own}", remedy)
    return Check("command", "ok", f"editors that have the PATH of this terminal start {found}")


def _path() -> Check:
    folders = os.environ.get("PATH", "").split(os.pathsep)
    odd = [each or "(empty)" for each in folders if not Path(each).is_absolute()]
    if odd:
        found = f"relative entries: {', '.join(odd)}; no compiler is looked for there"
        return Check(
            "PATH", "note", found, "use absolute folders: what a relative one holds depends on where one stands"
        )
    return Check("PATH", "ok", f"{len(folders)} folders, all absolute")


def _encoding() -> Check:
    names = (("texts", locale.getpreferredencoding(False)), ("file names", sys.getfilesystemencoding()))
    odd = [f"{what} in {name}" for what, name in names if name.lower().replace("-", "") != "utf8"]
    if odd:
        remedy = "set `LC_ALL=C.UTF-8`, or `PYTHONUTF8=1` for Python alone"
        return Check("locale", "note", f"{', '.join(odd)}: names that are not ASCII may look wrong", remedy)
    return Check("locale", "ok", "UTF-8")


def _temporary_folder() -> Check:
    try:
        folder = Path(tempfile.gettempdir())
        with tempfile.TemporaryFile() as file:
            file.write(b"x" * 4096)
            file.flush()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        remedy = "free space, or set TMPDIR to a folder that can be written: the compiler's output goes through it"
        return Check("temporary files", "wrong", f"none can be written: {error}", remedy)
    if free < _LEAST_FREE_BYTES:
        return Check("temporary files", "note", f"{free >> 20} MiB left in {folder}", "free space there")
    return Check("temporary files", "ok", f"{folder}, {free >> 20} MiB free")
