"""`warplens counters fit`, `report` and `predict`, as somebody with a profiler's file calls them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.made_once import made_once
from support.measured_kernel_file import measured_matmul
from warplens.analysis.counters.counter_table import CounterTable
from warplens.server.cli.main import main
from warplens.server.measure.counters import extra

pytestmark = pytest.mark.long

Run = Callable[..., tuple[int, str, str]]


def write_table(path: Path, *tables: CounterTable) -> None:
    """As a plain table: a row for each run."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["kernel", "gpu", "n", "block_x", "block_y", "time_s", *tables[0].metrics])
        for table in tables:
            for run, values in zip(table.runs, table.values, strict=True):
                block = run.block or (1, 1, 1)
                rows.writerow([run.kernel, run.gpu, dict(run.problem)["n"], *block[:2], run.time_s, *values])


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs of one kernel on two GPUs, fitted."""

    def fit(folder: Path) -> str:
        write_table(folder / "mm.csv", measured_matmul(), measured_matmul(gpu="GeForce GTX 980"))
        model = str(folder / "mm.counters")
        return str(main(["counters", "fit", str(folder / "mm.csv"), "-o", model, "--color=never"]))

    folder, code = made_once("counters_fitted", fit, tmp_path_factory)
    assert code == "0"
    return folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = main(["counters", *arguments])
        except SystemExit as ended:
            code = int(str(ended.code))
        return code, *capsys.readouterr()

    return command


def test_fit_writes_where_the_editor_looks(run: Run, tmp_path: Path) -> None:
    write_table(tmp_path / "mm.csv", measured_matmul())
    code, out, _ = run("fit", "mm.csv", "--color", "never")
    assert code == 0
    head, line, *_ = out.splitlines()
    assert re.split(r"\s{2,}", head.strip()) == [
        "kernel", "GPU", "runs", "explained", "error between sizes", "beyond", "first bottleneck",
    ]  # fmt: skip
    assert re.split(r"\s{2,}", line.strip())[:3] == ["matmul", "Tesla K20c", "32"]
    assert "uncoalesced access to global memory (WL201)" in line
    assert Path(".warplens/counters/mm.counters").is_file()
    assert "warplens counters report .warplens/counters/mm.counters" in out


def test_fit_says_what_could_not_be_fitted(run: Run, tmp_path: Path) -> None:
    few = measured_matmul("few")
    write_table(tmp_path / "mm.csv", CounterTable(few.runs[:3], few.metrics, few.values[:3]))
    code, _, err = run("fit", "mm.csv")
    assert code == 1
    assert "few on Tesla K20c: 3 complete runs are too few, at least 8 are needed; nothing is written" in err
    assert not Path(".warplens").exists()


def test_a_file_that_can_not_be_read_is_said_with_line_and_column(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("kernel,gpu,n,time_s,achieved_occupancy\nk,g,5,0.1,x\n")
    code, _, err = run("fit", "bad.csv")
    assert code == 1
    assert err.startswith("warplens: bad.csv:2:")
    assert "achieved_occupancy" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("-o", "x.model"), "does not end in .counters"),
        (("-o", "none/x.counters"), "none/x.counters: there is no such folder"),
        (("-D", "n=1,2"), "n has one size here"),
        (("-D", "n=-1"), "is not NAME=SIZE"),
        (("--sizes-from-name", "mm_{n}.csv"), "the name is not like 'mm_{n}.csv'"),
    ],
)
def test_wrong_options_of_fit(run: Run, tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    (tmp_path / "t.csv").write_text("kernel,gpu,n,time_s\n")
    code, _, err = run("fit", "t.csv", *arguments)
    assert code == 2
    assert why in err


def test_sizes_come_from_the_files_names(run: Run, tmp_path: Path) -> None:
    table = measured_matmul()
    for n in {dict(run.problem)["n"] for run in table.runs}:
        rows = [i for i, run in enumerate(table.runs) if dict(run.problem)["n"] == n]
        path = tmp_path / f"n={n:.0f}.csv"
        write_table(path, CounterTable(tuple(table.runs[i] for i in rows), table.metrics, table.values[rows]))
        kept = [[cell for at, cell in enumerate(line) if at != 2] for line in csv.reader(path.open())]
        path.write_text("\n".join(",".join(line) for line in kept))
    files = sorted(str(path) for path in tmp_path.glob("*.csv"))
    assert run("fit", *files)[0] == 0
    code, out, _ = run("predict", f".warplens/counters/{tmp_path.name}.counters", "-D", "n=1000", "--json")
    assert code == 0
    assert json.loads(out)["times"][0]["time_s"] == pytest.approx(2.5e-11 * 1000**3, rel=0.1)


def test_what_is_not_installed_is_said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda _: None)
    write_table(tmp_path / "mm.csv", measured_matmul())
    code, _, err = run("fit", "mm.csv")
    assert code == 1
    assert (
        "sklearn, scipy, statsmodels, pymars, threadpoolctl are not installed: pip install 'warplens[counters]'" in err
    )


def test_report_names_the_bottleneck_first(run: Run, fitted: Path) -> None:
    code, out, _ = run("report", str(fitted / "mm.counters"), "--gpu", "k20", "--color", "never")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("matmul on Tesla K20c (profile k20): 32 runs, n 256 to 4096")
    assert "Bottleneck 1: uncoalesced access to global memory (WL201)" in lines[1]
    for title in ("What the time goes with", "How well times are predicted", "Left out of the predictors"):
        assert any(title in line for line in lines)
    assert "GTX 980" not in out


def test_report_as_json(run: Run, fitted: Path) -> None:
    code, out, _ = run("report", str(fitted / "mm.counters"), "--json")
    assert code == 0
    kernels = json.loads(out)["kernels"]
    assert [(one["kernel"], one["gpu"], one["profile"]) for one in kernels] == [
        ("matmul", "Tesla K20c", "k20"),
        ("matmul", "GeForce GTX 980", "gtx980"),
    ]
    assert kernels[0]["bottlenecks"][0]["rule"] == "WL201"
    assert sum(one["variance"] for one in kernels[0]["components"]) == pytest.approx(1, abs=0.03)


class Page(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.texts: list[str] = []
        self.identifiers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.identifiers += [value or "" for name, value in attrs if name == "id"]
        self.fetched += [
            value or ""
            for name, value in attrs
            if name in {"src", "href", "xlink:href", "data"}
            and not (value or "").startswith(("#", "data:image/png;base64,"))
        ]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_shows_the_plots_and_fetches_nothing(run: Run, fitted: Path) -> None:
    code, out, _ = run("report", str(fitted / "mm.counters"), "--html", "page.html")
    assert (code, out) == (0, "Wrote page.html\n")
    page = Page(Path("page.html").read_text())
    assert page.tags.count("svg") >= 2 * 4  # importance, a curve, loadings, measured against predicted
    assert page.fetched == []
    assert "script" not in page.tags
    assert len(page.identifiers) == len(set(page.identifiers))
    assert any("GeForce GTX 980" in text for text in page.texts)


def test_names_from_a_file_are_text_on_the_page(run: Run, tmp_path: Path) -> None:
    name = "<script>alert(1)</script>$x_1$"
    write_table(tmp_path / "mm.csv", measured_matmul(name))
    assert run("fit", "mm.csv", "-o", "m.counters")[0] == 0
    assert run("report", "m.counters", "--html", "page.html")[0] == 0
    page = Page(Path("page.html").read_text())
    assert "script" not in page.tags
    assert any(name in text for text in page.texts)


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("--kernel", "matmull"), 2, "no kernel 'matmull' was fitted: did you mean `matmul`?"),
        (("--gpu", "h100"), 2, "not fitted on 'h100'"),
        (("--html", "no/such/folder/page.html"), 1, "No such file"),
        (("--html", "mm.counters"), 2, "mm.counters is called as a model is: a page would take its place"),
    ],
)
def test_wrong_options_of_report(run: Run, fitted: Path, arguments: tuple[str, ...], code: int, why: str) -> None:
    found, _, err = run("report", str(fitted / "mm.counters"), *arguments)
    assert (found, why in err) == (code, True), err


def test_predict_at_sizes_that_were_not_run(run: Run, fitted: Path) -> None:
    code, out, _ = run(
        "predict", str(fitted / "mm.counters"), "--gpu", "Tesla K20c", "-D", "n=1000,9000", "--color", "never"
    )
    assert code == 0
    assert out.startswith("matmul on Tesla K20c, from 32 runs on Tesla K20c")
    assert "n = 9000 is outside of 256 to 4096, which were run" in out
    assert "threads_per_block = 256 (block 16x16), the fastest that was measured" in out
    assert "Sizes left out between others were off by" in out


def test_predict_as_json(run: Run, fitted: Path) -> None:
    arguments = ("--gpu", "k20", "-D", "n=1000", "-D", "threads_per_block=64", "--json")
    code, out, _ = run("predict", str(fitted / "mm.counters"), *arguments)
    assert code == 0
    answer = json.loads(out)
    (time,) = answer["times"]
    assert time["given"] == {"n": 1000, "threads_per_block": 64}
    assert time["time_s"] == pytest.approx(1.25 * 2.5e-11 * 1000**3, rel=0.1)
    assert time["low_s"] <= time["time_s"] <= time["high_s"]
    assert answer["accuracy_between_sizes"]["runs"] == 32


def test_predict_for_another_gpu_says_how(run: Run, fitted: Path) -> None:
    model = str(fitted / "mm.counters")
    asked = ("--gpu", "k20", "--on", "gtx980", "-D", "n=1000", "--color", "never")
    code, out, _ = run("predict", model, *asked)
    assert code == 0
    assert "not tested" in out
    assert "Nothing was run on GeForce GTX 980" in out
    code, out, _ = run("predict", model, *asked, "--runs", str(fitted / "mm.csv"))
    assert code == 0
    assert "What matters is ranked alike on Tesla K20c and GeForce GTX 980" in out
    assert "the median ratio of 32 runs" in out


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        ((), 2, "the model has several: matmul on Tesla K20c, matmul on GeForce GTX 980"),
        (("--gpu", "k20"), 2, "n is needed (varied were n, threads_per_block)"),
        (("--gpu", "k20", "-D", "n=5", "-D", "m=5"), 2, "m is not among what was varied"),
        (("--gpu", "k20", "-D", "n=5", "-D", "n=6"), 2, "n is given twice"),
        (("--gpu", "k20", "-D", "n=5", "--runs", "x.csv"), 2, "--on says which"),
        (("--gpu", "k20", "-D", "n=5", "--on", "gtx980", "--runs", "x.csv"), 1, "x.csv: No such file"),
        (("--gpu", "k20", "-D", "n=5", "--on", "nothing"), 2, "nothing"),
        (("--gpu", "k20", "-D", "n=1e300"), 2, "up to 2^53"),
        (("--gpu", "k20", "-D", "n=1e12"), 2, "n = 1000000000000 is too far from 256 to 4096"),
        (("--gpu", "k20", "-D", "n=512", "-D", "threads_per_block=2048"), 2, "at most 1024 threads"),
    ],
)
def test_wrong_options_of_predict(run: Run, fitted: Path, arguments: tuple[str, ...], code: int, why: str) -> None:
    found, _, err = run("predict", str(fitted / "mm.counters"), *arguments)
    assert (found, why in err) == (code, True), err


def test_predict_on_the_gpu_of_the_runs_carries_nothing_over(run: Run, fitted: Path) -> None:
    model, asked = str(fitted / "mm.counters"), ("--gpu", "k20", "-D", "n=1000", "--color", "never")
    plain, there = (run("predict", model, *asked, *more)[1] for more in ((), ("--on", "k20")))
    assert "Tesla K20c is the GPU of the runs: nothing had to be carried over." in there
    assert plain.splitlines()[1:3] == there.splitlines()[1:3]
    code, _, err = run("predict", model, *asked, "--on", "k20", "--runs", str(fitted / "mm.csv"))
    assert code == 2
    assert "fit its files together with these" in err


def test_predict_says_that_the_model_has_runs_on_the_target_itself(run: Run, fitted: Path) -> None:
    _, out, _ = run("predict", str(fitted / "mm.counters"), "--gpu", "k20", "--on", "gtx980", "-D", "n=1000")
    assert "The model has 32 runs on GeForce GTX 980 itself: --gpu gtx980 predicts from those." in out


def test_runs_count_whatever_the_target_is_called_in_them(run: Run, fitted: Path, tmp_path: Path) -> None:
    tables = [measured_matmul(gpu=name) for name in ("GeForce GTX 980", "GTX-980")]
    halves = [CounterTable(each.runs[half::2], each.metrics, each.values[half::2]) for half, each in enumerate(tables)]
    write_table(tmp_path / "both.csv", *halves)
    asked = ("--gpu", "k20", "-D", "n=1000", "--on", "gtx980", "--runs", "both.csv", "--color", "never")
    code, out, _ = run("predict", str(fitted / "mm.counters"), *asked)
    assert code == 0
    assert "the median ratio of 32 runs" in out


def test_runs_of_a_third_gpu_are_none_of_the_target(run: Run, fitted: Path, tmp_path: Path) -> None:
    model, asked = str(fitted / "mm.counters"), ("--gpu", "k20", "-D", "n=1000", "--on", "h100", "--color", "never")
    write_table(tmp_path / "other.csv", measured_matmul(gpu="GeForce GTX 980"))
    code, _, err = run("predict", model, *asked, "--runs", "other.csv")
    assert code == 1
    assert "other.csv: has runs on GeForce GTX 980, none of which is H100" in err
    write_table(tmp_path / "unknown.csv", measured_matmul(gpu="my card"))
    code, out, _ = run("predict", model, *asked, "--runs", "unknown.csv")
    assert code == 0
    assert "The runs of --runs are on my card, of which there is no profile: taken to be H100" in out


@pytest.mark.parametrize("command", ["report", "predict"])
def test_a_model_that_is_none(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "x.counters").write_text("no model")
    code, _, err = run(command, "x.counters")
    assert code == 1
    assert err.startswith("warplens: x.counters: not a model of counters")


def names_in(value: object) -> set[str]:
    """Keys of all objects, but for those that are names of quantities."""
    if isinstance(value, list):
        return {name for each in value for name in names_in(each)}
    if isinstance(value, dict):
        by_quantity = {"loadings", "left_out", "given", "counters"}
        return value.keys() | {name for key, of in value.items() if key not in by_quantity for name in names_in(of)}
    return set()


def test_the_page_lists_exactly_the_fields_there_are(run: Run, fitted: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "counters.md").read_text().partition("## The JSON")[2]
    model = str(fitted / "mm.counters")
    report = json.loads(run("report", model, "--json")[1])
    predicted = json.loads(run("predict", model, "--gpu", "k20", "-D", "n=500", "--json")[1])
    found = names_in(report) | names_in(predicted)
    assert found <= set(re.findall(r"`(\w+)`", page))
    rows = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} <= found
