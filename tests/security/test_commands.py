"""Nothing that a workspace brings is run, and the compiler is given only the flags that its preprocessor needs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.wire import Wire
from warplens.server.preprocess.compile_commands import flags_for_file
from warplens.server.preprocess.preprocess import preprocess

pytestmark = pytest.mark.cold_start
"""What is not run, or not loaded, is seen in a process that starts as the user's does."""

LOOP = "void f(int n, double *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 2;\n}\n"
PROJECT = Path(__file__).parents[2]
PACKAGE = PROJECT / "vscode-client" / "package.json"
EVIL_WORDS = [
    "-fplugin=evil.so", "-B.", "-specs=evil.specs", "-wrapper", "./evil", "--sysroot=.", "-imacros", "/etc/passwd",
    "@response", "-Xclang", "-load", "-o", "written.i", "-MD", "-MF", "written.d", "-dumpdir", "x", "-save-temps",
    "-Wp,-MD,x",
    "-no-integrated-cpp", "-iplugindir=.", "-I@response", "-DN=4 -fplugin=evil.so", "-U", "-fplugin=evil.so",
    "-isystem",
    "@response", "-include", "@response", "-D", "@response", "-std=c99 -fplugin=evil.so", "-idirafter",
    "-fplugin=evil.so",
]  # fmt: skip
ALLOWED = re.compile(
    r"-E|-dD|-v|-x|c|-std=(c|gnu)\d\d|-fopenmp|-w|-|-(iquote|I|D|U).+|-isystem|-include|-idirafter|/.*", re.DOTALL
)


def marker_script(marker: Path) -> str:
    return f"#!/bin/sh\necho \"$0 $@\" >> '{marker}'\n"


def evil_workspace(folder: Path, marker: Path) -> None:
    """Everything that a program could be led to run or import by lying in its folder."""
    folder.mkdir()
    for name in ("cc", "gcc", "clang", "cc1", "python", "python3", "warplens", "nvcc", "git"):
        (folder / name).write_text(marker_script(marker))
        (folder / name).chmod(0o755)
    module = f"open({str(marker)!r}, 'a').write(__file__)\n"
    for name in (
        "sitecustomize",
        "usercustomize",
        "logging",
        "json",
        "asyncio",
        "pygls",
        "resource",
        "conftest",
        "setup",
    ):
        (folder / f"{name}.py").write_text(module)
    (folder / "warplens").unlink()
    for package in ("warplens", "server", "analysis", "hwprofiles"):
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(module)
    (folder / "evil.pth").write_text(f"import os; {module}")
    (folder / "evil.specs").write_text("*cpp:\n%(trad_capable_cpp)\n")
    (folder / "response").write_text("-fplugin=evil.so")
    (folder / "pyproject.toml").write_text("[tool.warplens]\nserver = './cc'\n")
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "settings.json").write_text('{"warplens.server.path": "./cc", "warplens.server.args": ["x"]}')
    (folder / ".warplens.toml").write_text(
        'compiler = "./cc"\ninclude_paths = ["-fplugin=evil.so"]\ndefines = ["-fplugin=x"]\n'
    )
    command = f"{folder}/cc {' '.join(EVIL_WORDS)} f.c"
    entry = {"directory": str(folder), "file": "f.c", "command": command, "arguments": [f"{folder}/cc", *EVIL_WORDS]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
def test_nothing_that_lies_in_the_workspace_is_run(tmp_path: Path, trusted: bool) -> None:
    marker, folder = tmp_path / "ran", tmp_path / "workspace"
    evil_workspace(folder, marker)
    path = os.pathsep.join((".", "", str(folder), os.environ["PATH"]))
    with Wire(folder, environment={"PATH": path}) as wire:
        wire.initialize(trusted=trusted)
        uri = wire.open("f.c", LOOP)
        wire.diagnostics(uri)
        assert len(wire.lenses(uri)) == 1
        assert wire.hover(uri, 1, 3)
        wire.request("warplens/status", {})
        assert wire.shut_down() == 0
    assert not marker.exists(), marker.read_text()
    assert list(folder.glob("written.*")) == []


def test_nothing_is_run_of_a_workspace_that_is_opened_through_a_link(tmp_path: Path) -> None:
    """PATH has the real path of a folder in it, and one that a link outside leads to."""
    marker, folder = tmp_path / "ran", tmp_path / "workspace"
    evil_workspace(folder, marker)
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    (tmp_path / "tools").symlink_to(folder, target_is_directory=True)
    path = os.pathsep.join((str(folder), str(tmp_path / "tools"), os.environ["PATH"]))
    with Wire(tmp_path / "link", environment={"PATH": path}) as wire:
        wire.initialize()
        uri = wire.open("f.c", "#include <stddef.h>\n" + LOOP)
        wire.diagnostics(uri)
        assert len(wire.lenses(uri)) == 1
    assert not marker.exists(), marker.read_text()


COMMANDS = (
    ("check", "f.c"),
    ("doctor",),
    ("measure", "f.c:2"),
    ("measure", "f.c:2", "--on-cpu", "."),
    ("calibrate", "cpu", "--quick"),
    ("calibrate", "gpu"),
    ("counters", "collect", "-D", "n=1,2", "--", "/bin/true", "{n}"),
)
TOOLS = (
    "cc",
    "gcc",
    "g++",
    "clang",
    "nvcc",
    "ncu",
    "as",
    "ld",
    "env",
    "cuobjdump",
    "nvdisasm",
    "uname",
    "gcov",
    "perf",
)


def project_with_tools(folder: Path, marker: Path) -> Path:
    """A folder in a project that has every tool in `bin` and beside its sources; what stands where one works."""
    (folder / "bin").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / ".git").mkdir()
    for place in (folder, folder / "bin", folder / "src"):
        for name in TOOLS:
            (place / name).write_text(marker_script(marker))
            (place / name).chmod(0o755)
    (folder / "src" / "f.c").write_text(LOOP)
    (folder / "src" / "cuda_runtime.h").touch()
    (folder / "src" / "control.cc").touch()
    return folder / "src"


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_command_in_a_sub_folder_runs_what_its_project_brings_along(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """With no other tool on PATH, so that whatever is found is the project's."""
    marker, project = tmp_path / "ran", tmp_path / "project"
    here = project_with_tools(project, marker)
    (tmp_path / "tools").symlink_to(project / "bin", target_is_directory=True)
    folders = [tmp_path / "tools", project, project / "bin", here, Path("bin"), Path("..")]
    run_command(here, arguments, os.pathsep.join(map(str, folders)))
    assert not marker.exists(), marker.read_text()


def test_libraries_that_learn_and_draw_run_nothing_of_the_workspace(tmp_path: Path) -> None:
    """They look for fonts, TeX and processors with programs on PATH, and for settings in the folder they stand in."""
    marker, here = tmp_path / "ran", tmp_path / "project"
    here.mkdir()
    (here / ".git").mkdir()
    for name in ("fc-list", "latex", "dvipng", "kpsewhich", "lscpu", "uname", "gs", "inkscape"):
        (here / name).write_text(marker_script(marker))
        (here / name).chmod(0o755)
    settings = ("text.usetex: True", "text.latex.preamble: \\input{/etc/hostname}", "backend: module://evil")
    (here / "matplotlibrc").write_text("\n".join((*settings, "font.size: 77")))
    (here / "evil.py").write_text(f"open({str(marker)!r}, 'a').write('module')\n")
    rows = "".join(f"mm,K,{n},{n**3 * 1e-9},{n**3}\n" for n in range(64, 1064, 40))
    (here / "runs.csv").write_text(f"kernel,gpu,n,time_s,inst_executed\n{rows}")
    path = os.pathsep.join((str(here), os.environ["PATH"]))
    environment = {"MPLCONFIGDIR": str(tmp_path / "config")}
    fitted = run_command(here, ("counters", "fit", "runs.csv", "-o", "runs.counters"), path, environment)
    assert fitted.returncode == 0, fitted.stderr
    drawn = run_command(here, ("counters", "report", "runs.counters", "--html", "page.html"), path, environment)
    assert drawn.returncode == 0, drawn.stderr
    assert not marker.exists(), marker.read_text()
    page = (here / "page.html").read_text()
    (here / "matplotlibrc").unlink()
    drawn = run_command(here, ("counters", "report", "runs.counters", "--html", "page.html"), path, environment)
    assert drawn.returncode == 0
    assert (here / "page.html").read_text() == page


def run_command(
    here: Path, arguments: tuple[str, ...], path: str, more: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    program = "import sys; from warplens.server.cli.main import main; sys.exit(main(sys.argv[1:]))"
    environment = {**os.environ, "PATH": path, "WARPLENS_CACHE": "", **(more or {})}
    command = [sys.executable, "-P", "-c", program, *arguments]
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)


def test_what_is_on_path_and_not_run_is_said(tmp_path: Path) -> None:
    here = project_with_tools(tmp_path / "project", tmp_path / "ran")
    path = str(tmp_path / "project" / "bin")
    assert (
        f"{path}/gcc is gcc on PATH, and lies in the workspace" in run_command(here, ("measure", "f.c:2"), path).stderr
    )
    assert f"{path}/ncu is ncu on PATH, and lies in" in run_command(here, COMMANDS[-1], path).stderr
    assert f"{path}/cc lies in the workspace" in run_command(here, ("doctor",), path).stdout


def recording_compiler(folder: Path, record: Path) -> None:
    """A compiler, outside of the workspace, that notes its arguments and then does its work."""
    real = shutil.which("cc") or "cc"
    folder.mkdir()
    compiler = folder / "cc"
    lines = (
        f"#!{sys.executable} -S",
        "import os, sys",
        f"with open({str(record)!r}, 'a') as record:",
        "    record.write(repr(sys.argv[1:]) + '\\n')",
        f"os.execv({real!r}, [{real!r}, *sys.argv[1:]])",
    )
    compiler.write_text("\n".join(lines))
    compiler.chmod(0o755)


@pytest.mark.parametrize("form", ["command", "arguments"])
def test_of_a_compilation_database_only_flags_of_the_preprocessor_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    workspace, record = tmp_path / "workspace", tmp_path / "record"
    workspace.mkdir()
    recording_compiler(tmp_path / "bin", record)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path / "bin"), os.environ["PATH"])))
    words = ["./evil", "-DGOOD=1", *EVIL_WORDS]
    value = words if form == "arguments" else " ".join(f"'{word}'" for word in words)
    entry = {"directory": str(workspace), "file": "f.c", form: value}
    (workspace / "compile_commands.json").write_text(json.dumps([entry]))
    path = workspace / "f.c"
    flags = flags_for_file(path, [workspace], trusted=True)
    assert "GOOD=1" in flags.defines
    result = preprocess(path, f"int good = GOOD;\n{LOOP}", flags, [workspace], 30, trusted=True)
    assert "int good = 1;" in result.text
    runs = [eval(line) for line in record.read_text().splitlines()]
    assert runs
    for run in runs:
        assert [word for word in run if not ALLOWED.fullmatch(word)] == []
        assert not [word for word in run if word.startswith("@")]
        for at, word in enumerate(run):
            if word in {"-isystem", "-include", "-idirafter"}:
                assert run[at + 1].startswith("/")  # an option can't stand where a folder does
    assert [path.name for path in workspace.iterdir()] == ["compile_commands.json"]


def test_without_trust_no_compiler_is_run_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, record = tmp_path / "workspace", tmp_path / "record"
    workspace.mkdir()
    recording_compiler(tmp_path / "bin", record)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with Wire(workspace) as wire:
        wire.initialize(trusted=False)
        uri = wire.open("f.c", "#include <stdio.h>\n" + LOOP)
        wire.diagnostics(uri)
        assert len(wire.lenses(uri)) == 1
    assert not record.exists()


def test_the_environment_leads_the_compiler_to_no_other_program_or_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "ran"
    for name in ("cc1", "as"):
        (tmp_path / name).write_text(marker_script(marker))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("COMPILER_PATH", str(tmp_path))
    monkeypatch.setenv("GCC_EXEC_PREFIX", f"{tmp_path}/")
    monkeypatch.setenv("DEPENDENCIES_OUTPUT", str(tmp_path / "dependencies"))
    monkeypatch.setenv("SUNPRO_DEPENDENCIES", str(tmp_path / "dependencies"))
    from warplens.server.preprocess.flags import PreprocessorFlags

    root = tmp_path / "workspace"
    root.mkdir()
    result = preprocess(root / "f.c", "int plain;\n", PreprocessorFlags(), [root], 30, trusted=True)
    assert "int plain;" in result.text
    assert result.preprocessor == "cc"
    assert not marker.exists()
    assert not (tmp_path / "dependencies").exists()


def test_the_server_has_no_code_that_builds_or_runs_the_user_s_program() -> None:
    folders = ("handlers", "features", "worker", "what_if", "report_page")  # what they load, they may load late
    files = [file for folder in folders for file in (PROJECT / "server" / folder).glob("[a-z]*.py")]
    loaded = [f"warplens.server.{file.parent.name}.{file.stem}" for file in files]
    program = (
        f"import sys, warplens.server.session.language_server, {', '.join(loaded)}\n"
        "print([name for name in sys.modules if name.endswith(('toolchain', 'harness_run', 'measure_nest'))])"
    )
    run = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_settings_that_name_a_program_or_a_folder_are_not_the_untrusted_workspace_s() -> None:
    package = json.loads(PACKAGE.read_text())
    untrusted = package["capabilities"]["untrustedWorkspaces"]
    assert untrusted["supported"] == "limited"
    settings = package["contributes"]["configuration"]["properties"]
    naming = {name for name in settings if re.search(r"path|args|command|folder|file", name, re.IGNORECASE)}
    assert naming
    assert naming <= set(untrusted["restrictedConfigurations"])
    machine_scoped = {"machine", "machine-overridable"}
    assert settings["warplens.server.path"]["scope"] in machine_scoped
    assert settings["warplens.server.args"]["scope"] in machine_scoped
