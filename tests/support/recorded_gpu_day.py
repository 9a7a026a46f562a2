"""A kit of a day with a GPU whose programs write what was recorded of them.

It is the real one, of a few nests. SYNTHETIC: the lines have the format that the programs write, their numbers are made
up, none was measured on a GPU.
"""

from __future__ import annotations

import sys
from pathlib import Path

from accuracy.gpu_day.built_calibration import FOLDER, calibration_steps
from accuracy.gpu_day.built_mappings import mapping_plan
from accuracy.gpu_day.built_nests import BuiltNest, nest_plan
from accuracy.gpu_day.built_programs import command_lines, program_steps
from accuracy.gpu_day.day_nests import day_nests
from accuracy.gpu_day.mapping_nests import mapping_nests
from accuracy.gpu_day.prepare import copy_runner, ordered_steps
from accuracy.gpu_day.subjects import subjects
from accuracy.gpu_day.there.steps import Kit, Step, write_kit
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.server.measure.counters.collecting import ALWAYS, metric_groups
from warplens.server.measure.kernel_times.harness_run import Machine
from warplens.server.programs.programs import ANYWHERE

H100 = "NVIDIA H100 80GB HBM3"
NESTS = ("triad", "gemm", "row_sums")
IN_MAPPINGS = "layer_norm"
TESTS = Path(__file__).parents[1]
FIXTURES = TESTS / "fixtures" / "counters"
DEVICE = {
    "name": H100, "compute_capability": "9.0", "multiprocessors": 132, "driver": 13000, "runtime": 13000,
    "clock_khz": 1980000, "memory_clock_khz": 2619000, "l2_bytes": 52428800,
}  # fmt: skip
WRONG_IN = "gemm"
"""The last port of its check is recorded as wrong."""

MEASURED = """\
#!{python} -S
import json, os, sys
ports = sys.argv[5:]
wrong = "{wrong}" in os.getcwd() and int(sys.argv[2]) == 1
with open(sys.argv[1], "w") as out:
    out.write(json.dumps({{"reference_s": 0.25}}) + "\\n")
    for number, port in enumerate(ports):
        check = {{"largest_allowed": 1e-6, "compared": 100, "differing": 0, "largest_relative_error": 1e-8}}
        if wrong and number == len(ports) - 1:
            check |= {{"differing": 7, "array": "c", "element": 3, "expected": "1", "found": "0"}}
        runs = [[(number + 1) * 1e-3 + k * 1e-6, 0.01, 0.005, 1] for k in range(int(sys.argv[2]))]
        out.write(json.dumps({{"device": {device}, "runs": runs, "check": check}}) + "\\n")
"""
PROGRAM = """\
#!{python} -S
import json, sys
name = "{name}"
sizes = dict(word.split("=") for word in sys.argv[1:])
line = {{"program": name, "sizes": {{key: int(value) for key, value in sizes.items()}}, "data_bytes": 2000000000}}
check = {{"compared": 10, "differing": 0, "largest_relative_error": 0, "difference": ""}}
print(json.dumps(line | {{"variant": "a thread per row", "times_s": [0.001, 0.002, 0.003], "check": check}}))
if name == "matrix_vector":
    print(json.dumps(line | {{"variant": "by a library", "missing": "libcublas.so.13 is on no search path"}}))
print(json.dumps({{"program": name, "done": True}}))
"""


NCU = """\
#!/bin/sh
[ "$1" != --query-metrics ] || {{ echo 'dram__bytes_read   Counter'; exit 0; }}
while [ "$1" != --log-file ]; do [ "$1" != --metrics ] || metrics=$2; shift; done
cp "{recorded}" "$2"
echo "$metrics" > asked_for
"""


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def recorded_calibration(folder: Path) -> str:
    """The stand-in of `calibrate gpu`'s program, which says that it is an H100; the file's name."""
    folder.mkdir(parents=True)
    source = (TESTS / "unit" / "calibration" / "synthetic_gpu.py").read_text()
    source = source.replace("Synthetic <b>GPU</b> & Söhne", H100).replace(
        '"compute_capability", "8.0"', '"compute_capability", "9.0"'
    )
    source = source.replace('"sm_count": 96', '"sm_count": 132').replace('"memory_size": 32e9', '"memory_size": 85.0e9')
    (folder / "synthetic_gpu.py").write_text(source)
    script(folder / "calibrate_gpu", f'#!/bin/sh\nexec "{sys.executable}" -S ./synthetic_gpu.py "$@"\n')
    return "calibrate_gpu"


def recorded_kit(kit: Path) -> tuple[Step, ...]:
    """The kit of a few nests with programs that write what was recorded."""
    nests = [nest for nest in day_nests() if nest.name in NESTS]
    (in_mappings,) = [nest for nest in mapping_nests() if nest.name == IN_MAPPINGS]
    *found, last = subjects([nest.path for nest in (*nests, in_mappings)], "h100", "gcc")
    plans = [nest_plan(nest, subject, Machine(ANYWHERE)) for nest, subject in zip(nests, found, strict=True)]
    plans.append(mapping_plan(in_mappings, last, Machine(ANYWHERE)))
    built = []
    for planned in plans:
        steps = [step for _, step in (planned.check, *planned.rounds)]
        for step in steps:
            script(
                kit / step.folder / "measured", MEASURED.format(python=sys.executable, wrong=WRONG_IN, device=DEVICE)
            )
        built.append(BuiltNest(steps[0], tuple(steps[1:]), ()))
    calibration = calibration_steps(recorded_calibration(kit / FOLDER), "digest")
    programs = tuple(program_steps("digest"))
    for name in {line.program for line in command_lines()}:
        script(kit / "programs" / f"{name}_digest", PROGRAM.format(python=sys.executable, name=name))
    identify = next(step for step in calibration if step.about["quantity"] == "device.properties")
    steps = ordered_steps(built[:-1], built[-1:], calibration, programs)
    copy_runner(kit)
    write_kit(kit, Kit({"gpu": "h100"}, identify, steps, ALWAYS, metric_groups(counter_vocabulary())))
    return steps
