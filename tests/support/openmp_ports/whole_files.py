"""C files whose functions are ported where that is offered: both run on the same memory, with several threads."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support.fix_fixtures.contexts import contexts
from support.iteration_order import run as any_order
from support.iteration_order.run import _FUNCTION, _GLOBAL, LENGTH, _globals, _parameter, _stubs
from warplens.analysis.engine.report import Report
from warplens.analysis.ports.fix import AS_PREDICTED, FixEdits, TextEdit, applied
from warplens.analysis.ports.openmp import openmp_fix

_DRIVER = Path(any_order.__file__).with_name("driver.h")
_CHECK = """
static void compare_(void (*original)(long, long, long, long, double *),
                     void (*ported)(long, long, long, long, double *), const char *name)
{
    static const long sizes[][4] = {{11, 11, 11, 11}, {9, 6, 5, 7}, {4, 4, 4, 4}, {1, 1, 1, 1}};
    static double result;
    object_(&result, sizeof result, 'd');
    for (volatile int round = 0; round < 8; round++) {
        const long *volatile z = sizes[round / 2];
        for (volatile int is_ported = 0; is_ported < 2; is_ported++) {
            srand(7 + round);
            if (!is_ported)
                fill_all_(round);
            arena_used = 0;
            reset_();
            if (!setjmp(ended_))
                (is_ported ? ported : original)(z[0], z[1], z[2], z[3], &result);
            if (!is_ported)
                want_();
            else if (!same_(1)) {
                printf("%s round %d\\n", name, round);
                break;
            }
        }
    }
    forget_();
}
"""


@dataclass(frozen=True)
class PortedFile:
    """Text with all ports that are offered, and the definitions of the functions that have one."""

    text: str
    functions: dict[str, str]


def ported_file(source: str, report: Report) -> PortedFile:
    """Apply all that is offered."""
    edits: list[TextEdit] = []
    spans = {}
    for context in contexts(source, report):
        for offer in openmp_fix.FIX.offer(context):
            made = openmp_fix.FIX.edit(context, offer, AS_PREDICTED)
            if offer.refusal:
                assert made.edits == ()
                continue
            edits += made.edits
            spans[context.function] = context.function_span
    edits.sort(key=lambda edit: edit.span)
    functions = {}
    for name, span in spans.items():
        inside = FixEdits(tuple(edit for edit in edits if span.start <= edit.span.start < span.end))
        after = applied(source, inside)
        functions[name] = after[span.start : span.end + len(after) - len(source)]
    return PortedFile(applied(source, FixEdits(tuple(edits))), functions)


def differing(source: str, ported: PortedFile, folder: Path, threads: int = 3) -> list[str]:
    """Functions whose port leaves something else in memory, or returns something else, than the function."""
    mains, calls = [], []
    texts = []
    shared = _globals(source)
    fields = set(re.findall(r"\w+", " ".join(names for _, names in _GLOBAL.findall(source))))
    for result, name, parameters in _FUNCTION.findall(source):
        if name not in ported.functions or name in fields:
            continue
        texts.append(re.sub(rf"\b{name}\s*\(", f"{name}_ported(", ported.functions[name], count=1))
        arguments, objects, ints = [], [], 0
        for number, parameter in enumerate(p.strip() for p in parameters.split(",")):
            if parameter in {"", "void"}:
                continue
            kind, base, stars = _parameter(parameter)
            memory = f"{name}_{number}"
            if stars:
                mains.append(f"static {base} {memory}[{LENGTH}];")
                objects.append(f"object_({memory}, sizeof {memory}, '{kind}');")
                arguments.append(f"(void *){memory}")
            if stars > 1:
                mains.append(f"static {base} *{memory}_rows[64];")
                objects.append(f"for (int k = 0; k < 64; k++) {memory}_rows[k] = {memory} + 64 * k;")
                arguments[-1] = f"(void *){memory}_rows"
            if not stars:
                arguments.append("0.375" if kind in "df" else f"z{min(ints, 3)}")
                ints += kind not in "df"
        for variant in ("", "_ported"):
            call = f"{name}{variant}({', '.join(arguments)});"
            call = call if result == "void" else f"*result = {call}"
            mains.append(f"static void run_{name}{variant}(long z0, long z1, long z2, long z3, double *result)"
                         f" {{ {call} }}")  # fmt: skip
        calls.append(f'{{ {" ".join((*shared, *objects))} compare_(run_{name}, run_{name}_ported, "{name}"); }}')
    main = "\n".join((*mains, "int main(void) {", *calls, "return 0; }"))
    renamed = ("#define main main_of_the_file", source, *texts, "#undef main")
    parts = (f'#include "{_DRIVER}"', _CHECK, _stubs(source, ""), *renamed, main)
    (folder / "ported.c").write_text("\n".join(parts) + "\n", encoding="utf-8")
    flags = ["-O1", "-w", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin-malloc", "-ffp-contract=off"]
    command = ["gcc", *flags, "-fopenmp", "-foffload=disable", "ported.c", "-lm", "-o", "ported"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr[:4000]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    ran = subprocess.run(
        ["./ported"], cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert ran.returncode == 0, (ran.returncode, ran.stdout[-500:])
    return list(dict.fromkeys(line.split()[0] for line in ran.stdout.splitlines()))
