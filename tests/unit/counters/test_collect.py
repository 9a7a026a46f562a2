"""`warplens counters collect` with a stand-in for ncu (stand_in_ncu.py): all numbers are made up."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.server.cli.main import main
from warplens.server.measure.counters.asked_sizes import combinations, sizes_in_name, sweep_of
from warplens.server.measure.counters.collecting import wanted_metrics
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

Run = Callable[..., tuple[int, str, str]]
SWEEP = ("-D", "n=256,512,1024", "-o", "runs")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "work").mkdir()
    ncu = tmp_path / "bin" / "ncu"
    ncu.parent.mkdir()
    program = Path(__file__).parent / "stand_in_ncu.py"
    ncu.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-S", str(program)])} "$@"\n')
    ncu.chmod(0o755)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PATH", f"{ncu.parent}:/usr/bin:/bin")
    monkeypatch.setenv("COLUMNS", "250")

    def command(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(["counters", "collect", *arguments])
        except SystemExit as ended:
            code = int(str(ended.code))
        return code, *capsys.readouterr()

    return command


def calls() -> list[str]:
    return Path("calls.txt").read_text().splitlines()


def test_a_file_for_each_size_which_fit_reads(run: Run) -> None:
    code, out, err = run(*SWEEP, "--", "mm", "{n}")
    assert code == 0
    assert calls() == ["mm 256", "mm 512", "mm 1024"]
    assert "Fit them: warplens counters fit runs/*.csv" in out
    assert "runs/n=256.csv: 1 launch" in err
    files = sorted(Path("runs").iterdir())
    assert [path.name for path in files] == ["n=1024.csv", "n=256.csv", "n=512.csv"]
    table = read_counter_files(files, ReadOptions(sizes={str(path): sizes_in_name(path) for path in files}))
    assert [(run.kernel, run.gpu, run.problem) for run in table.runs] == [
        ("k", "NVIDIA Made Up", (("n", size),)) for size in (1024.0, 256.0, 512.0)
    ]
    assert table.runs[0].time_s == pytest.approx(1024e-9)
    assert table.column("instructions_executed").tolist() == [1024, 256, 512]


def test_a_sweep_goes_on_where_it_was_stopped(run: Run) -> None:
    run("-D", "n=512", "-o", "runs", "--", "mm", "{n}")
    code, _, err = run(*SWEEP, "--", "mm", "{n}")
    assert code == 0
    assert calls() == ["mm 512", "mm 256", "mm 1024"]
    assert "runs/n=512.csv: is there already" in err
    run(*SWEEP, "--again", "--", "mm", "{n}")
    assert len(calls()) == 6


def test_one_size_that_fails_leaves_the_others(run: Run) -> None:
    code, _, err = run(*SWEEP, "--", "crashes", "{n}")
    assert code == 1
    assert "runs/n=512.csv: failed: Segmentation fault" in err
    assert sorted(path.name for path in Path("runs").iterdir()) == ["n=1024.csv", "n=256.csv"]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("forbidden", "the driver lets only administrators read counters"),
        ("no_kernel", "the program launched no kernel"),
        ("hangs", "hangs 256 was ended after 1 s"),
        ("usage", "the program ended with an error: usage: mm N"),
    ],
)
def test_why_there_are_no_counters(run: Run, program: str, why: str) -> None:
    code, _, err = run("-D", "n=256", "-o", "runs", "--time-limit", "1", "--", program, "{n}")
    assert code == 1
    assert why in err
    assert "no run gave counters" in err
    assert not list(Path("runs").iterdir())


def test_without_ncu(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = run(*SWEEP, "--", "mm", "{n}")
    assert code == 1
    assert "ncu (Nsight Compute, part of the CUDA toolkit) is not on PATH" in err
    assert "--dry-run" in err
    assert not Path("runs").exists()


def test_without_a_gpu(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bin" / "ncu").write_text("#!/bin/sh\necho '==ERROR== libcuda.so.1 not found' >&2; exit 1\n")
    code, _, err = run(*SWEEP, "--", "mm", "{n}")
    assert code == 1
    assert "there is no NVIDIA driver, so no GPU" in err


def test_a_gpu_that_the_driver_does_not_see(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bin" / "ncu").write_text("#!/bin/sh\necho '==ERROR== Driver could not be loaded.'; exit 1\n")
    code, _, err = run(*SWEEP, "--", "mm", "{n}")
    assert code == 1
    assert "there is no NVIDIA driver, or it sees no GPU" in err


def test_launches_that_may_have_been_left_out_are_said(run: Run) -> None:
    _, _, err = run("-D", "n=256", "-o", "runs", "--launches", "1", "--", "mm", "{n}")
    assert "runs/n=256.csv: 1 launch, as many as --launches lets" in err


def test_a_dry_run_prints_what_would_be_run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, _ = run(*SWEEP, "--dry-run", "--kernel", "mm_kernel,k.2", "--", "./mm", "--size={n}", "a b")
    assert code == 0
    folder, *commands = [shlex.split(line) for line in out.splitlines()]
    first = commands[0]
    assert folder == ["mkdir", "-p", "runs"]
    assert [command[-2:] for command in commands] == [[f"--size={n}", "a b"] for n in (256, 512, 1024)]
    assert first[first.index("--kernel-name") + 1] == r"regex:^(mm_kernel|k\.2)$"
    assert first[first.index("--log-file") + 1] == "runs/n=256.csv"
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("-D", "m=5", "--", "mm", "{n}"), "{m} is not in the command: every run would be of one size"),
        (("-D", "n=5", "-D", "n=6", "--", "mm", "{n}"), "n is given twice"),
        (("-D", "n=0", "--", "mm", "{n}"), "numbers above 0"),
        (("--", "mm", "{n}"), "{n} is in the command: say its sizes, as in -D n=256,512"),
        ((), "CMD"),
    ],
)
def test_wrong_command_lines(run: Run, arguments: tuple[str, ...], why: str) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert why in err


def test_metrics_that_this_gpu_has() -> None:
    """Of several names for one metric the first that the GPU has, with its own ending."""
    vocabulary = counter_vocabulary()
    known = {"smsp__inst_executed", "dram__bytes_read"}
    found = set(wanted_metrics(vocabulary, known))
    assert {"gpu__time_duration.sum", "dram__bytes_read.sum", "smsp__inst_executed.sum"} <= found
    assert {name.partition(".")[0] for name in found if not name.startswith(("launch__", "device__", "gpu__"))} == known
    assert found < set(wanted_metrics(vocabulary))


def test_too_many_combinations_are_refused() -> None:
    many = sweep_of("n=" + ",".join(map(str, range(1, 101))))
    with pytest.raises(ValueError, match="10000 combinations"):
        combinations([many, ("m", many[1])])


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("n=256.csv", {"n": 256}),
        ("heat.n=256,m=0.5.csv.gz", {"n": 256, "m": 0.5}),
        ("n=256.5.csv", {"n": 256.5}),
        ("mm_512.csv", {}),
        ("mean=value.csv", {}),
    ],
)
def test_sizes_in_names(name: str, sizes: dict[str, float]) -> None:
    assert sizes_in_name(Path("n=9") / name) == sizes
