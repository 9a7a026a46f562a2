"""Running a kit: what is kept, what is taken up again, what is said. Its programs are lines of shell."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from accuracy.gpu_day.there.journal import Ran, Run, append, best_by_digest, read
from support.gpu_day_kits import GPU, RIGHT, MakeKit, RunKit, command, ran, says, shell

MISSING = '{"variant": "v", "missing": "libcublas.so.13 is on no search path"}'
WRONG = '{"variant": "v", "check": {"compared": 3, "differing": 1, "difference": "c, element 1: 2, the C has 1"}}'


def test_every_result_is_a_line_with_where_it_comes_from(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    about = {"nest": "gemm"}
    done = run_kit(
        make_kit(shell(f"{says(RIGHT)}; echo hint >&2", about=about), shell("true", name="measure/a", stage="measure"))
    )
    assert (done.returncode, done.stderr) == (0, "")
    first, second = ran(tmp_path / "results")
    assert (first.step, first.state, first.output, first.messages) == ("check/one", "done", RIGHT + "\n", "hint")
    assert (first.about, second.stage) == (about, "measure")
    (path,) = (tmp_path / "results").glob("*.jsonl")
    assert path.name == "nvidia_made_up.jsonl"
    run = next(iter(read(path)))
    assert isinstance(run, Run)
    assert (run.gpu["name"], run.made) == (GPU, {"gpu": "made up"})
    assert done.stdout.splitlines()[-3:] == [
        "check: 1 of 1 steps are done, 0 s of programs",
        "measure: 1 of 1 steps are done, 0 s of programs",
        "all is done",
    ]


def test_where_the_kit_lay_is_not_kept(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    kit = make_kit(shell('echo "Connected to process 1 ($PWD/nests/measured)"; pwd >&2'))
    run_kit(kit)
    (first,) = ran(tmp_path / "results")
    assert first.output == "Connected to process 1 (./nests/measured)\n"
    (path,) = (tmp_path / "results").glob("*.jsonl")
    assert str(kit.resolve()) not in path.read_text()


def test_a_second_run_takes_up_where_the_first_ended(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    log = tmp_path / "log"
    steps = [shell(f"echo {k} >> {log}; [ {k} != 1 ] || [ -e {tmp_path}/mended ]", name=f"check/{k}") for k in range(3)]
    kit = make_kit(*steps)
    first = run_kit(kit)
    assert first.returncode == 1
    assert "failed check/1: exit code 1" in first.stdout
    assert "left: 1 steps" in first.stdout
    (tmp_path / "mended").touch()
    kit = make_kit(*steps, shell(f"echo new >> {log}", name="check/new"))
    log.unlink()
    second = run_kit(kit)
    assert second.returncode == 0
    assert log.read_text().split() == ["new", "1"], "what failed before comes last, what was done not at all"
    assert "failed" not in second.stdout


def test_results_of_another_gpu_or_of_another_step_count_for_nothing(
    make_kit: MakeKit, run_kit: RunKit, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    step = shell(f"echo ran >> {log}")
    done = Ran("check/one", "check", step.digest, "done", "", 1.0, "")
    earlier = tmp_path / "earlier.jsonl"
    for gpu in ("another", GPU):
        append(earlier, Run({"name": gpu}, {}, "", {}, 8))
        append(earlier, done if gpu == "another" else Ran(**{**done.__dict__, "digest": "older"}))
    assert run_kit(make_kit(step), "--earlier", str(earlier)).returncode == 0
    assert log.read_text().split() == ["ran"]
    append(earlier, done)
    assert run_kit(make_kit(step), "--earlier", str(earlier), results=tmp_path / "other").returncode == 0
    assert log.read_text().split() == ["ran"]


def test_a_wrong_result_is_the_first_line_also_of_later_runs(
    make_kit: MakeKit, run_kit: RunKit, tmp_path: Path
) -> None:
    kit = make_kit(shell(says(RIGHT), name="check/right"), shell(says(WRONG), name="check/wrong"))
    for _ in range(2):
        found = run_kit(kit)
        assert found.returncode == 1
        summary = (tmp_path / "results" / "summary.txt").read_text()
        assert summary.startswith("WRONG check/wrong: v: c, element 1: 2, the C has 1\n")
        assert "1 results are those of the C" in summary
    assert len(ran(tmp_path / "results")) == 2, "it is measured, though wrong: only another port is tried again"


def test_the_time_is_kept(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    steps = [shell(f"true {k}; sleep 20", name=f"check/{k}", estimate_s=0.1) for k in range(3)]
    start = time.monotonic()
    found = run_kit(make_kit(*steps), "--minutes", "0.1")
    assert time.monotonic() - start < 15
    assert found.returncode == 1
    assert [one.state for one in ran(tmp_path / "results")] == ["ended"]
    assert "left: 3 steps" in found.stdout
    assert "failed" not in found.stdout, "that the time was up says nothing of a program"


def test_steps_that_may_run_beside_others_do_and_those_that_must_not_do_not(
    make_kit: MakeKit, run_kit: RunKit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"

    def noted(name: str, **fields: object) -> object:
        script = f"echo +{name} >> {log}; sleep 0.3; echo -{name} >> {log}"
        return shell(script, name=name, **fields)

    alone = [noted(f"calibrate/{k}", stage="calibrate") for k in range(2)]
    run_kit(make_kit(*[noted(f"check/{k}", alone=False) for k in range(2)], *alone))
    words = log.read_text().split()
    at = {word: place for place, word in enumerate(words)}
    for k in range(2):
        assert at[f"-calibrate/{k}"] == at[f"+calibrate/{k}"] + 1, words
    assert max(at["-check/0"], at["-check/1"]) < min(at["+calibrate/0"], at["+calibrate/1"])


def test_a_program_that_is_needed_and_not_there_is_said(make_kit: MakeKit, run_kit: RunKit) -> None:
    found = run_kit(make_kit(shell("true", needs="no-such-profiler", stage="counters", name="counters/a")))
    assert "failed counters/a: no-such-profiler is not on PATH" in found.stdout


def test_several_processes_give_one_result(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    run_kit(make_kit(shell("echo a sample", repeat=3)))
    assert ran(tmp_path / "results")[0].output == "a sample\n" * 3


def test_what_was_done_once_stays_done(tmp_path: Path) -> None:
    path = tmp_path / "gpu.jsonl"
    append(path, Run({"name": GPU}, {}, "", {}, 8))
    for state in ("failed", "done", "failed"):
        append(path, Ran("check/one", "check", "digest", state, "", 1.0, state))
    assert best_by_digest(GPU, [path])["digest"].state == "done"


def test_a_try_with_more_results_is_not_lost_for_a_later_one_with_less(tmp_path: Path) -> None:
    path = tmp_path / "gpu.jsonl"
    append(path, Run({"name": GPU}, {}, "", {}, 8))
    for output in ("", "a\nb\n", "a\n"):
        append(path, Ran("check/one", "check", "digest", "failed", "", 1.0, output))
    assert best_by_digest(GPU, [path])["digest"].output == "a\nb\n"


def test_what_failed_comes_after_all_that_never_ran(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    log = tmp_path / "log"
    bad = shell(f"echo bad >> {log}; exit 1", name="check/bad")
    run_kit(make_kit(bad))
    run_kit(make_kit(bad, shell(f"echo new >> {log}", name="counters/new", stage="counters")))
    assert log.read_text().split() == ["bad", "new", "bad"]


def test_a_missing_library_is_tried_again_by_a_later_run(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    script = f"[ -e {tmp_path}/installed ] && {says(RIGHT)} || {says(MISSING)}"
    kit = make_kit(shell(script))
    found = run_kit(kit)
    assert found.returncode == 1
    assert "partial check/one: v: libcublas.so.13 is on no search path" in found.stdout
    (tmp_path / "installed").touch()
    assert run_kit(kit).returncode == 0


def test_clocks_are_those_since_a_program_had_its_turn(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    """While it waited, another one had the GPU."""
    smi = tmp_path / "bin" / "nvidia-smi"
    smi.parent.mkdir()
    smi.write_text("#!/bin/sh\nfor mhz in 100 100 100 100 900 900 900 900 900; do echo $mhz, 5; sleep 0.2; done\n")
    smi.chmod(0o755)
    program = "import time; time.sleep(1.0); print('{\"turn_began_s\": %f}' % time.monotonic()); time.sleep(0.5)"
    kit = make_kit(shell("", argv=(sys.executable, "-S", "-c", program)))
    environment = {"PATH": f"{smi.parent}:{os.environ['PATH']}", "PYTHON": sys.executable}
    subprocess.run(command(kit, tmp_path / "results"), check=False, env=environment, stdout=subprocess.DEVNULL)
    clocks = ran(tmp_path / "results")[0].clocks
    assert clocks == {"clocks.sm": [900, 900, 900], "clocks.mem": [5, 5, 5]}
