"""What the tool says to write for a size is taken where it says so: in comments, in options, in the folder's file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.size_name import size_name
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.cli.arguments import add_cpu_and_size_options
from warplens.server.settings.folder_config import parse_config

DECLARED = """typedef struct { int count; int *dims; } box; typedef struct { box *boxes; int n[3]; box own; } all;
int grid[3], table[4][4]; extern double more[];
"""
BOUNDS = {
    "grid[0]": "grid[0]",
    "s->boxes->count": "s->boxes->count",
    "s->n[1]": "s->n[1]",
    "s->own.dims[2]": "s->own.dims[2]",
    "grid[k]": "grid[k]",
    "table[1][k+1]": "table[1][k + 1]",
    "s[k].own.count": "s[k].own.count",
    "t.own.count": "t.own.count",
    "*p": "(*p)",
}


def evaluation(bound: str, comment: str, *choices: SizeChoice) -> tuple[NestEvaluation, list[str]]:
    loop = f"void f(all *s, all t, int k, int *p) {{ for (int i = 0; i < {bound}; i++) more[i] *= 2.0; }}\n"
    struck = DECLARED + "\n" + loop
    options = AnalysisOptions(sizes=choices)
    preprocessed = Preprocessed(f'# 1 "f.c"\n{struck}', "f.c")
    source = f"{DECLARED}{comment}\n{loop}"
    report = analyse(source, preprocessed, load_gpu("a100"), load_cpu("desktop"), options, Memo())
    found = report.functions[0].nests[0].evaluation
    assert found is not None
    return found, [problem.message for problem in report.problems]


@pytest.mark.parametrize(("bound", "name"), BOUNDS.items())
def test_what_is_proposed_is_taken(bound: str, name: str) -> None:
    before, _ = evaluation(bound, "")
    assert [one.subject for one in before.assumptions if one.kind == "size"] == [name]
    after, problems = evaluation(bound, f"// warplens: {name} = 77")
    assert dict(after.sizes)[name] == 77
    assert problems == []
    parser = ArgumentParser()
    add_cpu_and_size_options(parser)
    chosen = parser.parse_args(["--size", f"{name}=77"])
    assert (name, 77) in [one for value in vars(chosen).values() if isinstance(value, list) for one in value]
    config, messages = parse_config({"sizes": {name: 77}}, Path("/p"))
    assert messages == ()
    by_file, _ = evaluation(bound, "", *config.sizes)
    assert dict(by_file.sizes)[name] == 77


def test_a_member_in_a_table_of_the_file_is_one_of_a_struct_too() -> None:
    config, _ = parse_config({"sizes": {"t": {"own.count": 77}}}, Path("/p"))
    found, _ = evaluation("t.own.count", "", *config.sizes)
    assert dict(found.sizes)["t.own.count"] == 77


@pytest.mark.parametrize("written", ["grid[ 0 ]", "table [1] [ k+1 ]", "s -> boxes->count", "a[b[0]]"])
def test_blanks_do_not_matter(written: str) -> None:
    assert size_name(written) == size_name(size_name(written)) != ""


@pytest.mark.parametrize(
    "written", ["", "2*n", "grid[", "grid[]", "a b", "f(n", "n = 2", "n <", "n + 1", "a[1;2]", "->n"]
)
def test_what_is_no_size_has_no_name(written: str) -> None:
    assert size_name(written) == ""
