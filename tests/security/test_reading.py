"""Which files are read: what a C file includes and what a workspace's own files are lies where it may, or is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.fuzzing.fuzz_c import internal_errors
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.server.preprocess.confinement import Confinement
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.settings.own_profiles import own_profiles
from warplens.server.settings.settings import Settings
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob, Answer

LOOP = "void f(int n, double *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 2;\n}\n"
SECRET = 'int secret_4711;\n#define SECRET secret_4711\n#error secret_4711\n"secret_4711\n'
BOTH = pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
NO_FLAGS = PreprocessorFlags()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace, with a secret beside it."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.h").write_text(SECRET)
    return folder


def run(root: Path, text: str, *, trusted: bool, flags: PreprocessorFlags = NO_FLAGS) -> Preprocessed:
    return preprocess(root / "main.c", f"{text}\nint after;\n", flags, [root], 30, trusted=trusted)


def everything(result: Preprocessed) -> str:
    return repr((result.text, result.notes, result.macros))


INCLUDES = {
    "upwards": '#include "../secret/s.h"',
    "absolute": '#include "{secret}"',
    "absolute in angles": "#include <{secret}>",
    "upwards in angles": "#include <../../../../../../../../../../..{secret}>",
    "macro": '#define WHERE "../secret/s.h"\n#include WHERE',
    "macro in angles": "#define WHERE <{secret}>\n#include WHERE",
    "next": '#include_next "{secret}"',
    "import": '#import "{secret}"',
    "two lines": '#inc\\\nlude "../secr\\\net/s.h"',
    "digraph": '%:include "../secret/s.h"',
    "comment": '/* */ # /* */ include /* */ "../secret/s.h"',
    "embed": '#embed "{secret}"',
    "through a header": '#include "inner.h"',
    "through a header's macro": '#define WHERE "{secret}"\n#include "asked.h"',
    "link": '#include "link.h"',
    "link in a folder": '#include "linked/s.h"',
    "folder upwards in a link": '#include "linked/../secret/s.h"',
    "found in the workspace": "#include <deep_link.h>",
    "marker that lies": '# 1 "{root}/a.h" 1\n#include "../secret/s.h"',
    "header with a marker that lies": '#include "lying.h"',
}
_UNKNOWN_TO_OURS = {INCLUDES[name] for name in ("next", "import", "two lines", "digraph", "folder upwards in a link")}
"""What the preprocessor without a compiler does not follow."""


@BOTH
@pytest.mark.parametrize("include", INCLUDES.values(), ids=INCLUDES.keys())
def test_no_include_reads_a_file_outside(root: Path, tmp_path: Path, include: str, trusted: bool) -> None:
    secret = tmp_path / "secret" / "s.h"
    (root / "inner.h").write_text('int inner;\n#include "../secret/s.h"\n')
    (root / "asked.h").write_text("#include WHERE\n")
    (root / "lying.h").write_text(f'# 7 "{root}/nothing.h" 1\n#include "../secret/s.h"\n# 9 "{root}/inner.h" 2\n')
    (root / "link.h").symlink_to(secret)
    (root / "linked").symlink_to(secret.parent, target_is_directory=True)
    (root / "deep").mkdir()
    (root / "deep" / "deep_link.h").symlink_to(secret)
    text = include.replace("{secret}", str(secret)).replace("{root}", str(root))
    result = run(root, text, trusted=trusted)
    assert "secret_4711" not in everything(result)
    assert "int after;" in result.text
    if "embed" not in include and (trusted or include not in _UNKNOWN_TO_OURS):
        assert any("lies outside" in note for _, note in result.notes), result.notes


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/shadow", "/proc/self/environ", "/proc/self/maps", "/dev/zero", "/dev/stdin", "/etc"]
)
@BOTH
def test_files_of_the_system_are_not_read(root: Path, path: str, trusted: bool) -> None:
    for include in (f'#include "{path}"', f"#include <../../../../../../../../../../..{path}>"):
        result = run(root, include, trusted=trusted)
        assert "root:" not in everything(result)
        assert "PATH=" not in everything(result)
        assert "int after;" in result.text
        assert any("lies outside" in note for _, note in result.notes)
        assert all(line in {0, 1} for line, _ in result.notes)


def test_the_rest_of_a_file_with_an_include_outside_keeps_the_compiler_and_the_system_s_headers(root: Path) -> None:
    result = run(root, '#include <stdint.h>\n#include "../secret/s.h"\nuint8_t byte;', trusted=True)
    assert result.preprocessor == "cc"
    assert "uint8_t;" in result.text.replace("\n", " ")
    ((line, note),) = result.notes
    assert line == 2
    assert "`../secret/s.h`" in note
    assert "`warplens.includePaths`" in note


@BOTH
def test_what_belongs_to_the_workspace_is_read(root: Path, trusted: bool) -> None:
    for folder in ("src/deep", "include", "elsewhere"):
        (root / folder).mkdir(parents=True)
    (root / "include" / "x.h").write_text('#include "../elsewhere/y.h"\nint from_x;\n')
    (root / "elsewhere" / "y.h").write_text("int from_y;\n")
    (root / "src" / "link.h").symlink_to("../include/x.h")
    text = '#include "../include/x.h"\n#include "deep/../link.h"\n#include "./deep/../../elsewhere/y.h"\n'
    result = preprocess(root / "src" / "main.c", text, NO_FLAGS, [root], 30, trusted=trusted)
    assert result.text.count("int from_x;") == 2
    assert result.text.count("int from_y;") == 3
    assert result.notes == ()


def test_in_a_trusted_workspace_the_system_s_the_build_s_the_repository_s_and_named_folders_are_read(
    tmp_path: Path,
) -> None:
    repository = tmp_path / "repository"
    source = repository / "src"
    for folder in (source, repository / ".git", repository / "include", tmp_path / "build" / "gen", tmp_path / "named"):
        folder.mkdir(parents=True)
    (repository / "include" / "r.h").write_text("int of_repository;\n")
    (tmp_path / "build" / "gen" / "b.h").write_text("int of_build;\n")
    (tmp_path / "named" / "n.h").write_text("int of_named;\n")
    command = ["cc", "-Igen", "-include", str(tmp_path / "build" / "gen" / "b.h"), "-include", "/etc/passwd"]
    entry = {"directory": str(tmp_path / "build"), "file": str(source / "f.c"), "arguments": command}
    (source / "compile_commands.json").write_text(json.dumps([entry]))
    text = f'#include <stddef.h>\n#include "../include/r.h"\n#include "{tmp_path}/named/n.h"\n#include <b.h>\n{LOOP}'
    job = AnalysisJob(str(source / "f.c"), text, Settings(include_paths=(str(tmp_path / "named"),)), (str(source),))
    answer = analyse_document(job, Remembered())
    assert [problem.message[:13] for problem in answer.problems] == ["`/etc/passwd`"]
    assert answer.preprocessor == "cc"


def test_the_home_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / "secret.h").write_text(SECRET)
    (tmp_path / "project").mkdir()
    result = run(tmp_path / "project", '#include "../secret.h"', trusted=True)
    assert "secret_4711" not in everything(result)


def test_links_of_the_system_s_own_folders_are_followed_and_ways_out_of_them_are_not(
    root: Path, tmp_path: Path
) -> None:
    system = tmp_path / "usr"
    system.mkdir()
    (system / "mpi").symlink_to(tmp_path / "secret", target_is_directory=True)
    confinement = Confinement((root,), (system,))
    assert confinement.allows(system / "mpi" / "s.h")
    assert not confinement.allows(system / "mpi" / ".." / "secret" / "s.h")
    assert not confinement.allows(f"{system}/../secret/s.h")


def test_without_trust_not_even_the_presence_of_a_file_outside_can_be_told(root: Path, tmp_path: Path) -> None:
    text = f'#if __has_include("{tmp_path}/secret/s.h")\nint there;\n#else\nint unknown;\n#endif'
    assert "int unknown;" in run(root, text, trusted=False).text


def test_without_trust_the_database_s_and_the_folder_s_paths_lead_nowhere_outside(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    (secret / "gpu.toml").write_text('extends = "a100"\nid = "secret_4711"\n')
    entry = {
        "directory": str(secret),
        "file": str(root / "f.c"),
        "command": f"cc -I. -isystem {secret} -include s.h f.c",
    }
    (root / "compile_commands.json").write_text(json.dumps([entry]))
    (root / ".warplens.toml").write_text(
        f'gpu = "{secret}/gpu.toml"\ncpu = "../secret/cpu.toml"\ninclude_paths = ["../secret"]'
    )
    settings = Settings(gpu=f"{secret}/gpu.toml", include_paths=(str(secret),))
    text = f"#include <s.h>\n{LOOP}"
    answer = analyse_document(AnalysisJob(str(root / "f.c"), text, settings, (str(root),), False), Remembered())
    assert "secret_4711" not in repr(answer)
    assert answer.gpu == "a100"
    said = " ".join(problem.message for problem in (*answer.problems, *answer.config_problems))
    assert "`s.h` lies outside of the workspace, which is not trusted" in said
    assert f"`{secret}/gpu.toml` lies outside of the workspace" in said
    assert [len(function.nests) for function in answer.functions] == [1]


def test_without_trust_a_database_that_is_a_link_out_is_not_read(root: Path, tmp_path: Path) -> None:
    entry = {"directory": str(root), "file": "f.c", "command": "cc -DFOUND f.c"}
    (tmp_path / "secret" / "db.json").write_text(json.dumps([entry]))
    (root / "compile_commands.json").symlink_to(tmp_path / "secret" / "db.json")
    from warplens.server.preprocess.compile_commands import flags_for_file

    assert flags_for_file(root / "f.c", [root], trusted=True).defines == ("FOUND",)
    assert flags_for_file(root / "f.c", [root], trusted=False) == NO_FLAGS


OWN_FILES = (
    ".warplens.toml",
    ".warplens/profile.json",
    ".warplens/measured.json",
    "compile_commands.json",
    "gpu.toml",
    "h.h",
)


def as_pipe(path: Path) -> None:
    os.mkfifo(path)


def as_endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def as_huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def as_folder(path: Path) -> None:
    path.mkdir()


def as_circle(path: Path) -> None:
    path.symlink_to(path.name)


def as_nothing(path: Path) -> None:
    path.symlink_to("nowhere")


def as_garbage(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 50)


def as_deep(path: Path) -> None:
    path.write_text("[" * 10_000)


@BOTH
@pytest.mark.parametrize("name", OWN_FILES)
@pytest.mark.parametrize(
    "make",
    [as_pipe, as_endless, as_huge, as_folder, as_circle, as_nothing, as_garbage, as_deep],
    ids=lambda make: make.__name__,
)
def test_a_file_that_is_none_or_has_no_end_costs_no_more_than_itself(
    root: Path, name: str, make, trusted: bool
) -> None:
    """It ends, which the test's own time limit sees, and the loop is analysed."""
    path = root / name
    path.parent.mkdir(exist_ok=True)
    make(path)
    if name == "gpu.toml":
        (root / ".warplens.toml").write_text('gpu = "gpu.toml"\n')
    text = f'#include "h.h"\n{LOOP}' if name == "h.h" else LOOP
    answer = analyse(root, text, trusted=trusted)
    assert list(internal_errors(answer, text)) == []
    assert [len(function.nests) for function in answer.functions] == [1]


def run_command(here: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """A command with what is left of its time: one that waits for a pipe, or reads without end, fails the test."""
    program = "import sys; from warplens.server.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-P", "-c", program, *arguments]
    environment = {**os.environ, "WARPLENS_CACHE": ""}
    return subprocess.run(command, cwd=here, env=environment, input=text, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("make", [as_pipe, as_endless, as_huge, as_circle], ids=lambda make: make.__name__)
def test_no_command_waits_for_or_reads_what_is_no_file(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """In one process: each says which file it was, and goes on."""
    make(tmp_path / "a.c")
    make(tmp_path / "a.gcov.json")
    make(tmp_path / "a.csv")
    make(tmp_path / "a.counters")
    make(tmp_path / "gpu.toml")
    make(tmp_path / "raw.jsonl")
    commands = (
        ("check", "."), ("report", "a.c", "-o", "page.html"), ("port", "a.c:1"), ("search", "a.c:1"),
        ("what-if", "a.c:1"), ("compare", "a.c:1"), ("profile", "import", "."), ("counters", "fit", "a.csv"),
        ("counters", "report", "a.counters"), ("calibrate", "gpu", "--from-raw", "raw.jsonl"),
    )  # fmt: skip
    program = (
        "import sys\nfrom warplens.server.cli.main import main\n"
        f"for command in {commands!r}:\n    print(main(command), file=sys.stderr)\n"
    )
    run = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    codes = [line for line in run.stderr.splitlines() if line.isdecimal()]
    assert len(codes) == len(commands), run.stderr
    assert set(codes) <= {"1", "2"}, run.stderr
    assert "Traceback" not in run.stderr
    for name in ("a.c", "a.gcov.json", "a.csv", "a.counters", "raw.jsonl"):
        assert f"{name}:" in run.stderr


@pytest.mark.parametrize("name", ["/dev/zero", "../secret.c", "pipe.c", "link.c", "/etc/passwd", "a/../../secret.c"])
def test_a_profile_names_no_file_outside_of_its_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    (folder / ".warplens").mkdir(parents=True)
    (tmp_path / "secret.c").write_text(f"{SECRET}\nvoid f(int n) {{ for (int i = 0; i < n; i++) secret_4711(i); }}\n")
    os.mkfifo(folder / "pipe.c")
    (folder / "link.c").symlink_to(tmp_path / "secret.c")
    entry = {"digest": "x", "imported": "2026-01-01", "runs": 1, "functions": [], "lines": {"1": [5], "2": [5, 5]}}
    document = {"version": 1, "elsewhere_line_executions": 0, "files": {name: entry}}
    (folder / ".warplens" / "profile.json").write_text(json.dumps(document))
    run = run_command(folder, "profile", "show")
    assert run.returncode == 0
    assert "secret_4711" not in run.stdout + run.stderr
    why = "not a regular file" if name == "pipe.c" else "it lies outside of the profile's folder"
    assert f"{name}: {why}" in run.stdout


@pytest.mark.parametrize("named", ["/dev/zero", "pipe.c", "../secret.c"])
def test_counts_name_no_file_that_is_none(tmp_path: Path, named: str) -> None:
    """gcov's file is the workspace's, and says of which sources it has counts."""
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(folder / "pipe.c")
    line = {"line_number": 1, "count": 5, "branches": [{"count": 5}]}
    document = {"format_version": "1", "files": [{"file": named, "functions": [], "lines": [line]}]}
    (folder / "a.gcov.json").write_text(json.dumps(document))
    run = run_command(folder, "profile", "import", ".")
    assert run.returncode == 1
    assert ("not a regular file" if named == "pipe.c" else "none of the counted files lies in") in run.stderr
    assert not (folder / ".warplens").exists()


def test_a_folder_of_profiles_that_is_a_link_out_has_none(tmp_path: Path) -> None:
    (tmp_path / "secret" / "profiles").mkdir(parents=True)
    (tmp_path / "secret" / "profiles" / "mine.toml").write_text('extends = "a100"\nid = "mine"\n')
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / ".warplens").symlink_to(tmp_path / "secret", target_is_directory=True)
    assert own_profiles([tmp_path / "root"]) == {}


@pytest.mark.parametrize("name", [".warplens.toml", ".warplens/profile.json", ".warplens/measured.json"])
def test_a_link_of_the_workspace_s_own_files_that_leads_out_is_not_read_and_said(
    root: Path, tmp_path: Path, name: str
) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).symlink_to(tmp_path / "secret" / "s.h")
    answer = analyse(root, LOOP, trusted=True)
    ((problem),) = answer.config_problems
    assert problem.path == str(root / name)
    assert "a symbolic link that leads out of" in problem.message
    assert "secret_4711" not in problem.message


def test_a_folder_of_our_files_that_is_a_link_out_is_not_read(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret" / "profile.json").write_text("{}")
    (root / ".warplens").symlink_to(tmp_path / "secret", target_is_directory=True)
    assert "a symbolic link that leads out of" in analyse(root, LOOP, trusted=True).config_problems[0].message


def test_a_buffer_without_a_file_reads_nothing_beside_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".warplens.toml").write_text("default_size = 4711\n")
    (tmp_path / "s.h").write_text(SECRET)
    monkeypatch.chdir(tmp_path)
    for name in ("untitled:Untitled-1", "http://host/f.c", "vscode-remote://host/f.c", ""):
        job = AnalysisJob(name, f'#include "s.h"\n{LOOP}', Settings(), ())
        answer = analyse_document(job, Remembered())
        assert "4711" not in repr(answer), name
        assert [len(function.nests) for function in answer.functions] == [1]


def analyse(root: Path, text: str, *, trusted: bool) -> Answer:
    job = AnalysisJob(str(root / "main.c"), text, Settings(), (str(root),), trusted)
    return analyse_document(job, Remembered())
