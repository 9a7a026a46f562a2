"""`make gpu-day-kit`: build all that a day with a GPU runs, so that the machine with the GPU needs a driver and Python.

    PYTHONPATH=tests .venv/bin/python -m accuracy.gpu_day.prepare --gpu h100

writes build/gpu-day: every CUDA port and program, built for the GPUs of nvcc_targets.py, the C that results are held
against, what is run in which order (kit.json), and `run`. Needs nvcc and gcc, no GPU. What was built there before of
the same sources is not built again.

With `--on-cpu tests/support/cuda_on_cpu` g++ builds the ports for the CPU: a kit that needs no GPU and has no times.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from accuracy.gpu_day.built_calibration import ON_CPU, built_calibration
from accuracy.gpu_day.built_counters import counter_steps
from accuracy.gpu_day.built_mappings import mapping_plan
from accuracy.gpu_day.built_nests import BuiltNest, built_nest, nest_plan
from accuracy.gpu_day.built_programs import built_programs
from accuracy.gpu_day.day_nests import DayNest, day_nests
from accuracy.gpu_day.mapping_nests import MappingNest, mapping_nests
from accuracy.gpu_day.nvcc_targets import RUNTIME_FOLDER, shared_runtime_flags, target_flags
from accuracy.gpu_day.subjects import subjects
from accuracy.gpu_day.there.schedule import cores
from accuracy.gpu_day.there.steps import STAGES, Kit, Step, write_kit
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import gpu_names
from warplens.server.measure.counters.collecting import ALWAYS, metric_groups
from warplens.server.measure.kernel_times.harness_run import Machine
from warplens.server.measure.kernel_times.measure_nest import Subject
from warplens.server.measure.kernel_times.toolchain import BuildError, find_tool, version_of
from warplens.server.programs.programs import ANYWHERE

KIT = Path(__file__).parents[3] / "build" / "gpu-day"
_THERE = Path(__file__).parent / "there"
_RUN = """\
#!/bin/sh
# Runs this kit on this machine's GPU: see `./run --help`.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here" exec "${PYTHON:-python3}" "$here/accuracy/gpu_day/there/run_day.py" "$@"
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the kit; 1 where something was not built."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", default="h100", choices=gpu_names(), metavar="NAME",
                        help="whose predicted launches are among those that run (default: %(default)s)")  # fmt: skip
    parser.add_argument("--kit", type=Path, default=KIT, help="(default: build/gpu-day)")
    parser.add_argument("--only", metavar="NAME,NAME", help="these nests, and nothing else but the GPU's properties")
    parser.add_argument("--on-cpu", metavar="DIR", type=Path, help="where cuda_runtime.h and control.cc are")
    options = parser.parse_args(arguments)
    only = options.only.split(",") if options.only else None
    try:
        kit, refused = _kit(options.kit.absolute(), options.gpu, only, options.on_cpu)
    except (BuildError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    write_kit(options.kit, kit)
    for line in refused:
        print(f"not in the kit: {line}")
    size_mib = sum(path.stat().st_size for path in options.kit.rglob("*") if path.is_file()) / (1 << 20)
    print(*_by_stage(kit.steps), f"{options.kit}: {size_mib:.0f} MiB", sep="\n")
    return 0


def _by_stage(steps: Sequence[Step]) -> Iterator[str]:
    for stage in STAGES:
        mine = [step for step in steps if step.stage == stage]
        parts, estimate_s = sum(len(step.parts) for step in mine), sum(step.estimate_s for step in mine)
        yield f"{stage}: {len(mine)} steps with {parts} ports, about {estimate_s:.0f} s"


def _kit(folder: Path, gpu: str, only: Sequence[str] | None, on_cpu: Path | None) -> tuple[Kit, list[str]]:
    folder.mkdir(parents=True, exist_ok=True)
    flags = (*target_flags(), *shared_runtime_flags(2))
    machine = Machine(ANYWHERE, cuda_on_cpu=on_cpu.resolve() if on_cpu else None, nvcc_flags=flags)
    with ThreadPoolExecutor(cores()) as pool:
        calibration = ON_CPU if on_cpu else built_calibration(folder)
        nests = _nests(folder, gpu, only, machine, pool)
        mapped = _mapped(folder, gpu, only, machine, pool)
        programs = built_programs(folder, pool) if only is None and on_cpu is None else ()
    steps = ordered_steps(nests, mapped, calibration.steps if only is None else (), programs)
    if only is None:
        _remove_others(folder, (*steps, calibration.identify))
    copy_runner(folder)
    if on_cpu is None:
        _copy_runtime(folder)
    refused = [*(line for nest in (*nests, *mapped) for line in nest.refused), *calibration.refused]
    return Kit(_made(gpu), calibration.identify, steps, ALWAYS, metric_groups(counter_vocabulary())), refused


def ordered_steps(
    nests: Sequence[BuiltNest], mapped: Sequence[BuiltNest], calibration: Sequence[Step], programs: Sequence[Step]
) -> tuple[Step, ...]:
    """In the order in which they run within their stages: the first command line of each program, then the mappings of
    nests at their sizes, then the nests' first round, then other command lines and rounds.
    """
    most = max((len(nest.rounds) for nest in nests), default=0)
    rounds = [[nest.rounds[k] for nest in nests if k < len(nest.rounds)] for k in range(most)]
    first = len({step.argv[0] for step in programs})
    return (
        *(nest.check for nest in (*nests, *mapped)),
        *calibration,
        *programs[:first],
        *(step for nest in mapped for step in nest.rounds),
        *(rounds[0] if rounds else ()),
        *programs[first:],
        *(step for later in rounds[1:] for step in later),
        *counter_steps(rounds[0] if rounds else ()),
    )


def _nests(
    folder: Path, gpu: str, only: Sequence[str] | None, machine: Machine, pool: ThreadPoolExecutor
) -> list[BuiltNest]:
    chosen = [nest for nest in day_nests() if only is None or nest.name in only]
    found = []
    for nest, subject in zip(chosen, _subjects(chosen, gpu, machine), strict=True):
        rounds = () if machine.cuda_on_cpu else nest.rounds
        planned = nest_plan(replace(nest, rounds=rounds), subject, machine)
        found.append(built_nest(planned, folder, machine, pool))
        print(f"{nest.name}: {len(found[-1].check.parts)} ports", flush=True)
    return found


def _mapped(
    folder: Path, gpu: str, only: Sequence[str] | None, machine: Machine, pool: ThreadPoolExecutor
) -> list[BuiltNest]:
    chosen = [nest for nest in mapping_nests() if only is None or nest.name in only]
    found = []
    for nest, subject in zip(chosen, _subjects(chosen, gpu, machine), strict=True):
        planned = mapping_plan(nest, subject, machine)
        if machine.cuda_on_cpu:
            planned = replace(planned, rounds=())
        found.append(built_nest(planned, folder, machine, pool))
        print(f"{nest.name}: {len(found[-1].check.parts)} ports of its mappings", flush=True)
    return found


def _subjects(nests: Sequence[DayNest] | Sequence[MappingNest], gpu: str, machine: Machine) -> Iterator[Subject]:
    """Each named by its nest, whatever its file is called."""
    found = subjects([nest.path for nest in nests], gpu, "g++" if machine.cuda_on_cpu else "nvcc")
    return (replace(subject, path=f"{nest.name}.c") for nest, subject in zip(nests, found, strict=True))


def _remove_others(folder: Path, steps: Sequence[Step]) -> None:
    """Delete what no step runs: builds of other sources, and what was needed to build."""
    named = {(folder / step.folder / word).resolve() for step in steps for word in (*step.argv, *step.parts)}
    for part in ("nests", "programs", "calibrate"):
        for path in sorted((folder / part).rglob("*"), reverse=True):
            if path.is_file() and path.resolve() not in named:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def copy_runner(folder: Path) -> None:
    """Put the part that runs there into a kit, under the same name, and `run`, which starts it."""
    to = folder / "accuracy" / "gpu_day" / "there"
    shutil.rmtree(folder / "accuracy", ignore_errors=True)
    shutil.copytree(_THERE, to, ignore=shutil.ignore_patterns("__pycache__"))
    run = folder / "run"
    run.write_text(_RUN, encoding="utf-8")
    run.chmod(0o755)


def _copy_runtime(folder: Path) -> None:
    """CUDA's runtime, of the nvcc that built; raises BuildError where it is not beside it."""
    nvcc = Path(find_tool(ANYWHERE, "nvcc"))
    said = subprocess.run([nvcc, "--dryrun", "-x", "cu", "/dev/null", "-o", "/dev/null"],
                          capture_output=True, text=True, check=False).stderr  # fmt: skip
    tops = [Path(line.split("TOP=", 1)[1].strip()) for line in said.splitlines() if "TOP=" in line]
    found = [each for top in tops for each in sorted((top / "lib64").glob("libcudart.so.[0-9]*"))]
    if not found:
        raise BuildError("CUDA's runtime library is not where nvcc is")
    to = folder / RUNTIME_FOLDER
    to.mkdir(exist_ok=True)
    shutil.copyfile(found[0], to / ".".join(found[0].name.split(".")[:3]))


def _made(gpu: str) -> dict[str, str]:
    root = Path(__file__).parents[3]
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=root, capture_output=True, text=True, check=False
    )
    return {
        "gpu": gpu,
        "commit": commit.stdout.strip(),
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "nvcc": version_of(find_tool(ANYWHERE, "nvcc"), root, ANYWHERE) if shutil.which("nvcc") else "",
        "gcc": version_of(find_tool(ANYWHERE, "gcc", "cc"), root, ANYWHERE),
    }


if __name__ == "__main__":
    raise SystemExit(main())
