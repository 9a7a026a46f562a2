"""Preprocessing of a buffer: missing includes, limits, no compiler, no trust."""

import os
from pathlib import Path

import pytest
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.server.preprocess.compiler import find_compiler, run_compiler
from warplens.server.preprocess.confinement import Confinement
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import ConfinedReader, preprocess
from warplens.server.programs.programs import ANYWHERE, Programs

NO_FLAGS = PreprocessorFlags()


def run(root: Path, text: str, flags: PreprocessorFlags = NO_FLAGS, *, trusted: bool = True) -> Preprocessed:
    return preprocess(root / "main.c", text, flags, [root], 30, trusted=trusted)


def test_the_buffer_counts_not_the_file(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("int on_disk;\n")
    result = run(tmp_path, "#define N 4\nint in_buffer[N];\n")
    assert "int in_buffer[4];" in result.text
    assert "on_disk" not in result.text
    assert result.main_path == str(tmp_path / "main.c")


def test_headers_beside_the_file_and_in_the_workspace_are_found(tmp_path: Path) -> None:
    (tmp_path / "deep" / "include").mkdir(parents=True)
    (tmp_path / "near.h").write_text("int near_h;\n")
    (tmp_path / "deep" / "include" / "far.h").write_text("int far_h;\n")
    result = run(tmp_path, '#include "near.h"\n#include <far.h>\n')
    assert "int near_h;" in result.text
    assert "int far_h;" in result.text
    assert result.notes == ()


def test_a_missing_include_is_noted_at_its_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    result = run(tmp_path, '\n#include "no/where.h"\n#include <nor_here.h>\nint after;\n')
    assert "int after;" in result.text
    assert [line for line, _ in result.notes] == [2, 3]
    assert "no/where.h" in result.notes[0][1]


def test_a_missing_include_of_a_header_is_noted_where_the_header_is_included(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('\n\n#include "gone.h"\n')
    result = run(tmp_path, 'int x;\n#include "a.h"\nint after;\n')
    assert [line for line, _ in result.notes] == [2]
    assert "int after;" in result.text


def test_an_error_directive_is_noted(tmp_path: Path) -> None:
    result = run(tmp_path, 'int x;\n#error "set N"\nint after;\n')
    assert result.notes[0][0] == 2
    assert "set N" in result.notes[0][1]
    assert "int after;" in result.text


def test_a_header_that_includes_itself_is_noted_where_it_is_included(tmp_path: Path) -> None:
    (tmp_path / "self.h").write_text('#include "self.h"\nint q;\n')
    result = run(tmp_path, '\n#include "self.h"\nint a;\n')
    ((line, note),) = result.notes
    assert line == 2
    assert "nested" in note or "without end" in note
    assert "int a;" in result.text


def test_a_cycle_of_symbolic_links_ends(tmp_path: Path) -> None:
    (tmp_path / "a.h").symlink_to("b.h")
    (tmp_path / "b.h").symlink_to("a.h")
    (tmp_path / "self").symlink_to(".", target_is_directory=True)
    result = run(tmp_path, '#include "a.h"\n#include "self/self/gone.h"\nint after;\n')
    assert "int after;" in result.text
    assert result.notes


def test_includes_that_explode_end_by_the_limit(tmp_path: Path) -> None:
    (tmp_path / "bomb.h").write_text('int x;\n#include "bomb.h"\n#include "bomb.h"\n')
    result = preprocess(tmp_path / "main.c", '#include "bomb.h"\nint after;\n', PreprocessorFlags(), [tmp_path], 0.5,
                        trusted=True)  # fmt: skip
    assert any("ended" in message for _, message in result.notes)
    assert [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path).encode() in _read(path)] == []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # the process has ended meanwhile


def test_nul_bytes_do_not_move_anything(tmp_path: Path) -> None:
    assert "int a ;" in " ".join(run(tmp_path, "int a\0;\n").text.split())


def test_flags_reach_the_compiler(tmp_path: Path) -> None:
    flags = PreprocessorFlags(defines=("N=7",), undefines=("__linux__",))
    text = run(tmp_path, "int a[N];\n#ifdef __linux__\nint linux_only;\n#endif\n", flags).text
    assert "int a[7];" in text
    assert "linux_only" not in text


def test_without_trust_no_compiler_runs_and_nothing_outside_is_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.h").write_text("int outside;\n")
    (root / "inside.h").write_text("int inside;\n")
    result = run(root, '#include "inside.h"\n#include "../outside.h"\nint after;\n', trusted=False)
    assert "inside" in result.text
    assert "int outside" not in result.text
    assert "after" in result.text
    assert result.preprocessor not in {"cc", "gcc", "clang"}


def test_without_trust_headers_of_the_workspace_are_found(tmp_path: Path) -> None:
    (tmp_path / "deep" / "include").mkdir(parents=True)
    (tmp_path / "deep" / "include" / "far.h").write_text('#include "farther.h"\nint far_h;\n')
    (tmp_path / "deep" / "include" / "farther.h").write_text("int farther_h;\n")
    result = run(tmp_path, "#include <far.h>\n#include <nowhere.h>\nint after;\n", trusted=False)
    assert all(f"int {name};" in result.text for name in ("far_h", "farther_h", "after"))
    ((line, note),) = result.notes
    assert (line, note.partition(":")[0]) == (2, f"`nowhere.h` was not found below {tmp_path}")
    assert result.missing == ("nowhere.h",)


def test_without_a_compiler_the_fallback_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = run(tmp_path, "#define N 4\nint a[N];\n")
    assert "a[4]" in result.text.replace(" ", "")


def test_compilers_of_the_workspace_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path), ".", "")))
    monkeypatch.chdir(tmp_path)
    assert find_compiler(Programs.outside_of([tmp_path])) is None
    assert find_compiler(ANYWHERE) == str(compiler)


@pytest.mark.parametrize("is_told", [True, False])
def test_a_compiler_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_told: bool) -> None:
    if not is_told:
        without_process_handles(monkeypatch)
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nexec sleep 600\n")
    compiler.chmod(0o755)
    assert "ended after" in run_compiler(str(compiler), (), "", tmp_path, 0.1, ANYWHERE).ended


def without_process_handles(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on other systems than Linux, and in sandboxes."""

    def refuse(process_id: int, flags: int = 0) -> int:
        raise OSError(process_id)

    monkeypatch.setattr(os, "pidfd_open", refuse)


def test_the_end_of_a_compiler_is_seen_on_other_systems_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(tmp_path, "#define N 4\nint a[N];\n")
    without_process_handles(monkeypatch)
    assert run(tmp_path, "#define N 4\nint a[N];\n") == expected


@pytest.mark.parametrize("is_told", [True, False])
def test_a_compiler_that_writes_without_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_told: bool
) -> None:
    if not is_told:
        without_process_handles(monkeypatch)
    monkeypatch.setattr("warplens.server.preprocess.compiler._OUTPUT_LIMIT_BYTES", 1 << 20)
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nexec cat /dev/zero\n")
    compiler.chmod(0o755)
    ended = run_compiler(str(compiler), (), "", tmp_path, 30, ANYWHERE)
    assert "its output exceeds 1 MiB" in ended.ended
    assert ended.output == ""


def test_the_reader_refuses_what_is_no_file(tmp_path: Path) -> None:
    read = ConfinedReader(Confinement((tmp_path,)))
    assert read(str(tmp_path)) is None
    assert read("\0") is None


@pytest.mark.parametrize("header", ["a:b.h", "it's.h", "a: b.h", "C:\\\\x.h", "a b.h"])
def test_a_missing_header_of_any_name_costs_only_itself(tmp_path: Path, header: str) -> None:
    result = run(tmp_path, f'#include <stddef.h>\n#include "{header}"\nsize_t after;\n')
    assert "size_t after;" in result.text
    assert [line for line, _ in result.notes] == [2]
    assert result.preprocessor == "cc"


def test_a_compiler_that_says_nothing_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "root").mkdir()
    compiler = tmp_path / "bin" / "cc"
    compiler.write_text("#!/bin/sh\necho 'cc: error: unrecognized option' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    result = run(tmp_path / "root", "int after;\n")
    assert "int after;" in result.text
    assert "unrecognized option" in result.notes[0][1]
