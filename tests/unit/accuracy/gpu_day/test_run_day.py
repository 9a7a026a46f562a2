"""Running a kit: what is kept, what is taken up again, what is said. Its programs are lines of shell."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from accuracy.gpu_day.there.journal import Ran, Run, append, last_by_digest, read
from gpu_day_kits import GPU, MakeKit, RunKit, command, shell

RIGHT = '{"variant": "v", "check": {"compared": 3, "differing": 0, "difference": ""}}'
WRONG = '{"variant": "v", "check": {"compared": 3, "differing": 1, "difference": "c, element 1: 2, the C has 1"}}'


def ran(results: Path) -> list[Ran]:
    (path,) = results.glob("*.jsonl")
    return [line for line in read(path) if isinstance(line, Ran)]


def says(text: str) -> str:
    return f"echo '{text}'"


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


def test_where_all_ports_together_fail_each_is_run_alone(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    """As a program does that dies in its second port: what it wrote of the first is not all that there is to know."""
    script = f"for part; do [ $part != bad ] || exit 3; echo '{RIGHT}'; done"
    step = shell(script, parts=("a", "bad", "c"), about={"parts": ["block 1", "block 2", "block 3"]})
    found = run_kit(make_kit(step))
    assert found.returncode == 1
    (one,) = ran(tmp_path / "results")
    assert (one.state, one.lost, one.output) == ("failed", (1,), f"{RIGHT}\n{RIGHT}\n")
    assert "FAILED check/one: block 2" in found.stdout
    assert one.messages == "bad: exit code 3"


def test_what_does_not_end_is_ended_with_all_that_it_started(
    make_kit: MakeKit, run_kit: RunKit, tmp_path: Path
) -> None:
    step = shell(f"(sleep 30; touch {tmp_path}/late) & sleep 30", limit_s=0.5)
    start = time.monotonic()
    found = run_kit(make_kit(step, shell("true", name="check/next")))
    assert time.monotonic() - start < 20
    assert "failed check/one: ended after 0.5 s" in found.stdout
    assert [one.state for one in ran(tmp_path / "results")] == ["failed", "done"]


def test_the_time_is_kept(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    steps = [shell(f"true {k}; sleep 20", name=f"check/{k}", estimate_s=0.1) for k in range(3)]
    start = time.monotonic()
    found = run_kit(make_kit(*steps), "--minutes", "0.1")
    assert time.monotonic() - start < 15
    assert found.returncode == 1
    assert [one.state for one in ran(tmp_path / "results")] == ["ended"]
    assert "left: 3 steps" in found.stdout
    assert "failed" not in found.stdout, "that the time was up says nothing of a program"


def test_a_killed_run_keeps_what_it_had(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    kit = make_kit(shell(says(RIGHT), name="check/a"), shell(f"touch {tmp_path}/begun; sleep 60", name="check/b"))
    process = subprocess.Popen(command(kit, tmp_path / "results"), stdout=subprocess.DEVNULL)
    while not (tmp_path / "begun").exists():
        time.sleep(0.02)
    process.kill()
    process.wait()
    (path,) = (tmp_path / "results").glob("*.jsonl")
    assert [one.step for one in ran(tmp_path / "results")] == ["check/a"]
    with path.open("a") as file:
        file.write('{"step": "check/b", "sta')  # as where a machine goes away while it writes
    kit = make_kit(shell(says(RIGHT), name="check/a"), shell(says(RIGHT), name="check/c"))
    assert run_kit(kit).returncode == 0
    assert [one.step for one in ran(tmp_path / "results")] == ["check/a", "check/c"]


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_asked_to_end_leaves_nothing_running(
    make_kit: MakeKit, tmp_path: Path, with_signal: signal.Signals
) -> None:
    kit = make_kit(shell(f"echo $$ > {tmp_path}/pid; exec sleep 60"), shell("true", name="check/next"))
    process = subprocess.Popen(command(kit, tmp_path / "results"), stdout=subprocess.PIPE, text=True)
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text().strip()):
        time.sleep(0.02)
    process.send_signal(with_signal)
    said, _ = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "left: 2 steps" in said
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


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


def test_without_a_gpu_nothing_is_written(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    no_gpu = shell("echo 'there is no GPU that CUDA can use here' >&2; exit 4")
    found = run_kit(make_kit(shell("true"), identify=no_gpu))
    assert (found.returncode, found.stderr) == (2, "no GPU: there is no GPU that CUDA can use here\n")
    assert list((tmp_path / "results").glob("*.jsonl")) == []


def test_a_folder_without_a_kit_is_said(make_kit: MakeKit, run_kit: RunKit) -> None:
    kit = make_kit(shell("true"))
    (kit / "kit.json").write_text("{}")
    found = run_kit(kit)
    assert found.returncode == 2
    assert found.stderr.startswith("no kit: KeyError")


def test_what_was_done_once_stays_done(tmp_path: Path) -> None:
    path = tmp_path / "gpu.jsonl"
    append(path, Run({"name": GPU}, {}, "", {}, 8))
    for state in ("failed", "done", "failed"):
        append(path, Ran("check/one", "check", "digest", state, "", 1.0, state))
    assert last_by_digest(GPU, [path])["digest"].state == "done"


def test_lines_of_a_later_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "gpu.jsonl"
    path.write_text(json.dumps({"run": 2, "gpu": {}}) + "\n")
    with pytest.raises(ValueError, match="written by a later version"):
        list(read(path))
