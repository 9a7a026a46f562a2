"""What goes wrong on the machine with the GPU costs no result. Programs are lines of shell."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from accuracy.gpu_day.there.journal import Run, append, read
from support.gpu_day_kits import GPU, RIGHT, MakeKit, RunKit, command, ran, says, shell

REFERENCE = '{"reference_s": 1.0}'


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


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
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


def test_lines_that_no_run_wrote_are_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "gpu.jsonl"
    append(path, Run({"name": "GPU \ufffd"}, {}, "", {}, 8))
    whole = path.read_bytes()
    assert whole.isascii(), "a line that is cut anywhere can be read up to there"
    path.write_bytes(b"\xff\xfe\n[1]\n7\n{}\n" + whole + b'{"step": "a", "unknown": 1}\n' + whole[:40])
    assert [line.gpu["name"] for line in read(path) if isinstance(line, Run)] == ["GPU \ufffd"]
    assert len(list(read(path))) == 1


def test_earlier_results_that_can_not_be_read_are_said_and_left_out(
    make_kit: MakeKit, run_kit: RunKit, tmp_path: Path
) -> None:
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    (earlier / "cut.jsonl.gz").write_bytes(gzip.compress(b"{}" * 1000)[:-9])
    (earlier / "other.jsonl.gz").write_bytes(b"no gzip")
    (earlier / "later.jsonl").write_text('{"run": 2}\n')
    found = run_kit(make_kit(shell("true")), "--earlier", str(earlier), str(tmp_path / "nowhere"))
    assert found.returncode == 0
    assert [line.split(" is left out")[0].rpartition("/")[2] for line in found.stderr.splitlines()] == [
        "cut.jsonl.gz",
        "later.jsonl",
        "other.jsonl.gz",
    ]


def test_what_a_killed_run_left_is_ended_before_anything_is_measured(
    make_kit: MakeKit, run_kit: RunKit, tmp_path: Path
) -> None:
    """It would hold the GPU, and the turn."""
    (tmp_path / "kit" / "nests").mkdir(parents=True)
    kit = make_kit(shell(f"echo $$ > {tmp_path}/pid; exec sleep 60", folder="nests"))
    process = subprocess.Popen(command(kit, tmp_path / "results"), stdout=subprocess.DEVNULL)
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text().strip()):
        time.sleep(0.02)
    process.kill()
    process.wait()
    os.kill(int(pid.read_text()), 0)
    found = run_kit(make_kit(shell("true")))
    assert found.stdout.startswith("ended 1 programs that an earlier run left\n")
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid.read_text().strip()}/exe").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid.read_text().strip()}/exe").exists()


def test_two_runs_of_a_kit_at_a_time_are_one_too_many(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    kit = make_kit(shell(f"touch {tmp_path}/begun; sleep 60"))
    process = subprocess.Popen(command(kit, tmp_path / "results"), stdout=subprocess.DEVNULL)
    while not (tmp_path / "begun").exists():
        time.sleep(0.02)
    found = run_kit(kit)
    process.terminate()
    process.wait()
    assert (found.returncode, found.stderr) == (2, f"another run has {kit}\n")


def test_a_profiler_that_refuses_has_not_counted(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    """Whatever its exit code; and where it refuses twice, it is not asked a third time."""
    script = "echo '==PROF== Connected'; echo '==ERROR== ERR_NVGPUCTRPERM - no permission'"
    steps = [shell(script, name=f"counters/{k}", stage="counters", needs="sh") for k in range(4)]
    found = run_kit(make_kit(*steps, shell("true", name="measure/a", stage="measure")))
    assert [one.state for one in ran(tmp_path / "results")] == ["done", "failed", "failed"]
    assert "failed counters/0: ==ERROR== ERR_NVGPUCTRPERM - no permission" in found.stdout
    assert "left: 4 steps" in found.stdout


def test_a_failure_before_a_profiler_is_no_refusal_of_it(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    steps = [shell(says("counted"), name=f"counters/{k}", stage="counters", needs="sh") for k in (1, 2)]
    refused = shell("exit 1", name="counters/0", stage="counters", needs="sh")
    run_kit(make_kit(shell("exit 1", name="measure/a", stage="measure"), refused, *steps))
    assert [one.state for one in ran(tmp_path / "results")] == ["failed", "failed", "done", "done"]


def test_a_part_without_a_name_is_named_by_its_number(make_kit: MakeKit, run_kit: RunKit) -> None:
    script = f"for part; do [ $part != bad ] || exit 3; echo '{RIGHT}'; done"
    assert "FAILED check/one: 1" in run_kit(make_kit(shell(script, parts=("a", "bad", "c")))).stdout


def test_a_gpu_that_does_not_answer_any_more_ends_the_run(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    answers = f"[ ! -e {tmp_path}/gone ] && {says(json.dumps({'series': 'name', 'text': GPU}))}"
    steps = [shell(f"touch {tmp_path}/gone; exit 1", name=f"check/{k}") for k in range(20)]
    found = run_kit(make_kit(*steps, identify=shell(answers, name="identify")))
    assert "the GPU does not answer any more" in found.stdout
    assert len(ran(tmp_path / "results")) == 2


def test_a_reader_that_went_away_does_not_end_the_run(make_kit: MakeKit, tmp_path: Path) -> None:
    kit = make_kit(*[shell(f"sleep 0.05; {says(RIGHT)}", name=f"check/{k}") for k in range(8)])
    process = subprocess.Popen(command(kit, tmp_path / "results"), stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    process.wait(timeout=30)
    assert len(ran(tmp_path / "results")) == 8


def test_where_the_kit_came_without_its_bits_and_other_modules_lie_about(make_kit: MakeKit, tmp_path: Path) -> None:
    """As a copy over a file system without permissions, called from a folder with files named as Python's."""
    kit = make_kit(shell("true", argv=("./program",)))
    (kit / "program").write_text("#!/bin/sh\necho ran\n")
    (tmp_path / "queue.py").write_text("raise SystemExit('not this one')\n")
    line = ["sh", "kit/run", "--results", "results", "--kit", "kit"]
    environment = {"PATH": os.environ["PATH"], "PYTHON": sys.executable, "CDPATH": str(tmp_path)}
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert ran(tmp_path / "results")[0].output == "ran\n"


def test_without_a_gpu_nothing_is_written(make_kit: MakeKit, run_kit: RunKit, tmp_path: Path) -> None:
    no_gpu = shell("echo 'there is no GPU that CUDA can use here' >&2; exit 4")
    found = run_kit(make_kit(shell("true"), identify=no_gpu))
    assert (found.returncode, found.stderr) == (2, "the GPU was not found: there is no GPU that CUDA can use here\n")
    assert list((tmp_path / "results").glob("*.jsonl")) == []


def test_a_folder_without_a_kit_is_said(make_kit: MakeKit, run_kit: RunKit) -> None:
    kit = make_kit(shell("true"))
    (kit / "kit.json").write_text("{}")
    found = run_kit(kit)
    assert found.returncode == 2
    assert found.stderr.startswith("no kit that can be run in ")


def test_what_does_not_end_is_ended_with_all_that_it_started(
    make_kit: MakeKit, run_kit: RunKit, tmp_path: Path
) -> None:
    step = shell(f"(sleep 30; touch {tmp_path}/late) & sleep 30", limit_s=0.5)
    start = time.monotonic()
    found = run_kit(make_kit(step, shell("true", name="check/next")))
    assert time.monotonic() - start < 20
    assert "failed check/one: ended after 0.5 s" in found.stdout
    assert [one.state for one in ran(tmp_path / "results")] == ["failed", "done"]


@pytest.mark.parametrize("ends", ["exit 3", "sleep 60"])
def test_the_program_goes_on_past_a_port_that_ends_it_or_holds_it_up(
    make_kit: MakeKit, run_kit: RunKit, tmp_path: Path, ends: str
) -> None:
    script = f"echo '{REFERENCE}'; for part; do [ $part != bad ] || {ends}; echo '{RIGHT}'; done"
    parts = ("bad", "a", "bad", "c")
    step = shell(script, parts=parts, about={"parts": ["block 1", "block 2", "block 3", "block 4"]}, limit_s=1.0)
    found = run_kit(make_kit(step))
    assert found.returncode == 1
    (one,) = ran(tmp_path / "results")
    assert (one.state, one.lost) == ("failed", (0, 2))
    assert one.output.split("\n").count(RIGHT) == 2
    assert (tmp_path / "results" / "summary.txt").read_text().splitlines()[:2] == [
        "FAILED check/one: block 1",
        "FAILED check/one: block 3",
    ]


def test_lines_of_a_later_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "gpu.jsonl"
    path.write_text(json.dumps({"run": 2, "gpu": {}}) + "\n")
    with pytest.raises(ValueError, match="version 2 of results is not read here"):
        list(read(path))


def test_a_stage_that_there_is_not_is_said(make_kit: MakeKit, run_kit: RunKit) -> None:
    assert run_kit(make_kit(shell("true")), "--stages", "checks").returncode == 2
