"""One file of real C, every offered fix in it: what compilers say of the text after, and what a second time changes."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from accuracy.real_c.survey_file import Task
from support.cuda_on_cpu.programs import HERE as CUDA_ON_CPU
from support.cuda_on_cpu.programs import on_cpu
from warplens.analysis.api import analyse
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ports.cuda.place_of_call import first_with_directives
from warplens.analysis.ports.cuda.port import cuda_port
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext, FixEdits, OfferedFix, TextEdit, applied
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.files.source_file import decode
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.worker.chosen_fix import chosen_edits

_LIMIT_S = 60.0
_SAID = re.compile(r"^[^\n:]*:\d+:(?:\d+:)? (?:fatal )?((?:error|warning): [^\n]*)$", re.MULTILINE)
_OF_OTHER_FUNCTIONS = re.compile(r"of this file calls? `|` (?:may )?pass(?:es)? `")
"""Of other functions and their calls an offer says nothing; only the edit looks there."""
_NAMES_OF_LINES = re.compile(r"\bL\d+\b|\d+:\d+")

_gpu = cache(load_gpu)
_cpu = cache(load_cpu)


@dataclass(frozen=True, slots=True)
class FixTask:
    """A file that gcc accepts with empty files for the headers `stubs`."""

    task: Task
    stubs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """A fix at a loop: `refusal` says why there is none, `wrong` what is wrong with it, `cuda` the file it writes.

    `place` is `path:line`.
    """

    code: str
    place: str
    function: str
    refusal: str = ""
    wrong: str = ""
    is_suggestion: bool = False
    cuda: str = ""


@dataclass(frozen=True, slots=True)
class _Offered:
    """An offer with what its edits are made from, and the 1-based line of its loop."""

    context: FixContext
    offer: OfferedFix
    edits: FixEdits
    line: int


@dataclass(slots=True)
class _File:
    """What stays the same for all fixes of a file; `said` are gcc's messages on the original, by flag."""

    task: Task
    stubs: tuple[str, ...]
    source: str
    memo: Memo = field(default_factory=Memo)
    said: dict[str, Counter[str]] = field(default_factory=dict)


def try_fixes(asked: FixTask) -> tuple[Tried, ...]:
    """Apply every fix of the file that is offered; gcc takes the original."""
    task = asked.task
    source = decode((task.package.folder / task.path).read_bytes()).text
    file = _File(task, asked.stubs, source)
    offered = tuple(_offered(file, source))
    wrong: dict[int, str] = {}
    for code in dict.fromkeys(each.offer.code for each in offered):
        chosen = [at for at, each in enumerate(offered) if each.offer.code == code and not each.offer.refusal]
        refused_late = {at: offered[at].edits.refusal for at in chosen if offered[at].edits.refusal}
        late = {at: reason for at, reason in refused_late.items() if not _OF_OTHER_FUNCTIONS.search(reason)}
        wrong |= {at: f"offered, then refused: {reason}" for at, reason in late.items()} if code != "restrict" else {}
        for group in _apart([at for at in chosen if at not in refused_late], offered):
            wrong |= _wrong_in(file, group, offered)
    return tuple(
        Tried(
            each.offer.code,
            f"{task.path}:{each.line}",
            each.context.function,
            each.offer.refusal or each.edits.refusal,
            wrong.get(at, ""),
            each.offer.is_suggestion,
            next((new.text for new in each.edits.new_files), ""),
        )
        for at, each in enumerate(offered)
    )


def _report(file: _File, source: str) -> Report:
    package, path = file.task.package, file.task.package.folder / file.task.path
    flags = package.flags(file.task.include_dirs)
    preprocessed = preprocess(path, source, flags, (package.folder,), _LIMIT_S, trusted=True)
    gpu: Gpu = _gpu("a100")
    cpu: Cpu = _cpu("server")
    return analyse(source, preprocessed, gpu, cpu, AnalysisOptions(), file.memo)


def _offered(file: _File, source: str, only: str = "") -> Iterator[_Offered]:
    for function in _report(file, source).functions:
        for nest in function.nests:
            if nest.evaluation is None:
                continue
            name = Path(file.task.path).name
            context = FixContext(
                nest.evaluation, nest.spans, source, name, nest.id, function.span, function.has_one_nest
            )
            headers = dict(nest.spans.header)
            for offer in nest.fixes:
                if only not in {"", offer.code}:
                    continue
                line = source.count("\n", 0, nest.spans.base + headers[offer.loop].start) + 1
                yield _Offered(context, offer, chosen_edits(context, offer, AS_PREDICTED), line)


def _apart(chosen: Sequence[int], offered: Sequence[_Offered]) -> list[list[int]]:
    """Groups of fixes whose edits do not touch each other: they are compiled together."""
    groups: list[tuple[list[int], list[TextEdit]]] = []
    for at in chosen:
        edits = offered[at].edits.edits
        for members, taken in groups:
            if all(e.span.end < t.span.start or t.span.end < e.span.start for e in edits for t in taken):
                members.append(at)
                taken.extend(edits)
                break
        else:
            groups.append(([at], list(edits)))
    return [members for members, _ in groups]


def _wrong_in(file: _File, group: Sequence[int], offered: Sequence[_Offered]) -> dict[int, str]:
    """What is wrong with the fixes of a group; each is tried alone where something is wrong with all together."""
    found = _wrong([offered[at] for at in group], file)
    if not found or len(group) == 1:
        return {at: found for at in group if found}
    alone = {at: said for at in group if (said := _wrong([offered[at]], file))}
    return alone or {group[0]: f"only together with others: {found}"}


def _wrong(fixes: Sequence[_Offered], file: _File) -> str:
    """What compilers have against the text after, or which second edit there is; empty if nothing."""
    if fixes[0].offer.code == "cuda":
        return next((said for fix in fixes if (said := _wrong_cuda(fix, file))), "")
    edits = sorted((edit for fix in fixes for edit in fix.edits.edits), key=lambda edit: edit.span)
    after = applied(file.source, FixEdits(tuple(edits)))
    if after == file.source and not _has_directive(fixes):
        return "an offer that changes nothing"
    flag = "-fopenacc" if fixes[0].offer.code == "openacc" else "-fopenmp"
    new = _new_messages(file, after, flag)
    return new or _second_time(file, fixes, after)


def _has_directive(fixes: Sequence[_Offered]) -> bool:
    """Whether a directive may be there already: it is offered to be brought up to date."""
    return fixes[0].offer.code in {"openmp", "openacc"}


def _second_time(file: _File, fixes: Sequence[_Offered], after: str) -> str:
    """Whether the fix is offered again at the same loops, with edits."""
    code = fixes[0].offer.code
    loops = {(fix.context.id, fix.offer.loop, fix.offer.variant) for fix in fixes}
    for again in _offered(file, after, code):
        if (again.context.id, again.offer.loop, again.offer.variant) not in loops:
            continue
        if again.edits.edits:
            edit = again.edits.edits[0]
            return f"second time: {edit.text!r} for {after[edit.span.start : edit.span.end]!r}"
    return ""


# ---- compilers


def _new_messages(file: _File, text: str, flag: str) -> str:
    if flag not in file.said:
        file.said[flag] = _messages(file, file.source, flag)
    new = _messages(file, text, flag) - file.said[flag]
    return next(iter(sorted(new)), "")


def _messages(file: _File, text: str, flag: str) -> Counter[str]:
    """gcc's errors and warnings: the text is compiled, since much of directives is checked only behind the parser."""
    path = file.task.package.folder / file.task.path
    with tempfile.TemporaryDirectory(prefix="real-c-") as stubs:
        for header in file.stubs:
            stub = Path(stubs, header)
            stub.parent.mkdir(parents=True, exist_ok=True)
            stub.touch()
        arguments = file.task.package.flags(file.task.include_dirs).arguments()
        command = ["gcc", "-S", "-O0", "-std=gnu11", flag, "-foffload=disable", "-Wall", "-Wextra", *arguments]
        command += ["-idirafter", stubs, "-x", "c", "-", "-o", "/dev/null"]
        run = subprocess.run(
            command, input=text, cwd=path.parent, capture_output=True, text=True, errors="replace", check=False,
            env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"}, timeout=_LIMIT_S,
        )  # fmt: skip
    said = Counter(_NAMES_OF_LINES.sub("", message) for message in _SAID.findall(run.stderr))
    if run.returncode and not any(message.startswith("error") for message in said):
        said[f"error: {run.stderr.strip()[-200:]}"] += 1
    return said


def _wrong_cuda(fix: _Offered, file: _File) -> str:
    """Whether the file compiles, and the C file with its call in the nest's place; a second file must be the same."""
    new_file = fix.edits.new_files[0]
    if chosen_edits(fix.context, fix.offer).new_files != (new_file,):
        return "a second file is another one"
    port = cuda_port(fix.context, AS_PREDICTED)
    said = _cxx(new_file.text)
    if said:
        return said
    if port.replaces_body:
        return ""
    nest = dict(fix.context.spans.whole)[fix.context.evaluation.facts.nest.root.id].shifted(fix.context.spans.base)
    if re.search(r"^[ \t]*#[ \t]*(?:if|el|endif)", fix.context.source[nest.start : nest.end], re.MULTILINE):
        return ""
    body = fix.context.source.find("{", fix.context.function_span.start)
    declared = TextEdit(replace(nest, start=body + 1, end=body + 1), f" {port.prototype} ")
    first = fix.context.source.count("\n", 0, nest.start) + 1
    above = first - first_with_directives(fix.context.source, first)
    start = len("\n".join(fix.context.source.split("\n")[: first - above - 1])) + 1 if above else nest.start
    after = applied(file.source, FixEdits((declared, TextEdit(replace(nest, start=start), f"{{ {port.call} }}"))))
    new = _messages(file, after, "-fopenmp")
    new -= file.said.setdefault("-fopenmp", _messages(file, file.source, "-fopenmp"))
    left = [message for message in new if "unused" not in message and "never used" not in message]
    return f"the call: {min(left)}" if left else ""


def _cxx(text: str) -> str:
    """What g++ says of CUDA text, with a `cuda_runtime.h` of our own."""
    flags = [
        "-std=c++17",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Wno-unknown-pragmas",
        "-Wno-sign-compare",
        f"-I{CUDA_ON_CPU}",
    ]
    run = subprocess.run(
        ["g++", *flags, f"-I{CUDA_ON_CPU}", "-x", "c++", "-"], input=on_cpu(text), capture_output=True, text=True,
        check=False, timeout=_LIMIT_S,
    )  # fmt: skip
    return next(iter(_SAID.findall(run.stderr)), "")


def nvcc_says(text: str) -> str:
    """What nvcc says of a CUDA file, for one architecture and without the assembler; empty where it is content."""
    nvcc = shutil.which("nvcc")
    assert nvcc, "nvcc is not installed"
    with tempfile.TemporaryDirectory(prefix="real-c-") as folder:
        path = Path(folder, "port.cu")
        path.write_text(text, encoding="utf-8")
        command = [nvcc, "--ptx", "-arch=sm_80", "-std=c++17", "--Werror", "all-warnings", str(path), "-o", "/dev/null"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    return (run.stdout + run.stderr).strip() if run.returncode else ""
