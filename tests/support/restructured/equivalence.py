"""Whether functions compute the same after a fix: both are compiled into one program and run on the same memory."""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support.iteration_order.run import _FUNCTION, LENGTH, _globals, _parameter
from warplens.analysis.ports.fix import FixContext, FixEdits, applied

_HEADER = Path(__file__).with_name("driver.h")
_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize=null,pointer-overflow", "-fno-sanitize-recover=all")


@dataclass(frozen=True)
class Changed:
    """A function after a fix. `label` says which fix, `text` is its definition."""

    function: str
    label: str
    text: str


def changed_function(context: FixContext, label: str, edits: FixEdits) -> Changed:
    """The function that a fix is about, with the edits in it."""
    span = context.function_span
    inside = tuple(edit for edit in edits.edits if span.start <= edit.span.start <= edit.span.end <= span.end)
    after = applied(context.source, FixEdits(inside))
    end = span.end + len(after) - len(context.source)
    return Changed(context.function, label, after[span.start : end])


def differing(source: str, changed: Sequence[Changed], folder: Path) -> list[str]:
    """Labels of the functions that compute, or touch, something else than in the source; each once.

    Functions have pointers (to 4096 elements), arrays of sizes, and sizes as parameters.
    """
    texts, mains = [], []
    for number, one in enumerate(changed):
        new_name = f"{one.function}_fixed_{number}"
        texts.append(re.sub(rf"\b{one.function}\s*\(", f"{new_name}(", one.text, count=1))
    whole = source + "\n".join(texts) + "\n"
    functions = {name: (result, parameters) for result, name, parameters in _FUNCTION.findall(source)}
    shared = _globals(source)
    for number, one in enumerate(changed):
        result, parameters = functions[one.function]
        arguments, objects, memory = _arguments(parameters, number)
        mains.append(memory)
        for kind, name in (("original", one.function), ("fixed", f"{one.function}_fixed_{number}")):
            call = f"{name}({', '.join(arguments)});"
            call = call if result == "void" else f"*result = {call}"
            mains.append(f"static void {kind}_{number}(int is_null, long n, long m, double *result) {{ {call} }}")
        setup = " ".join((*shared, *objects))
        mains.append(
            f'static void check_{number}(void) {{ {setup} pair_(original_{number}, fixed_{number}, "{one.label}"); }}'
        )
    calls = "".join(f"check_{number}(); " for number in range(len(changed)))
    main = "\n".join((*mains, f"int main(void) {{ signal(SIGSEGV, faulted_); {calls}return 0; }}"))
    text = f'#include "{_HEADER}"\n#undef malloc\n#undef free\n#line 1 "restructured.c"\n{whole}\n{main}\n'
    (folder / "restructured.c").write_bytes(text.encode())
    flags = ["-O1", "-w", "-std=gnu11", "-ffp-contract=off", *_SANITIZERS]
    command = ["gcc", *flags, "restructured.c", "-lm", "-o", "restructured"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr[:4000]
    environment = {**os.environ, "ASAN_OPTIONS": "handle_segv=0:detect_leaks=0"}
    ran = subprocess.run(
        ["./restructured"], cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert ran.returncode == 0, (ran.returncode, ran.stdout[-500:], ran.stderr[:2000])
    return ran.stdout.splitlines()


def _arguments(parameters: str, number: int) -> tuple[list[str], list[str], str]:
    """Arguments of a call, the objects behind its pointers, and their definitions."""
    arguments, objects, memory, sizes = [], [], [], 0
    for place, parameter in enumerate(p.strip() for p in parameters.split(",")):
        if parameter in {"", "void"}:
            continue
        kind, base, stars = _parameter(parameter)
        assert stars < 2, parameter
        if stars:
            name = f"memory_{number}_{place}"
            memory.append(f"static {base} {name}[{LENGTH}];")
            objects.append(f"object_({name}, sizeof {name}, '{kind}');")
            arguments.append(f"is_null ? (void *)0 : (void *){name}")
        else:
            arguments.append("0.375" if kind in "df" else "nm"[min(sizes, 1)])
            sizes += kind not in "df"
    return arguments, objects, " ".join(memory)
