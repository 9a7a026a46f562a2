"""Analyse every accepted file: `survey.py [NAME...]`. Answers are kept by file and by the analysis' own sources."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from accuracy.real_c.accept import read_accepted
from accuracy.real_c.package import HERE, PROJECT, WORK, Package, packages
from accuracy.real_c.record import FileRecord
from accuracy.real_c.survey_file import Task, survey_file
from accuracy.real_c.workers import run

_LIMIT_S = 120.0
_DECIDING = ("match_marks", "openmp", "oracle", "places", "record", "survey_file", "unmarked")


def main() -> None:
    """Survey what is not known yet for the analysis as it is now."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--set", default="", choices=["", "tune", "opened", "opened-2", "holdout"])
    parser.add_argument("--per-package", type=int, default=0, help="a sample of so many files each; 0 for all")
    parser.add_argument("--marked", action="store_true", help="only files that mention OpenMP")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    chosen = packages(options.names, options.set)
    known = Answers()
    tasks = [task for task in tasks_of(chosen, options.per_package, marked_only=options.marked) if task not in known]
    print(f"{len(tasks)} files to do", flush=True)
    for done, (task, result) in enumerate(run(tasks, survey_file, options.processes, _LIMIT_S), 1):
        record = FileRecord(task.package.name, task.path, failure=result) if isinstance(result, str) else result
        known.add(task, record)
        if record.failure or record.exceptions:
            print(f"{task.path}: {record.failure or record.exceptions[0]}", flush=True)
        if done % 100 == 0:
            print(f"{done} of {len(tasks)}", flush=True)


class Answers:
    """Records by task, one file of lines for each state of the analysis."""

    def __init__(self) -> None:
        self._file = WORK / "answers" / f"{analysis_digest()}.jsonl"
        self._known: dict[str, FileRecord] = {}
        if self._file.exists():
            for line in self._file.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self._known[entry["key"]] = FileRecord.from_json(entry["record"])

    def __contains__(self, task: object) -> bool:
        return isinstance(task, Task) and _key(task) in self._known

    def __getitem__(self, task: Task) -> FileRecord:
        return self._known[_key(task)]

    def add(self, task: Task, record: FileRecord) -> None:
        """Remember a record, here and on disk."""
        self._known[_key(task)] = record
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"key": _key(task), "record": record.to_json()}) + "\n")


def tasks_of(chosen: Sequence[Package], per_package: int = 0, *, marked_only: bool = False) -> Iterator[Task]:
    """Accepted files in the order of their paths; a sample is the first ones by digest, so that it is always the same.

    A package that gcc was not asked about yet has none.
    """
    accepted = read_accepted()
    for package in chosen:
        files = [file for file in accepted.get(package.name, ()) if file.is_accepted]
        if marked_only:
            files = [file for file in files if _mentions_openmp(package.folder / file.path)]
        if per_package:
            files = sorted(files, key=lambda file: hashlib.sha256(file.path.encode()).digest())[:per_package]
        for file in sorted(files, key=lambda file: file.path):
            yield Task(package, file.path, file.include_dirs)


def analysis_digest() -> str:
    """A name for the sources that decide an answer."""
    digest = hashlib.sha256()
    sources = [*(PROJECT / "analysis").rglob("*.py"), *(PROJECT / "server" / "preprocess").glob("*.py")]
    for path in sorted(sources) + [HERE / f"{name}.py" for name in _DECIDING]:
        digest.update(str(path.relative_to(PROJECT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _mentions_openmp(path: Path) -> bool:
    content = path.read_bytes()
    return b"omp" in content or b"OMP" in content or b"OpenMP" in content


def _key(task: Task) -> str:
    package = task.package
    parts = (package.name, package.version, task.path, task.include_dirs, package.flags().arguments())
    portable = repr(parts).replace(str(WORK), "")
    return hashlib.sha256(portable.encode()).hexdigest()[:24]


if __name__ == "__main__":
    main()
