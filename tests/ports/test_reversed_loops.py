"""Loops said to be parallel compute the same in any order of their iterations, whatever the C text does to hide that.

Each such loop of the cases runs reversed and shuffled: its header first lists the iterator's values, then the body runs
once per listed value. A private scalar holds nonsense at the start of each iteration, and a reduced one starts from the
operator's identity. All memory must end as in the original, bit for bit; rounding is allowed for in reductions only.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.delinearise import delinearise
from warplens.analysis.facts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.frontend.unit import LoweredNest, TranslationUnit
from warplens.analysis.ir.nest import Loop, LoopNest, loops_of, walk_statements

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "dependence").glob("*.c"))
MOST_TRIPS = 4096

PRELUDE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int selected, shuffled;
static void order_(long *values, int count, int loop)
{
    if (loop != selected)
        return;
    for (int k = 0; k < count / 2; k++) {
        long value = values[k];
        values[k] = values[count - 1 - k];
        values[count - 1 - k] = value;
    }
    if (shuffled)
        for (int k = count - 1; k > 0; k--) {
            int other = rand() % (k + 1);
            long value = values[k];
            values[k] = values[other];
            values[other] = value;
        }
}
static FILE *reference;
static int is_original, differences;
static double tolerance;
static void fill_(void *at, size_t bytes, char kind)
{
    for (size_t k = 0; k < bytes; k++)
        switch (kind) {
        case 'd': if (k < bytes / sizeof(double)) ((double *)at)[k] = rand() / (double)RAND_MAX * 2 - 1; break;
        case 'f': if (k < bytes / sizeof(float)) ((float *)at)[k] = rand() / (float)RAND_MAX * 2 - 1; break;
        case 'i': if (k < bytes / sizeof(int)) ((int *)at)[k] = rand() % 11; break;
        case 'l': if (k < bytes / sizeof(long)) ((long *)at)[k] = rand() % 11; break;
        case 's': if (k < bytes / sizeof(short)) ((short *)at)[k] = rand() % 700; break;
        case 'r': if (k < bytes / sizeof(int)) ((int *)at)[k] = 3 * k; break;
        default: ((unsigned char *)at)[k] = rand() % 256;
        }
}
static int near_(double a, double b, double allowed)
{
    double distance = a < b ? b - a : a - b, size = (a < 0 ? -a : a) + 1;
    return distance <= allowed * size;
}
static void check_(const void *at, size_t bytes, char kind, const char *name)
{
    static char wanted[1 << 18];
    if (bytes > sizeof wanted)
        abort();
    if (is_original) {
        fwrite(at, 1, bytes, reference);
        return;
    }
    if (fread(wanted, 1, bytes, reference) != bytes)
        abort();
    int same = !memcmp(at, wanted, bytes);
    if (!same && tolerance > 0 && kind == 'd') {
        same = 1;
        for (size_t k = 0; k < bytes / sizeof(double); k++)
            same &= near_(((double *)at)[k], ((double *)wanted)[k], tolerance);
    }
    if (!same && tolerance > 0 && kind == 'f') {
        same = 1;
        for (size_t k = 0; k < bytes / sizeof(float); k++)
            same &= near_(((float *)at)[k], ((float *)wanted)[k], 1e-4);
    }
    if (!same)
        printf("loop %d%s: %s\n", selected, shuffled ? " shuffled" : " reversed", name), differences++;
}
"""

UNSEEN = "double unseen(double v) { return v; }"

SIZES = (11, 4)
"""Values of the integer parameters; all arrays are longer than subscripts with these get."""

LENGTH = 4096
"""Elements behind each pointer parameter."""

KINDS = {"double": "d", "float": "f", "int": "i", "unsigned": "i", "long": "l", "short": "s", "char": "c", "_Bool": "b"}
GLOBAL = re.compile(
    r"^(?:(?:static|volatile)\s+)*(double|float|int|unsigned char|signed char|unsigned|long|short|"
    r"_Bool|struct \w+|union \w+)\s+([^;()={}]+);",
    re.MULTILINE,
)
FUNCTION = re.compile(r"^(?:static\s+)?(void|int|double|unsigned)\s+(\w+)\(([^)]*)\)\s*\{", re.MULTILINE)


def driver(source: str, loops: tuple[tuple[str, str], ...], *, is_original: bool) -> str:
    """A main that fills memory, runs each function (with each of its loops in other orders) and compares.

    `loops` are function and kind of verdict of each permuted loop.
    """
    objects = []
    for kind, names in GLOBAL.findall(source):
        plain = re.sub(r"\[[^]]*\]", "", names)
        objects += [(name, _kind(kind, name)) for name in re.findall(r"(?:^|,)[\s*]*(\w+)", plain)]
    lines = ["int main(void) {", f"is_original = {int(is_original)}; double result;"]
    for result, name, parameters in FUNCTION.findall(source):
        # A reduction is split in every run, and what it makes is rounded differently.
        is_rounded = (name, "reduction") in loops
        orders = [-1, *(k for k, (function, _) in enumerate(loops) if function == name)]
        for size in SIZES:
            for k in [-1] if is_original else orders:
                for shuffled in (0, 1) if k >= 0 else (0,):
                    lines.append(f"selected = {k}; shuffled = {shuffled};")
                    lines.append(f"tolerance = {1e-9 if is_rounded else 0};")
                    lines += _run(result, name, parameters, objects, size)
    return "\n".join([*lines, "return differences > 0;", "}"])


def _kind(ctype: str, name: str) -> str:
    if name in {"rp", "rowptr", "row_start"}:
        return "r"
    if ctype.startswith(("struct", "union")):
        return "d"
    return next(KINDS[word] for word in reversed(ctype.split()) if word in KINDS)


def _run(result: str, name: str, parameters: str, objects: list[tuple[str, str]], size: int) -> list[str]:
    """One call, its memory filled before and checked after."""
    lines = [f'{{ srand(7); reference = fopen("{name}{size}.bin", is_original ? "wb" : "rb"); result = 0;']
    lines += [f"fill_((void *)&{n}, sizeof {n}, '{k}');" for n, k in objects]
    arguments, pointers = [], []
    for number, parameter in enumerate(p.strip() for p in parameters.split(",") if p.strip() not in {"", "void"}):
        words = re.findall(r"\w+", parameter.partition("[")[0])
        base = [w for w in words[:-1] if w not in {"const", "restrict", "volatile"}]
        kind = _kind(" ".join(base), words[-1])
        if "*" in parameter or "[" in parameter:
            lines.append(f"static {' '.join(base)} p{number}[{LENGTH}]; fill_(p{number}, sizeof p{number}, '{kind}');")
            pointers.append((f"p{number}", kind))
            arguments.append(f"(void *)p{number}")
        else:
            arguments.append("0.375" if kind in "df" else str(size))
    call = f"{name}({', '.join(arguments)});"
    lines.append(call if result == "void" else f"result = {call}")
    for n, k in (*objects, *pointers):
        lines.append(f"check_((void *)&{n}, sizeof {n}, '{k}', \"{name}, {n}\");")
    lines.append(f"check_(&result, sizeof result, 'd', \"{name}, result\");")
    lines.append("fclose(reference); }")
    return lines


def preprocessed(source: str) -> TranslationUnit:
    command = ["cc", "-E", "-x", "c", "-std=gnu11", "-w", "-"]
    run = subprocess.run(command, input=f'# 1 "main.c"\n{source}', capture_output=True, text=True, check=True)
    return parse_unit(source, Preprocessed(run.stdout, "main.c"), Memo())


@dataclass(frozen=True)
class Permuted:
    """A source whose parallel loops run in any order; `loops` are function and verdict by `order_`'s number."""

    text: str
    loops: tuple[tuple[str, str], ...]


def permuted(source: str, violated: frozenset[str] = frozenset()) -> Permuted:
    """Loops that assume something of a kind in `violated` keep their order."""
    edits: list[tuple[int, int, str]] = []
    chosen: list[tuple[str, str]] = []
    for function in preprocessed(source).functions:
        for lowered in function.nests:
            nest = delinearise(lowered.nest)
            verdicts = {verdict.loop: verdict for verdict in loop_verdicts(nest)}
            for loop in loops_of(nest):
                verdict = verdicts[loop.id]
                if verdict.can_run_in_parallel and violated.isdisjoint(a.kind for a in verdict.assumptions):
                    found = _edits(source, lowered, nest, loop, verdict, len(chosen))
                    if found:
                        edits += found
                        chosen.append((function.name, verdict.kind))
    for start, end, text in sorted(edits, key=lambda e: (e[0], e[1]), reverse=True):
        source = source[:start] + text + source[end:]
    return Permuted(source, tuple(chosen))


def _edits(
    source: str, lowered: LoweredNest, nest: LoopNest, loop: Loop, verdict: LoopVerdict, number: int
) -> list[tuple[int, int, str]]:
    base = lowered.spans.base
    header, whole = dict(lowered.spans.header)[loop.id], dict(lowered.spans.whole)[loop.id]
    text = source[base + header.start : base + header.end]
    iterator = loop.iterator.partition("'")[0]
    match = re.match(r"for\s*\(\s*([\w\s]*?)\b" + iterator + r"\b", text)
    if match is None or loop.id in lowered.spans.in_macro:
        return []
    declared = match[1].strip()
    inside = {loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))}
    own = {o.name for o in (*nest.scalars, *nest.arrays) if o.declared_in in inside}
    private = [n for n in verdict.private if n not in own and n.isidentifier() and n != iterator]
    reduced = [r for r in verdict.reductions if not r.is_array_element and r.variable not in own]
    k = number
    before = f"{{ long v_{k}[{MOST_TRIPS}]; int n_{k} = 0; {text} {{ if (n_{k} == {MOST_TRIPS}) abort(); "
    before += f"v_{k}[n_{k}++] = (long){iterator}; }} "
    if not declared:
        before += f"__typeof__({iterator}) end_{k} = {iterator}; "
    before += f"long last_{k} = n_{k} ? v_{k}[n_{k} - 1] : 0; order_(v_{k}, n_{k}, {k}); "
    for name in private:
        before += f"__typeof__({name}) kept_{k}_{name}; memcpy((void *)&kept_{k}_{name}, (void *)&{name}, "
        before += f"sizeof {name}); "
    for r in reduced:
        before += f"__typeof__({r.variable}) total_{k}_{r.variable} = {r.variable}, "
        before += f"start_{k}_{r.variable} = {_identity(r.operator, r.variable)}; "
    before += f"for (int t_{k} = 0; t_{k} < n_{k}; t_{k}++) {{ {declared} {iterator} = v_{k}[t_{k}]; "
    before += f"long at_{k} = {iterator}; "
    for name in private:
        before += f"memset((void *)&{name}, 0x41 + t_{k} % 7, sizeof {name}); "
    for r in reduced:
        before += f"{r.variable} = start_{k}_{r.variable}; "
    before += "do { "
    after = " } while (0); "
    for name in private:
        after += f"if (at_{k} == last_{k}) memcpy((void *)&kept_{k}_{name}, (void *)&{name}, sizeof {name}); "
    for r in reduced:
        total = f"total_{k}_{r.variable}"
        after += f"{total} = {_combined(r.operator, total, r.variable)}; "
    after += "} "
    for name in private:
        after += f"memcpy((void *)&{name}, (void *)&kept_{k}_{name}, sizeof {name}); "
    for r in reduced:
        after += f"{r.variable} = total_{k}_{r.variable}; "
    after += f"{'' if declared else f'{iterator} = end_{k}; '}(void)last_{k}; }}"
    # An end sorts by its own position, the innermost loop's first.
    end = base + whole.end
    return [(base + header.start, base + header.end, before), (end, end, after)]


def _identity(operator: str, name: str) -> str:
    """What a thread starts from; the value before the loop does where folding it in twice changes nothing."""
    return {"+": "0", "*": "1", "^": "0"}.get(operator, name)


def _combined(operator: str, left: str, right: str) -> str:
    if operator in {"min", "max"}:
        return f"{left} {'<' if operator == 'min' else '>'} {right} ? {left} : {right}"
    return f"{left} {operator} {right}"


def differences(source: str, folder: Path, violated: frozenset[str] = frozenset()) -> tuple[str, Permuted]:
    """What differs from the original when the parallel loops run in other orders."""
    changed = permuted(source, violated)
    for name, text, is_original in (("original", source, True), ("permuted", changed.text, False)):
        whole = PRELUDE + text + "\n" + driver(source, changed.loops, is_original=is_original)
        (folder / f"{name}.c").write_text(whole, encoding="utf-8")
        command = ["gcc", "-O0", "-w", "-std=gnu11", "-fwrapv", f"{name}.c", "-lm", "-o", name]
        compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert compiled.returncode == 0, compiled.stderr
        ran = subprocess.run([f"./{name}"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        assert ran.returncode in {0, 1}, (name, ran.returncode, ran.stdout)
    return ran.stdout, changed


MISLEADING = (FIXTURES[0].parents[1] / "reordered" / "misleading.c").read_text(encoding="utf-8")
ADVERSARIES = dict(re.findall(r"// case: (\w+)\n(.*?)(?=\n// case: |\Z)", MISLEADING, re.DOTALL))
"""A function `f` each, against one rule of the analysis; integers in memory are 0 to 10."""

VIOLATED = {
    "pointer_set_in_a_branch": "alias",
    "row_pointers": "alias",
    "row_length_too_short": "bounds",
    "buffer_used_after": "context",
}
"""What the case's data breaks: loops that say they assume it are let off."""


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_loops_of_the_fixtures(path: Path, tmp_path: Path) -> None:
    source = path.read_text(encoding="utf-8").replace("N = 1024", "N = 64")
    source = source.replace("513", "33").replace("512", "32").replace("double unseen(double);", UNSEEN)
    found, changed = differences(source, tmp_path)
    assert len(changed.loops) > 15
    assert found == ""


@pytest.mark.parametrize("name", ADVERSARIES)
def test_loops_made_to_mislead(name: str, tmp_path: Path) -> None:
    found, changed = differences(ADVERSARIES[name], tmp_path, frozenset(VIOLATED.get(name, "").split()))
    assert found == "", changed.loops
