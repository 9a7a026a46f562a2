"""What `make gpu-day-kit` builds: without a GPU by g++ for the CPU, and by nvcc for the GPUs that it is for."""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from accuracy.gpu_day import prepare
from accuracy.gpu_day.built_calibration import ON_CPU as ON_THE_CPU
from accuracy.gpu_day.built_counters import NESTS, counter_steps
from accuracy.gpu_day.built_mappings import mapping_plan
from accuracy.gpu_day.built_nests import BuiltNest, nest_plan
from accuracy.gpu_day.built_programs import command_lines
from accuracy.gpu_day.day_nests import DayNest, day_nests
from accuracy.gpu_day.mapping_nests import FOLDER, mapping_nests
from accuracy.gpu_day.mapping_ports import MOST
from accuracy.gpu_day.recorded import recorded_checks, recorded_day
from accuracy.gpu_day.subjects import subjects
from accuracy.gpu_day.there.steps import Step, read_kit
from accuracy.measured_nests.corpus import corpus
from support.gpu_day_kits import RunKit
from support.nvidia_tools import nvidia_tools_on_path
from warplens.analysis.ports.fix import AS_PREDICTED
from warplens.server.measure.kernel_times.harness_run import Machine
from warplens.server.measure.kernel_times.measure_nest import Subject
from warplens.server.programs.programs import ANYWHERE

ON_CPU = Path(__file__).parents[3] / "support" / "cuda_on_cpu"
NO_NVCC = shutil.which("nvcc") is None


def test_ports_on_the_cpu_are_held_against_the_c(run_kit: RunKit, tmp_path: Path) -> None:
    """All that a day does with ports but their times: built, run by the kit's own command, compared."""
    kit, only = tmp_path / "kit", "example_transpose,gesummv"
    assert prepare.main(["--kit", str(kit), "--only", only, "--on-cpu", str(ON_CPU)]) == 0
    done = run_kit(kit, "--minutes", "2")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "all is done"), done.stdout
    (path,) = (tmp_path / "results").glob("*.jsonl")
    checks = recorded_checks(recorded_day(path))
    names = [check.label.split("/")[1] for check in checks]
    assert set(names) == {"example_transpose", "gesummv", "gesummv, mappings"}
    assert len(checks) >= 12
    of_mappings = [check.label.partition(": ")[2] for check in checks if "gesummv, mappings" in check.label]
    assert {"warp", "block64", "parts8"} <= {label.partition(":")[0] for label in of_mappings[1:]}
    assert of_mappings[0].startswith("source, block ")
    assert not [check for check in checks if check.difference]


def test_a_port_that_computes_something_else_is_found(run_kit: RunKit, tmp_path: Path) -> None:
    """The reference gets another constant than the port has: the comparison has to see it."""
    kit = tmp_path / "kit"
    assert prepare.main(["--kit", str(kit), "--only", "triad", "--on-cpu", str(ON_CPU)]) == 0
    (step,) = read_kit(kit).steps
    folder = kit / step.folder
    source = (folder / "reference.c").read_text()
    assert "+" in source
    changed = re.sub(r"(a\[i\] = [^;]*)\+", r"\1-", source, count=1)
    assert changed != source
    (folder / "reference.c").write_text(changed)
    build = [
        "gcc",
        "-O2",
        "-w",
        "-std=gnu17",
        "-I.",
        "-fsanitize=address",
        "-fPIC",
        "-shared",
        "reference.c",
        "-o",
        "reference.so",
    ]
    subprocess.run([*build, "-lm"], cwd=folder, check=True)
    done = run_kit(kit)
    assert done.returncode == 1
    assert (tmp_path / "results" / "summary.txt").read_text().startswith("WRONG check/triad/n=3000: block ")


@pytest.mark.skipif(NO_NVCC, reason="nvcc is not installed")
def test_what_nvcc_builds_is_for_the_gpus_that_are_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And finds CUDA's runtime in the kit; the same sources are not built again."""
    monkeypatch.setattr(prepare, "built_calibration", lambda _kit: ON_THE_CPU)  # it takes half a minute to build
    kit = tmp_path / "kit"
    arguments = ["--kit", str(kit), "--only", "example_dot"]
    assert prepare.main(arguments) == 0
    (step,) = read_kit(kit).steps
    assert step.id == "check/example_dot/n=5000"
    (port,) = (kit / step.folder / part for part in step.parts)
    with nvidia_tools_on_path():
        listed = said("cuobjdump", "--list-elf", "--list-ptx", str(port))
    assert set(re.findall(r"\.sm_(\d+)\.(cubin|ptx)", listed)) == {("80", "cubin"), ("90", "cubin"), ("75", "ptx")}
    runtime = re.search(r"libcudart\.so\.\d+ => (\S+)", said("ldd", str(port)))
    assert runtime is not None
    assert Path(runtime[1]).resolve().parent == (kit / "lib").resolve()
    built_ns = port.stat().st_mtime_ns
    assert prepare.main(arguments) == 0
    assert (read_kit(kit).steps, port.stat().st_mtime_ns) == ((step,), built_ns)


def said(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@cache
def subject(name: str) -> tuple[DayNest, Subject]:
    (nest,) = [nest for nest in day_nests() if nest.name == name]
    return nest, subjects([nest.path], "h100", "gcc")[0]


@cache
def planned(name: str, *nvcc_flags: str) -> tuple[Step, tuple[Step, ...]]:
    """The check and the rounds of one nest of the day."""
    found = nest_plan(*subject(name), Machine(ANYWHERE, nvcc_flags=nvcc_flags))
    return found.check[1], tuple(step for _, step in found.rounds)


def test_every_port_that_is_timed_is_checked_before() -> None:
    """At small sizes, by the same machine code."""
    check, rounds = planned("gemm")
    assert {part for step in rounds for part in step.parts} <= set(check.parts)
    assert len(rounds) == 3
    assert not check.takes_turns
    assert all(step.takes_turns and not step.alone for step in rounds)


def test_a_step_is_another_one_when_its_port_its_sizes_or_its_build_are() -> None:
    cases = (("triad",), ("saxpy",), ("triad", "-arch=sm_90"))
    digests = [step.digest for case in cases for step in (planned(*case)[0], *planned(*case)[1])]
    assert len(digests) == 9
    assert len(set(digests)) == 9
    again = nest_plan(*subject("triad"), Machine(ANYWHERE, nvcc_flags=()))
    assert again.check[1] == planned("triad")[0]


def test_the_day_has_every_nest_and_every_example() -> None:
    days = {nest.name: nest for nest in day_nests()}
    assert {nest.name for nest in corpus()} <= set(days)
    examples = {path.stem for path in (Path(__file__).parents[4] / "examples" / "cuda").glob("*.c")}
    assert {name.removeprefix("example_") for name in days if name.startswith("example_")} == examples
    for nest in corpus():
        (large, wishes), *others = days[nest.name].rounds
        assert [large, *(sizes for sizes, _ in others)] == [nest.sizes[-1], *nest.sizes[:-1]]
        assert wishes[0] == AS_PREDICTED
        assert len(set(wishes)) == len(wishes) <= 6
        assert set(wishes) <= set(nest.wishes)


def test_every_mapping_that_is_timed_is_checked_before() -> None:
    """By the same machine code, which was written for the large sizes: at small ones no mapping is tried."""
    (nest,) = [nest for nest in mapping_nests() if nest.name == "gemv_transposed"]
    found = mapping_plan(nest, subjects([nest.path], "h100", "gcc")[0], Machine(ANYWHERE))
    check, rounds = found.check[1], [step for _, step in found.rounds]
    assert {part for step in rounds for part in step.parts} == set(check.parts)
    assert len(check.parts) == len(set(check.parts))
    assert [step.id for step in rounds] == [
        f"mappings/gemv_transposed/{at}" for at in ("n=8192,m=8192", "n=8192,m=2048", "n=65536,m=256")
    ]
    assert all(step.stage == "measure" and step.takes_turns and not step.alone for step in rounds)
    for step in rounds:
        assert 3 <= len(step.parts) == len(set(step.parts)) == len(step.about["mappings"]) <= MOST
        assert len(step.parts) == len(step.about["planned"]) == len(step.about["parts"])
    assert check.id == "check/gemv_transposed, mappings/n=71,m=37"
    corpus_nest = nest_plan(*subject("gemv_transposed"), Machine(ANYWHERE))
    steps = (check, *rounds, corpus_nest.check[1], *(step for _, step in corpus_nest.rounds))
    assert len({step.folder for step in steps}) == len({step.digest for step in steps}) == len(steps)


@pytest.mark.long
def test_the_page_says_how_many_mappings_there_are_and_how_long_they_take() -> None:
    nests = mapping_nests()
    found = subjects([nest.path for nest in nests], "h100", "gcc")
    plans = [mapping_plan(*each, Machine(ANYWHERE)) for each in zip(nests, found, strict=True)]
    rounds = [step for plan in plans for _, step in plan.rounds]
    checks_s, rounds_s = (sum(step.estimate_s for step in steps) for steps in ((p.check[1] for p in plans), rounds))
    said = (Path(__file__).parents[4] / "docs" / "gpu-day.md").read_text()
    assert f"{len(nests)} nests in several mappings ({checks_s:.0f} s)" in said
    assert f"{len(rounds)} pairs of nest and size in several mappings ({rounds_s:.0f} s)" in said
    assert rounds_s < 80, "there are minutes for all of a day"
    assert not [reason for plan in plans for reason in plan.refused]


def test_mappings_are_timed_before_the_sweep_of_nests() -> None:
    def step(name: str) -> Step:
        return Step(name, "measure", name, ".", (name,))

    def nest(name: str) -> BuiltNest:
        return BuiltNest(step(f"check {name}"), (step(f"{name} 0"), step(f"{name} 1")), ())

    ordered = prepare.ordered_steps([nest("gemm")], [nest("gemv")], [step("latency")], [step("sort")])
    names = ["check gemm", "check gemv", "latency", "sort", "gemv 0", "gemv 1", "gemm 0", "gemm 1"]
    assert [each.id for each in ordered] == names


def test_nests_in_several_mappings_have_a_file_and_odd_small_sizes() -> None:
    names = {nest.name for nest in mapping_nests()}
    assert {path.stem for path in FOLDER.glob("*.c")} <= names
    assert not {path.stem for path in FOLDER.glob("*.c")} & {nest.name for nest in corpus()}, "each name is one file"
    for nest in mapping_nests():
        assert nest.path.is_file(), nest.name
        assert nest.sizes
        assert all(sizes.keys() == nest.check_sizes.keys() for sizes in nest.sizes)
        assert all(size % 2 for size in nest.check_sizes.values())


def test_counters_are_those_of_the_first_round() -> None:
    assert set(NESTS) <= {nest.name for nest in corpus()}
    rounds = planned("gemm")[1]
    (step,) = counter_steps(rounds)
    kernels = step.argv[step.argv.index("--kernel-name") + 1]
    assert re.fullmatch(r"regex:\^\((\w+)(\|\w+)*\)\$", kernels)
    assert step.argv[-len(rounds[0].parts) - 5 :] == ("./measured", "results.jsonl", "1", "0", "-", *rounds[0].parts)
    assert (step.parts, step.needs, step.alone) == ((), "ncu", True)
    assert step.digest not in {one.digest for one in rounds}


def test_first_command_lines_come_first() -> None:
    lines = command_lines()
    names = [line.program for line in lines]
    first = names[: len(set(names))]
    assert len(set(first)) == len(first)
    assert all(line.estimate_s > 0 for line in lines)
