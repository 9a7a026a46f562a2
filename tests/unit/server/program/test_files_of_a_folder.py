"""A folder's files as one program: what is wrong with one of them costs no other."""

import json
import os
import shutil
from pathlib import Path

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.program.program import Program
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.program.index_file import FileReader
from warplens.server.program.linked_programs import LinkedPrograms
from warplens.server.program.packed_file import PackedFile
from warplens.server.program.packed_program import ProgramChange
from warplens.server.program.program_jobs import IndexJob
from warplens.server.program.translation_units import translation_units
from warplens.server.settings.settings import Settings

LINKED = Path(__file__).parents[3] / "fixtures" / "linked"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(LINKED, tmp_path / "linked"))


def program_of(folder: Path) -> Program:
    """The folder's files, read and linked as the analysis processes do it."""
    reader = FileReader(lambda: False)
    settings = Settings(include_paths=(str(folder),))
    paths = translation_units(folder, trusted=True).paths
    every = [reader.read(IndexJob(path, settings, (str(folder),), trusted=True)) for path in paths]
    packed = tuple(one for one in every if isinstance(one, PackedFile))
    return LinkedPrograms().after(ProgramChange(str(folder), packed)).program


def loops_of_main(folder: Path, program: Program) -> list[tuple[str, str]]:
    """Kind and reason of each loop of `main.c`."""
    path = folder / "src" / "main.c"
    text = path.read_text(encoding="utf-8")
    flags = PreprocessorFlags(include_dirs=(str(folder),))
    preprocessed = preprocess(path, text, flags, (folder,), 20, trusted=True)
    report = analyse(
        text, preprocessed, load_gpu("a100"), load_cpu("server"), AnalysisOptions(), Memo(), program=program
    )
    facts = [nest.facts for function in report.functions for nest in function.nests]
    return [(one.verdicts[0].kind, one.verdicts[0].reason) for one in facts if one is not None]


def test_the_files_of_a_folder_see_each_other(folder: Path) -> None:
    smoothed, reported = loops_of_main(folder, program_of(folder))
    assert smoothed[0] == "parallel"
    assert reported == ("unknown", "`printf` prints or writes a file: its output would come in another order")


def test_flags_of_a_compilation_database(folder: Path) -> None:
    files = [path.relative_to(folder) for path in folder.rglob("*.c")]
    entries = [{"directory": str(folder), "file": str(file), "command": f"cc -DQUIET -I. -c {file}"} for file in files]
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
    assert [kind for kind, _ in loops_of_main(folder, program_of(folder))] == ["parallel", "parallel"]


def test_a_broken_file_costs_itself(folder: Path) -> None:
    (folder / "src" / "half.c").write_text("void half(int n) { for (int i = 0; i < n; i++) {", encoding="utf-8")
    (folder / "src" / "nothing.c").write_bytes(bytes(range(256)))
    (folder / "src" / "gone.c").symlink_to(folder / "nowhere.c")
    os.mkfifo(folder / "src" / "pipe.c")
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "twice.c").write_text("double smoothed(void) { return 1; }", encoding="utf-8")
    assert loops_of_main(folder, program_of(folder))[0][0] == "parallel"
