"""Apply every fix that is offered in real C and compile what comes of it: `fixes.py [NAME...]`.

`fetch.py` and `accept.py` come first. Each fix is applied to the original: gcc (without offloading) must have nothing
new against the text, of errors or warnings, and a second time nothing may change. A CUDA file goes through g++ with the
runtime of support/cuda_on_cpu, a sample through nvcc. The C file with the call in the loops' place goes through gcc.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from accuracy.real_c.accept import read_accepted
from accuracy.real_c.fixed_file import FixTask, Tried, nvcc_says, try_fixes
from accuracy.real_c.package import packages
from accuracy.real_c.survey import tasks_of
from accuracy.real_c.workers import run

_LIMIT_S = 300.0
_MOST_REASONS = 25
_NAME = re.compile(r"`[^`]*`")


def main() -> int:
    """Print what was found; 1 where a fix is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--per-package", type=int, default=0, help="a sample of so many files each; 0 for all")
    parser.add_argument("--nvcc", type=int, default=0, metavar="FILES", help="so many CUDA files through nvcc")
    parser.add_argument("--json", type=Path, help="write every fix that was tried")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    stubs = {(name, file.path): file.stubs for name, files in read_accepted().items() for file in files}
    tasks = [
        FixTask(task, stubs[task.package.name, task.path])
        for task in tasks_of(packages(options.names, "tune"), options.per_package)
    ]
    tried: list[Tried] = []
    failed = 0
    for done, (asked, result) in enumerate(run(tasks, try_fixes, options.processes, _LIMIT_S), 1):
        if isinstance(result, str):
            failed += 1
            print(f"{asked.task.path}: {result}", flush=True)
            continue
        tried += result
        for fix in result:
            if fix.wrong:
                print(f"{fix.place}: {fix.function}: {fix.code}: {fix.wrong}", flush=True)
        if done % 50 == 0:
            print(f"{done} of {len(tasks)} files", flush=True)
    print(f"{len(tasks)} files, {failed} without an answer\n{_table(tried)}\n{_reasons(tried)}")
    if options.json:
        options.json.write_text(json.dumps([asdict(fix) for fix in tried], indent=1) + "\n", encoding="utf-8")
    refused_by_nvcc = _through_nvcc(tried, options.nvcc)
    return int(failed > 0 or refused_by_nvcc > 0 or any(fix.wrong for fix in tried))


def _table(tried: Sequence[Tried]) -> str:
    rows = ["| fix | asked | offered | refused | wrong |", "| --- | ---: | ---: | ---: | ---: |"]
    for code in dict.fromkeys(fix.code for fix in tried):
        of_code = [fix for fix in tried if fix.code == code]
        refused = sum(bool(fix.refusal) for fix in of_code)
        wrong = sum(bool(fix.wrong) for fix in of_code)
        rows.append(f"| `{code}` | {len(of_code)} | {len(of_code) - refused} | {refused} | {wrong} |")
    return "\n".join(rows)


def _reasons(tried: Sequence[Tried]) -> str:
    """The most frequent refusals of each fix with an example, names left out."""
    lines = []
    for code in dict.fromkeys(fix.code for fix in tried):
        refused = [fix for fix in tried if fix.code == code and fix.refusal and not fix.is_suggestion]
        example = {_NAME.sub("``", fix.refusal): fix for fix in reversed(refused)}
        counted = Counter(_NAME.sub("``", fix.refusal) for fix in refused)
        lines += ["", f"{code}: {len(refused)} refused"]
        lines += [
            f"  {count:5} {example[reason].refusal}  ({example[reason].place})"
            for reason, count in counted.most_common(_MOST_REASONS)
        ]
    return "\n".join(lines)


def _through_nvcc(tried: Sequence[Tried], most: int) -> int:
    """How many of a sample nvcc refuses: the first ones by digest, so that it is always the same."""
    sample = sorted(
        (fix for fix in tried if fix.cuda), key=lambda fix: hashlib.sha256(fix.place.encode()).digest()
    )[:most]  # fmt: skip
    refused = 0
    for fix in sample:
        said = nvcc_says(fix.cuda)
        refused += bool(said)
        if said:
            print(f"{fix.place}: nvcc: {said}", flush=True)
    if sample:
        print(f"nvcc: {len(sample)} files, {refused} refused")
    return refused


if __name__ == "__main__":
    raise SystemExit(main())
