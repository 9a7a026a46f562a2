"""Long directives over several lines say what they say in one."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.fix_fixtures.contexts import contexts
from warplens.analysis.ports.catalogue import FIXES
from warplens.analysis.ports.directives.broken_lines import WIDTH, directive_lines, updated_lines
from warplens.analysis.ports.fix import AS_PREDICTED, FixEdits, applied
from warplens.analysis.text.directive_text import Clause, ExistingDirective, read_directive

WORDS = frozenset(("target", "teams", "distribute", "parallel", "for"))
KERNEL = "target teams distribute parallel for"
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,30}(\[0:[a-z]{1,8}\*[a-z]{1,8}\])?", fullmatch=True)
CLAUSES = st.lists(
    st.builds(
        Clause,
        st.sampled_from(("map", "private", "reduction", "firstprivate")),
        st.sampled_from(("", "to", "tofrom", "+")),
        st.lists(NAMES, min_size=1, max_size=6).map(tuple),
    ),
    max_size=6,
)
INDENTATIONS = st.sampled_from(("", "    ", "\t", "\t\t", " " * 24))
LONG = """void work(int n, int m, double *restrict first_result, double *restrict second_result,
          const double *restrict first_operand, const double *restrict second_operand)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            first_result[i * m + j] = first_operand[i * m + j] + second_operand[i * m + j];
            second_result[i * m + j] = first_operand[i * m + j] * second_operand[i * m + j];
        }
}
"""
ON_THE_HOST = LONG.replace(
    "    for (int i", "#pragma omp parallel for schedule(static) default(shared)\n    for (int i"
)


def read(text: str) -> ExistingDirective:
    found = read_directive(text, text.index("omp"), len(text), WORDS)
    assert found is not None
    return found


def said(directive: ExistingDirective) -> tuple[str, list[tuple[str, str, tuple[str, ...]]]]:
    """All that a directive says, without the places."""
    return directive.construct, [(each.name, each.modifier, each.items) for each in directive.clauses]


@given(CLAUSES, INDENTATIONS)
@settings(max_examples=examples(200))
def test_broken_lines_are_read_as_the_whole(clauses: list[Clause], indentation: str) -> None:
    lines = directive_lines(f"#pragma omp {KERNEL}", clauses, indentation)
    whole = " ".join((f"#pragma omp {KERNEL}", *(clause.text for clause in clauses)))
    assert said(read("\n".join(lines))) == said(read(whole))
    for line in lines[:-1]:
        assert line.endswith(" \\")
    for line in lines:
        assert len(f"{indentation}{line}".expandtabs()) <= WIDTH or (line.count(",") < 2 and line.count("(") < 2)
    if len(f"{indentation}{whole}".expandtabs()) <= WIDTH:
        assert lines == (whole,)


@given(CLAUSES, CLAUSES, INDENTATIONS, st.sampled_from(("\n", "\r\n")))
@settings(max_examples=examples(200))
def test_an_update_adds_what_it_would_add_in_one_line(
    there: list[Clause], added: list[Clause], indentation: str, end: str
) -> None:
    source = f"int x;{end}" + end.join(
        indentation + line for line in directive_lines("#pragma omp parallel for", there, indentation)
    )
    existing = read(source)
    edits = updated_lines(source, existing, {existing.words_span: KERNEL}, added)
    after = applied(source, FixEdits(edits))
    assert said(read(after)) == (KERNEL, said(existing)[1] + [(c.name, c.modifier, c.items) for c in added])
    assert end == "\n" or after.count("\n") == after.count("\r\n")


def test_a_comment_between_words_and_clauses_stays() -> None:
    source = f"#pragma omp parallel for /* hot */ private({', '.join(f'variable{n}' for n in range(9))})"
    existing = read(source)
    after = applied(source, FixEdits(updated_lines(source, existing, {existing.words_span: KERNEL}, [])))
    assert "/* hot */" in after


@pytest.mark.parametrize(
    ("code", "source"),
    [("openmp", LONG), ("openmp", ON_THE_HOST), ("openacc", LONG)],
    ids=["openmp", "updated", "openacc"],
)
def test_what_was_written_is_there_already(code: str, source: str, analyse_c) -> None:
    fix = next(each for each in FIXES if each.code == code)
    after = _fixed(fix, source, analyse_c)
    assert " \\\n" in after
    assert max(map(len, after.splitlines())) <= max(WIDTH, *map(len, source.splitlines()))
    (context,) = contexts(after, analyse_c(after))
    (offer,) = fix.offer(context)
    assert offer.refusal == "the directives are there already as they would be written"


@pytest.mark.process
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("source", [LONG, ON_THE_HOST, LONG.replace("\n", "\r\n")], ids=["new", "updated", "crlf"])
def test_gcc_takes_it(source: str, analyse_c, tmp_path: Path) -> None:
    fix = next(each for each in FIXES if each.code == "openmp")
    file = tmp_path / "ported.c"
    file.write_bytes(_fixed(fix, source, analyse_c).encode())
    command = ["gcc", "-fopenmp", "-fsyntax-only", "-Wall", "-Werror", str(file)]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


def _fixed(fix, source: str, analyse_c) -> str:
    (context,) = contexts(source, analyse_c(source))
    (offer,) = fix.offer(context)
    assert not offer.refusal
    return applied(source, fix.edit(context, offer, AS_PREDICTED))
