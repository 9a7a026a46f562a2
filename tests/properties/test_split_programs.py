"""A program whose functions lie in other files is judged as the one file with all of them."""

import random
import re

import pytest
from support.program_files import program_of
from warplens.analysis.facts.verdict import LoopVerdict

pytestmark = pytest.mark.usefixtures("few_launches_in_module", "no_offers")

TYPES = "struct grid { int n; double *cell; }; extern double table[64]; extern int count; extern double scale;\n"
FUNCTIONS = {
    "get": ("double get(const struct grid *g, int i)", "return g->cell[i];"),
    "put": ("void put(struct grid *g, int i, double v)", "g->cell[i] = v;"),
    "add": ("void add(double *p, int i, double v)", "p[i] += v;"),
    "mean": ("double mean(const double *p, int i)", "return (p[i] + p[i + 1]) / 2;"),
    "shift": ("void shift(double *p, int i)", "p[i + 1] = p[i];"),
    "tick": ("void tick(int by)", "count += by;"),
    "scaled": ("double scaled(double v)", "return v * scale;"),
    "looked_up": ("double looked_up(int i)", "return table[i % 64];"),
    "filled": ("void filled(double *p, int n, double v)", "for (int k = 0; k < n; k++) p[k] = v;"),
    "total": ("double total(const double *p, int n)",
              "double s = 0; for (int k = 0; k < n; k++) s += p[k]; return s;"),
    "kept": ("int kept(int v)", "static int last; int before = last; last = v; return before;"),
    "both": ("double both(double *p, int i)", "shift(p, i); return scaled(p[i]);"),
    "step": ("void step(struct grid *g, int i)", "put(g, i, mean(g->cell, i)); tick(1);"),
}  # fmt: skip
CALLS = (
    "a[i] = get(g, i);", "put(g, i, a[i]);", "add(a, i, 2);", "add(a, 0, b[i]);", "a[i] = mean(b, i);",
    "a[i] = mean(a, i);", "shift(a, i);", "shift(b, i);", "tick(1);", "tick(i);", "a[i] = scaled(b[i]);",
    "a[i] = looked_up(i);", "filled(a, n, i);", "a[i] = total(b, n);", "a[i] = kept(i);", "a[i] = both(b, i);",
    "step(g, i);", "if (b[i] > 0) add(a, i, count);",
)  # fmt: skip
OBJECTS = "double table[64] = {1}; int count; double scale = 2;\n"


def drawn(number: int) -> tuple[str, str, dict[str, str]]:
    """One file with all; the file with the loops; the others, each function in one of them."""
    draw = random.Random(number)
    body = " ".join(draw.sample(CALLS, draw.choice((1, 1, 2, 3))))
    heads = "".join(f"{head};\n" for head, _ in FUNCTIONS.values())
    loop = "void f(int n, double *restrict a, double *restrict b, struct grid *restrict g) {\n"
    loop += f"  for (int i = 0; i < n; i++) {{ {body} }}\n}}\n"
    files = {f"{letter}.c": TYPES + heads for letter in "pqr"}
    for head, code in FUNCTIONS.values():
        files[draw.choice(sorted(files))] += f"{head} {{ {code} }}\n"
    files["p.c"] += OBJECTS
    definitions = "".join(f"{head} {{ {code} }}\n" for head, code in FUNCTIONS.values())
    return TYPES + heads + loop + OBJECTS + definitions, TYPES + heads + loop, files


@pytest.mark.parametrize("number", range(60))
def test_as_in_one_file(number: int, analyse_c) -> None:
    whole, main, files = drawn(number)
    alone = analyse_c(whole)
    apart = analyse_c(main, program=program_of({"main.c": main, **files}))
    assert verdicts(apart) == verdicts(alone)
    assert (apart.loops_in_text, apart.loops_found) == (1, 1)


def verdicts(report) -> list[LoopVerdict]:
    """Of the loop in `f` and those in what it calls."""
    (nest,) = [nest for function in report.functions if function.name == "f" for nest in function.nests]
    assert nest.facts is not None
    return list(nest.facts.verdicts)


def test_every_call_is_drawn() -> None:
    texts = " ".join(drawn(number)[1] for number in range(60))
    assert all(re.search(re.escape(call), texts) for call in CALLS)


OWN = {
    "p": "static double last = 1; static double part(double v) { return v * 2; }\n"
    "static void touch(double *x, int i) { x[i] = part(i); }\n",
    "q": "static double last; static double part(double v) { double b = last; last = v; return b; }\n"
    "static void touch(double *x, int i) { x[0] += i; }\n",
    "r": "static double last = 3; static double part(double v) { return last * v; }\n"
    "static void touch(double *x, int i) { x[i + 1] = x[i] + part(i); }\n",
    "s": "static double last = 3, more = 2; static double part(double v) { return v + more; }\n"
    "static double (*chosen)(double) = part; static void touch(double *x, int i) { x[i] = chosen(i) + more; }\n",
}
"""What files have by the same names, each for itself."""
CALLS_OF_OWN = (
    "a[i] = part_{}(b[i]);", "touch_{}(a, i);", "touch_{}(b, i);", "if (part_{}(i) > 1) a[i] = 0;",
)  # fmt: skip


def drawn_with_statics(number: int) -> tuple[str, str, dict[str, str]]:
    """As `drawn`, of files with names in common; `main` may have them too, or hide them."""
    draw = random.Random(number)
    body = " ".join(draw.choice(CALLS_OF_OWN).format(draw.choice("pqrs")) for _ in range(draw.choice((1, 2, 3))))
    here = draw.choice(("", *OWN))
    local = draw.choice(("", "double last = i, part = last; a[i] = part;", "a[i] = part(a[i]);" if here else ""))
    given = draw.choice(("b", "touch" if "touch(" not in local else "b"))
    given = given if not here else "b"
    heads = "".join(f"double part_{one}(double); void touch_{one}(double *, int);\n" for one in OWN)
    loop = f"void f(int n, double *restrict a, double *restrict {given}) {{\n"
    body = re.sub(r"\bb\b", given, body)
    loop += f"  for (int i = 0; i < n; i++) {{ {body} {local} }}\n}}\n"
    files = {
        f"{one}.c": f"{text}double part_{one}(double v) {{ return part(v); }}\n"
        f"void touch_{one}(double *x, int i) {{ touch(x, i); }}\n"
        for one, text in OWN.items()
    }
    apart = "".join(
        re.sub(r"\b(last|part|touch|more|chosen)\b", rf"\1_in_{name[0]}", text) for name, text in files.items()
    )
    own = OWN[here] if here else ""
    return heads + own + loop + apart, heads + own + loop, files


@pytest.mark.parametrize("number", range(30))
def test_names_that_several_files_have_for_themselves(number: int, analyse_c) -> None:
    whole, main, files = drawn_with_statics(number)
    alone, apart = analyse_c(whole), analyse_c(main, program=program_of({"main.c": main, **files}))
    assert [told(one) for one in verdicts(apart)] == [told(one) for one in verdicts(alone)]


def told(verdict: LoopVerdict) -> tuple[object, ...]:
    """A verdict but for the names."""
    reductions = [(one.operator, one.statement) for one in verdict.reductions]
    return (verdict.kind, len(verdict.private), reductions, [d.distances for d in verdict.dependences])


HIDING = {"count": "int {} = i; a[i] = {};", "scale": "double {} = i; b[i] = {};", "table": "a[i] = {}[i];"}


@pytest.mark.parametrize("number", range(30))
def test_what_a_function_hides_is_not_taken_for_what_others_use(number: int, analyse_c) -> None:
    _, main, files = drawn(number)
    name = random.Random(number).choice(sorted(HIDING))
    texts = []
    for called in (name, "nothing_else"):
        used = HIDING[name].replace("{}", called)
        parameter = f", double *restrict {called}" if name == "table" else ""
        hiding = main.replace("struct grid *restrict g)", f"struct grid *restrict g{parameter})")
        outside = random.Random(number).random() < 0.5 and name != "table"
        if outside:
            declared, used = used.split(";", 1)[0].replace(" = i", ""), used.replace("int ", "").replace("double ", "")
            hiding = hiding.replace("  for (int i", f"  {declared};\n  for (int i")
        texts.append(hiding.replace("i++) { ", f"i++) {{ {used} "))
    hidden, plain = (analyse_c(text, program=program_of({"main.c": text, **files})) for text in texts)
    for one, other in zip(verdicts(hidden)[:1], verdicts(plain)[:1], strict=True):
        assert one.kind in {other.kind, "unknown"}
