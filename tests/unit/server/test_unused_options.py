"""What is said of sizes that no loop depends on, and of `-D` where a size is meant."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pytest
from warplens.analysis.engine.unused_sizes import unused_size
from warplens.server.cli.arguments import add_cpu_and_size_options, add_source_options
from warplens.server.cli.main import main
from warplens.server.cli.unused_options import UnusedOptions, declares, unused_in_folder

LOOP = "void f(int n, int *row, double *x) { for (int k = row[0]; k < row[n]; k++) x[k] = N; }\n"


def asked(*arguments: str) -> tuple[list[tuple[str, int]], list[str]]:
    parser = ArgumentParser()
    add_cpu_and_size_options(parser)
    add_source_options(parser)
    found = parser.parse_args(arguments)
    return found.sizes, found.defines


def test_d_is_the_macro_and_size_the_size() -> None:
    assert asked("-D", "N=4", "-DUSE_FLOAT", "--size", "n=4", "--size", "f(a, b)=5") == (
        [("n", 4), ("f(a, b)", 5)],
        ["N=4", "USE_FLOAT"],
    )


@pytest.mark.parametrize("size", ["s->n=4", "iterations of i=4", "a[0]=2"])
def test_d_of_a_size_that_is_no_macro_says_what_to_write(size: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        asked("-D", size)
    assert f"--size '{size}'" in capsys.readouterr().err


def test_d_of_a_variable_is_said_and_of_a_macro_is_not() -> None:
    said = [*UnusedOptions((), ("n=4096", "N=8", "row=x")).misread(LOOP)]
    assert said == ["`-D n=4096` defines the macro `n`; for the size say `--size n=4096`"]


@pytest.mark.parametrize(
    ("text", "is_declared"),
    [
        ("int m, *p, n;", True),
        ("int f(int m, const size_t n);", True),
        ("/* int n; */ double a[n];", False),
        ("// int n;\ndouble a[m * n];", False),
        ("double a[m] = {m, n};", False),
        ("void g(void) { f(m, n); h(n); }", False),
        ("#ifdef n\n#endif\nint n;", False),
    ],
)
def test_what_a_file_declares(text: str, is_declared: bool) -> None:
    assert declares(text, "n") is is_declared


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("i_trips", ["iterations of i", "n"], "`i_trips` is now called `iterations of i`: it has no effect"),
        ("s.x_elements", ["elements of s->x"], "`s.x_elements` is now called `elements of s.x`: it has no effect"),
        ("n_elements", ["n"], "no loop of this file depends on a size `n_elements`: it has no effect; there are `n`"),
        ("p->nlayers", ["p->n_layers", "n"], "near it are `p->n_layers`"),
    ],
)
def test_what_an_unknown_name_may_have_meant(name: str, known: list[str], said: str) -> None:
    assert said in unused_size(name, known, "it")


def test_a_size_of_a_function_is_looked_for_in_it() -> None:
    chosen = [("", "n"), ("f", "n"), ("g", "n"), ("t", "count"), ("", "nn")]
    found = [*unused_in_folder(chosen, [("f", "n"), ("f", "t.count"), ("g", "m")])]
    assert [text.partition(":")[0] for text in found] == [
        "no loop of `g` depends on a size `n`",
        "no loop of the folder depends on a size `nn`",
    ]


@pytest.mark.process
def test_the_command_line_says_what_no_loop_depends_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = LOOP.replace("for (int k", "for (int i = 0; i < n; i++) for (int k").replace("row[n]", "row[i]")
    (tmp_path / "f.c").write_text(rows.replace("row[0]", "row[i + 1]"))
    (tmp_path / ".warplens.toml").write_text('[sizes]\n"iterations of k" = 12\nrows = 3\n')
    assert main(["check", str(tmp_path), "--size", "k_trips=7", "-D", "N=2", "--no-progress", "-v"]) == 0
    out, err = capsys.readouterr()
    assert "`iterations of k` = 12, from `.warplens.toml`" in out
    assert "`k_trips` is now called `iterations of k`" in err
    assert "depends on a size `rows`" in err
    assert "defines the macro" not in err


def test_a_size_that_others_follow_from_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "struct grid { int n; };\nint total;\nextern void fill(struct grid *);\n"
        "void f(struct grid *g, double *x) {\n    int half = g->n / 2, rest = total - 5;\n"
        "    for (int i = 0; i < half; i++)\n        for (int j = 0; j < rest; j++)\n"
        "            x[i * rest + j] = 0;\n}\n"
    )
    main(
        (
            "check",
            "--noise",
            "all",
            "--worthwhile-us",
            "0",
            "-v",
            "--size",
            "grid.n=80",
            "--size",
            "total=50",
            "--size",
            "other=3",
            str(source),
        )
    )
    said = capsys.readouterr()
    assert "`half` = 40" in said.out
    assert "`total` = 50" in said.out
    assert "a size `other`" in said.err
    assert "a size `grid.n`" not in said.err
    assert "a size `total`" not in said.err
