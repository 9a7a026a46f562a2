"""Which files gcc accepts, and with which flags: `accept.py [NAME...]` writes `accepted.json` in the build folder.

A header that is missing is searched in the package; one that is nowhere becomes an empty file. What gcc still refuses
(fragments, other systems, packages that are not installed) is counted apart and not analysed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from accuracy.real_c.gcc_messages import first_error, missing_header
from accuracy.real_c.package import WORK, Package, packages
from warplens.server.preprocess.header_search import folder_that_has

ACCEPTED = WORK / "accepted.json"
_MOST_ROUNDS = 64
_LIMIT_S = 60


@dataclass(frozen=True, slots=True)
class Acceptance:
    """`include_dirs` were found for this file, `stubs` are the headers that are nowhere, `error` is gcc's first."""

    path: str
    include_dirs: tuple[str, ...]
    stubs: tuple[str, ...]
    error: str

    @property
    def is_accepted(self) -> bool:
        """Whether gcc takes the file."""
        return not self.error


def main() -> None:
    """Resolve the packages named, keep what is known of the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    known = read_accepted()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for package in packages(parser.parse_args().names):
            found = tuple(pool.map(partial(resolve, package), package.c_files(), chunksize=8))
            known[package.name] = found
            refused = Counter(file.error for file in found if file.error)
            why = "; ".join(f"{count} {reason[:60]}" for reason, count in refused.most_common(3))
            print(f"{package.name}: {sum(f.is_accepted for f in found)} of {len(found)}. {why}", flush=True)
            write_accepted(known)


def resolve(package: Package, path: str) -> Acceptance:
    """Run gcc's syntax check until no header is missing."""
    file = package.folder / path
    found: list[str] = []
    stubs: list[str] = []
    with tempfile.TemporaryDirectory(prefix="real-c-") as folder:
        for _ in range(_MOST_ROUNDS):
            messages = _gcc(package, file, found, Path(folder))
            header = missing_header(messages)
            if header is None:
                return Acceptance(path, tuple(found), tuple(stubs), first_error(messages))
            where = folder_that_has(header, file.parent, (package.folder,))
            stub = Path(os.path.normpath(Path(folder, header)))
            if where is not None and where not in found:
                found.append(where)
            elif header not in stubs and stub.is_relative_to(folder):
                stubs.append(header)
                stub.parent.mkdir(parents=True, exist_ok=True)
                stub.touch()
            else:
                return Acceptance(path, tuple(found), tuple(stubs), f"{header} can't be provided")
    return Acceptance(path, tuple(found), tuple(stubs), "too many headers are missing")


def read_accepted() -> dict[str, tuple[Acceptance, ...]]:
    """What the last runs found, by package."""
    if not ACCEPTED.exists():
        return {}
    content: dict[str, list[dict[str, object]]] = json.loads(ACCEPTED.read_text(encoding="utf-8"))
    return {name: tuple(_acceptance(entry) for entry in entries) for name, entries in content.items()}


def write_accepted(known: dict[str, tuple[Acceptance, ...]]) -> None:
    """Keep it for the survey, folders relative to where the packages are unpacked."""
    content = {name: [_portable(asdict(file)) for file in files] for name, files in sorted(known.items())}
    ACCEPTED.parent.mkdir(parents=True, exist_ok=True)
    ACCEPTED.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _portable(entry: dict[str, object]) -> dict[str, object]:
    return {**entry, "include_dirs": [os.path.relpath(folder, WORK) for folder in _strings(entry["include_dirs"])]}


def _acceptance(entry: dict[str, object]) -> Acceptance:
    folders = tuple(os.path.normpath(WORK / folder) for folder in _strings(entry["include_dirs"]))
    return Acceptance(str(entry["path"]), folders, _strings(entry["stubs"]), str(entry["error"]))


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, Iterable) else ()


def _gcc(package: Package, file: Path, found: list[str], stubs: Path) -> str:
    flags = package.flags(found).arguments()
    command = ["gcc", "-fsyntax-only", "-std=gnu11", "-fopenmp", "-w", *flags, "-idirafter", str(stubs), str(file)]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_LIMIT_S, check=False,
            env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "error: gcc did not end in time"
    return run.stderr


if __name__ == "__main__":
    main()
