"""Programs are started, files read and written in one way each: whoever goes around it is found here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "server"

STARTING = {"subprocess", "Popen", "which", "create_subprocess_exec", "create_subprocess_shell", "system", "popen"}
STARTERS = {
    "preprocess/compiler.py": "the preprocessor, which programs.py found",
    "measure/kernel_times/toolchain.py": "the tools of the command line, which programs.py found",
    "worker/early_process.py": "the analysis process",
    "worker/early_start.py": "the analysis process, by Python's own path",
    "worker/process.py": "the analysis process",
    "doctor/environment.py": "looks where `warplens` is, and does not run it",
}

READING = {"read_text", "read_bytes", "open", "fdopen"}
READERS = {
    "files/whole_file.py": "writes",
    "files/folder_lock.py": "opens a folder",
    "cli/streams.py": "opens the null device",
    "cli/completion.py": "the installation",
    "worker/child.py": "a pipe",
    "measure/calibration/cpu_machine.py": "/sys and /proc",
    "preprocess/compiler.py": "/proc",
    "render/glossary.py": "the installation",
    "report_page/page.py": "the installation",
    "result_cache/code_version.py": "the installation",
    "measure/calibration/gpu_program.py": "the installation",
    "measure/kernel_times/harness_run.py": "its own build folder",
    "measure/kernel_times/build_folder.py": "its own build folder",
    "measure/counters/model_file.py": "an entry of an archive in memory",
    "measure/loop_counts/gcov_json.py": "unpacks what open_regular opened",
}

WRITING = {"write_text", "write_bytes", "mkstemp", "copytree", "mkdir", "rename", "copy", "copyfile"}
WRITERS = {
    "files/whole_file.py": "the one place",
    "files/atomic_file.py": "the one place, folders",
    "preprocess/preprocess.py": "stubs of headers, in a temporary folder",
    "result_cache/folder.py": "the user's cache folder",
    "cli/calibrate_cpu.py": "a temporary folder",
    "cli/calibrate_gpu.py": "a temporary folder",
    "measure/calibration/gpu_update.py": "a temporary folder",
    "measure/calibration/cpu_program.py": "a build folder",
    "measure/calibration/gpu_program.py": "a build folder",
    "measure/kernel_times/harness_run.py": "a build folder",
}


def names_called(file: Path) -> Iterator[str]:
    """The last part of what is called, or imported, in a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func).rpartition(".")[2]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize(
    ("names", "allowed"), [(STARTING, STARTERS), (READING, READERS), (WRITING, WRITERS)], ids=["start", "read", "write"]
)
def test_only_these_files_do_it_themselves(names: set[str], allowed: dict[str, str]) -> None:
    found = {
        file.relative_to(SERVER).as_posix() for file in SERVER.rglob("*.py") if not names.isdisjoint(names_called(file))
    }
    assert found == allowed.keys()
