"""What a hover, the text and the JSON of `warplens check` say of loops that a promise decides, or has decided."""

import json
from pathlib import Path
from typing import Any

import pytest
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.server.cli.main import main
from warplens.server.render.card import Card
from warplens.server.render.headline import lens_text
from warplens.server.render.loop_card import loop_card

DECLARED = """\
void touch(int i, double *y);
double *row_of(double *m, int y);
void show(int done, int all);
int guess(int n);
"""
WHOLE = """\
void apply(int n, double *y)
{
    for (int i = 0; i < n; i++)
        touch(i, y);
}
int rows(int n, double *m, double *restrict x, int *restrict idx)
{
    int done = 0;
    for (int y = 0; y < n; y++) {
        double *row = row_of(m, y);
        for (int k = 0; k < n; k++)
            row[k] = k;
        if (n % (y + 1) == 3)
            done++;
        show(done, n);
        x[idx[y]] = y;
    }
    return done;
}
void prefix(int n, double *restrict x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}
"""


def evaluation(analyse_c, source: str) -> NestEvaluation:
    """Of the only nest."""
    (nest,) = (nest for function in analyse_c(DECLARED + source).functions for nest in function.nests)
    assert nest.evaluation is not None
    return nest.evaluation


def card(evaluated: NestEvaluation) -> Card:
    return loop_card(evaluated, evaluated.facts.nest.root.id, lambda _node: 7)


def section(shown: Card, title: str) -> tuple[str, ...]:
    return next(each.items for each in shown.sections if each.title == title)


def checked(tmp_path: Path, capsys, *options: str) -> str:
    path = tmp_path / "f.c"
    path.write_text(DECLARED + WHOLE, encoding="utf-8")
    assert main(["check", *options, str(path)]) == 0
    return capsys.readouterr().out


def test_the_hover_says_what_to_promise_and_what_it_means(analyse_c) -> None:
    undecided = evaluation(
        analyse_c,
        "void f(int n, double *y, double *restrict x, int *restrict idx)"
        "{ for (int i = 0; i < n; i++) { touch(i, y); show(i, n); x[idx[i]] = i; } }",
    )
    shown = card(undecided)
    assert shown.headline == (
        "Not known to be parallel: it is if you promise that `touch is independent`, `show is independent` and 1 more."
    )
    first, offer, *meanings = section(shown, "Parallel?")
    assert first.startswith("Not known: calls `touch`, whose body is not in this file")
    comment = "`// warplens: touch is independent, show is independent, idx has no repeats`"
    assert offer == f"Parallel if this is true of it. If it is, write it directly above the loop: {comment}."
    assert [meaning.partition(": ")[0] for meaning in meanings] == [
        "`touch is independent`, `show is independent`",
        "`idx has no repeats`",
    ]
    assert "unless all only read it" in meanings[0]
    assert "no value stands twice" in meanings[1]
    assert lens_text(undecided) == "parallel if you promise it"


def test_the_hover_of_a_loop_under_a_promise_shows_on_whose_word(analyse_c) -> None:
    said = "\n// warplens: touch is independent, idx has no repeats, show is independent\n"
    shown = card(
        evaluation(
            analyse_c,
            "void f(int n, double *y, double *restrict x, int *restrict idx, int *restrict k) {"
            f"{said}for (int i = 0; i < n; i++) {{ touch(i, y); x[idx[i]] = k[i]; }} }}",
        )
    )
    assert section(shown, "Parallel?")[-1] == ("Only if what the comment in the source says of `idx`, `touch` is true.")
    assumed = [text for text in section(shown, "Assumed") if "the comment in the source says so" in text]
    assert [text for text in assumed if "`idx`" in text] == [
        "`idx` is assumed to hold no value twice: the comment in the source says so."
    ]
    assert any("calls of `touch`" in text for text in assumed)
    assert not any("overlap" in text and "idx" in text for text in section(shown, "Assumed"))


SHIFT = "void f(int n, int m, double *restrict x) {%s for (int i = 0; i < n; i++) x[i] = x[i + m]; }"


def test_the_hover_says_which_sizes_would_do_and_that_they_were_said_to_hold(analyse_c) -> None:
    _, offer, meaning = section(card(evaluation(analyse_c, SHIFT % "")), "Parallel?")
    assert offer == "Parallel if this is true of it. If it is, write it directly above the loop: `// warplens: m >= n`."
    assert meaning == ("`m >= n`: it holds whenever these loops run; an `assert` of it in front of them says the same.")
    shown = card(evaluation(analyse_c, SHIFT % "\n// warplens: m >= n\n"))
    assert section(shown, "Parallel?")[-1] == "Only if `m >= n`, as the comment in the source says."
    assert "`m >= n` is assumed to hold: the comment in the source says so." in section(shown, "Assumed")


def test_the_hover_says_what_elements_are_and_on_whose_word_they_are_apart(analyse_c) -> None:
    loop = "for (int i = 0; i < n; i++) { int c = k[i]; x[c++] = i; if (y[i] > 0) x[c] = 2; z[i + 1] = y[i + 1]; %s }"
    body = loop % "if (y[i] < 9) z[i] = y[i];"
    arguments = "int n, double *restrict x, double *restrict y, double *restrict z, int *restrict k"
    shown = section(card(evaluation(analyse_c, f"void f({arguments}) {{ {body} }}")), "Parallel?")
    said = "// warplens: x has no shared elements, z has no conflicting writes"
    assert f"`{said}`" in shown[1]
    assert shown[2:] == (
        "`x has no shared elements`: no element of it that one iteration writes is read or written by another one.",
        "`z has no conflicting writes`: iterations that write the same element of it write the same value.",
    )
    under = card(evaluation(analyse_c, f"void f({arguments}) {{\n{said}\n{body} }}"))
    assert section(under, "Parallel?") == (
        "As a reduction: all that the iterations share is `z` (all that set it store one value).",
        "Only if what the comment in the source says of `x`, `z` is true.",
    )
    assert any("touch an element of `x` that another one writes" in text for text in section(under, "Assumed"))


def test_the_hover_says_what_a_private_array_is(analyse_c) -> None:
    loop = "for (int i = 0; i < n; i++) { for (int k = 0; k < m; k++) t[k] = i; y[i] = t[b[i]]; }"
    source = "void f(int n, int m, int *restrict b, double *restrict y) { int t[9]; %s %s }"
    first, offer, meaning = section(card(evaluation(analyse_c, source % ("", loop))), "Parallel?")
    assert first.startswith("Not known: ")
    assert offer.endswith("`// warplens: t is private`.")
    assert meaning == (
        "`t is private`: an iteration reads in it only what it wrote itself, so that each may have a copy of its own."
    )
    shown = card(evaluation(analyse_c, source % ("\n// warplens: t is private\n", loop)))
    assert section(shown, "Parallel?")[-1] == "Only if what the comment in the source says of `t` is true."
    assert (
        "Iterations are assumed to read in `t` only what they wrote themselves: the comment in the source says so."
        in (section(shown, "Assumed"))
    )


def test_the_json_of_a_size_has_the_relation(tmp_path: Path, capsys) -> None:
    path = tmp_path / "f.c"
    path.write_text(SHIFT % "", encoding="utf-8")
    assert main(["check", "--json", str(path)]) == 0
    (nest,) = json.loads(capsys.readouterr().out)["files"][0]["nests"]
    (loop,) = nest["loops"]
    assert loop["conditions"] == [{"name": "m >= n", "kind": "size"}]
    assert loop["suggestion"] == "// warplens: m >= n"


APART = """long at(int k);
void f(int n, double *x) {
  double *p = x + at(1), *q = x + at(2), *r = x + at(3);%s
  for (int i = 0; i < n; i++) p[i] = q[i] + r[i];
}
"""
WRITTEN = "p does not overlap q or r"


def test_the_hover_says_which_names_would_have_to_be_apart_and_on_whose_word_they_are(analyse_c) -> None:
    *_, offer, meaning = section(card(evaluation(analyse_c, APART % "")), "Parallel?")
    assert f"write it directly above the loop: `// warplens: {WRITTEN}`." in offer
    assert meaning == (
        f"`{WRITTEN}`: memory that the loop writes through one of two such names it does not reach through the other."
    )
    shown = card(evaluation(analyse_c, APART % f"\n// warplens: {WRITTEN}\n"))
    assert section(shown, "Parallel?")[-1] == f"Only if `{WRITTEN}`, as the comment in the source says."
    assert f"`{WRITTEN}` is assumed to hold in this loop: the comment in the source says so." in section(
        shown, "Assumed"
    )


def test_the_json_of_names_apart_has_the_statement(tmp_path: Path, capsys) -> None:
    path = tmp_path / "f.c"
    path.write_text(APART % "", encoding="utf-8")
    assert main(["check", "--json", str(path)]) == 0
    (nest,) = json.loads(capsys.readouterr().out)["files"][0]["nests"]
    (loop,) = nest["loops"]
    assert loop["conditions"] == [{"name": WRITTEN, "kind": "separate"}]
    assert loop["suggestion"] == f"// warplens: {WRITTEN}"


def test_a_flag_that_several_iterations_set_is_said_in_words(analyse_c) -> None:
    source = "int f(int n, int *x) { int bad = 0; for (int i = 0; i < n; i++) if (x[i]) bad = 1; return bad; }"
    (sentence,) = section(card(evaluation(analyse_c, source)), "Parallel?")
    assert sentence == "As a reduction: all that the iterations share is `bad` (all that set it store one value)."


def test_promises_of_several_functions_are_one_sentence(analyse_c) -> None:
    said = "\n// warplens: touch is independent, show is independent, row_of is independent\n"
    body = "touch(i, y); show(i, n); double *q = row_of(y, i); q[0] = i; touch(i, y);"
    source = f"{{{said}for (int i = 0; i < n; i++) {{ {body} }} }}"
    assumed = section(card(evaluation(analyse_c, f"void f(int n, double *y) {source}")), "Assumed")
    (sentence,) = (text for text in assumed if "the comment in the source" in text)
    assert sentence == (
        "No iteration is assumed to touch what calls of `row_of`, `show`, `touch` touch or point to in another one "
        "(reading alone apart): the comment in the source says so."
    )


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("y[i] = guess(i);", "`guess`"),
        ("touch(i, y);", "`touch`"),
        ("touch(i, y); y[i] = guess(i);", "`touch`, `guess`"),
    ],
)
def test_times_say_that_the_work_of_called_functions_is_not_in_them(analyse_c, body: str, names: str) -> None:
    source = "void f(int n, double *y) {\n// warplens: touch is independent\nfor (int i = 0; i < n; i++) { %s } }"
    evaluated = evaluation(analyse_c, source % body)
    shown = card(evaluated)
    assert dict(shown.rows)["not counted"] == f"on either side: the work of {names}"
    assert ", without the work of `" in shown.headline
    lens = lens_text(evaluated)
    first, *others = names.replace("`", "").split(", ")
    assert f" · without {first}(){'...' if others else ''} · " in lens
    assert "`" not in lens
    for name in names.replace("`", "").split(", "):
        assert f"`{name}` is called: what it does and costs is not counted." in section(shown, "Assumed")


def test_what_is_counted_is_not_said_to_be_left_out(analyse_c) -> None:
    source = "#include <math.h>\nvoid f(int n, double *y) { for (int i = 0; i < n; i++) y[i] = sqrt(y[i]); }"
    evaluated = evaluation(analyse_c, source)
    assert "not counted" not in dict(card(evaluated).rows)
    assert "without the work" not in lens_text(evaluated)


def test_the_text_of_check_has_the_whole_comment(tmp_path: Path, capsys) -> None:
    shown = " ".join(checked(tmp_path, capsys, "-v").split())
    whole = "row_of is independent, show is independent, done is independent, idx has no repeats"
    assert (
        "Parallel as a reduction if this is true of it. If it is, write it directly above the loop: "
        f"`// warplens: {whole}`" in shown
    )
    assert "`// warplens: row_of is independent, ...` (4 promises in all) above the `y` loop" in shown
    assert "`done is independent`: no iteration needs what another one leaves in it" in shown
    assert "Not parallel: 1" in shown
    assert "Not decided: 1" in shown


def test_the_json_of_check_has_the_conditions(tmp_path: Path, capsys) -> None:
    (file,) = json.loads(checked(tmp_path, capsys, "--json"))["files"]
    apply, rows, prefix = file["nests"]

    def said(loop: dict[str, Any]) -> tuple[Any, ...]:
        names = [(each["name"], each["kind"]) for each in loop["conditions"]]
        return loop["verdict"], names, loop["under_conditions"], loop["suggestion"]

    comment = "// warplens: touch is independent"
    assert said(apply["loops"][0]) == ("unknown", [("touch", "independent")], "parallel", comment)
    verdict, names, under, _ = said(rows["loops"][0])
    assert (verdict, under) == ("unknown", "reduction")
    assert names == [
        ("row_of", "independent"), ("show", "independent"), ("done", "independent"), ("idx", "injective"),
    ]  # fmt: skip
    assert said(rows["loops"][1]) == ("parallel", [], None, None)
    assert said(prefix["loops"][0]) == ("carried", [], None, None)
    assert [nest["functions_not_counted"] for nest in file["nests"]] == [["touch"], ["row_of", "show"], []]


PRINTS = """int printf(const char *, ...);
void f(int n, double *restrict x) {%s
  for (int i = 0; i < n; i++) { x[i] = i; printf("%%d", i); }
}
"""


def test_the_hover_says_that_the_order_of_output_would_have_to_be_promised_and_on_whose_word_it_is(analyse_c) -> None:
    undecided = evaluation(analyse_c, PRINTS % "")
    *_, offer, meaning = section(card(undecided), "Parallel?")
    assert offer.endswith("write it directly above the loop: `// warplens: output in any order`.")
    assert meaning == (
        "`output in any order`: the order in which the iterations print does not matter, nor does what stands between "
        "two prints of one of them."
    )
    assert lens_text(undecided).startswith("parallel if you promise it")
    promised = evaluation(analyse_c, PRINTS % "\n// warplens: output in any order\n")
    shown = card(promised)
    assert section(shown, "Parallel?")[-1] == "Only if `output in any order`, as the comment in the source says."
    assert any(
        line.startswith("The order in which the loop prints is assumed not to matter")
        for line in section(shown, "Assumed")
    )
    assert " · without printf() · " in lens_text(promised)


def test_many_promises_are_lines_that_can_be_read_and_one_sentence(analyse_c) -> None:
    names = [f"function_{n}" for n in range(9)]
    declared = "".join(f"void {name}(int i, double *y);" for name in names)
    calls = "".join(f"{name}(i, y);" for name in names)
    source = f"{declared}\nvoid f(int n, double *y) {{ for (int i = 0; i < n; i++) {{ {calls} }} }}"
    _, offer, *lines, meaning = section(card(evaluation(analyse_c, source)), "Parallel?")
    first = "// warplens: function_0 is independent, function_1 is independent, function_2 is independent"
    assert offer == f"Parallel if this is true of it. If it is, write it directly above the loop: `{first}`, with"
    assert lines == [
        f"`// warplens: {', '.join(f'{name} is independent' for name in names[at : at + 3])}`" for at in (3, 6)
    ]
    assert meaning.startswith(
        "`function_0 is independent`, `function_1 is independent`, `function_2 is independent` and 6 more like these: "
    )
    said = source.replace("for (int", "\n".join(["", first, *(line.strip("`") for line in lines), "for (int"]))
    assert evaluation(analyse_c, said).facts.verdicts[0].kind == "parallel"


REGISTER = """extern volatile int ready;
void f(int n, double *restrict x) {%s
  for (int i = 0; i < n; i++) x[i] = ready;
}
"""


def test_the_hover_says_what_it_means_that_memory_is_ordinary_and_on_whose_word_it_is(analyse_c) -> None:
    undecided = evaluation(analyse_c, REGISTER % "")
    *_, offer, meaning = section(card(undecided), "Parallel?")
    assert offer.endswith("write it directly above the loop: `// warplens: ready is ordinary memory`.")
    assert meaning == (
        "`ready is ordinary memory`: while the loop runs, no device, signal handler or other thread reads or changes "
        "it, so that its accesses may come in another order."
    )
    assert lens_text(undecided).startswith("parallel if you promise it")
    shown = card(evaluation(analyse_c, REGISTER % "\n// warplens: ready is ordinary memory\n"))
    assert section(shown, "Parallel?")[-1] == "Only if what the comment in the source says of `ready` is true."
    assert (
        "Nothing but the loop is assumed to read or change `ready` while it runs: the comment in the source says so."
        in (section(shown, "Assumed"))
    )
