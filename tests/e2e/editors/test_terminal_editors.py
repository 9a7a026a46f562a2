"""One story in Neovim and in Emacs, with the server as it is installed: what stands on the screen and on the disk.

The editors are set up by what docs/editors.md tells their users to write.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.real_editors import editor_or_skip

SOURCE = """\
// warplens: n = 1000000
void spread(int n, float *restrict x)
{
    for (int i = 0; i < n; i++)
        x[i * 64] = 2.0f * x[i * 64];
}

void prefix(int n, float *restrict x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}
"""
HERE = Path(__file__).parent
COLUMNS = 80
LIMIT_S = 120
NEOVIM = ("nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {HERE / 'neovim.lua'}")
EMACS = ("emacs", "--batch", "-l", str(HERE / "emacs.el"))


def documented(title: str, language: str) -> str:
    """The set-up that docs/editors.md has under a title."""
    section = (HERE.parents[2] / "docs" / "editors.md").read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    return section.split(f"```{language}\n")[1].split("```")[0]


def neovim_title() -> str:
    version = subprocess.run([editor_or_skip("nvim"), "--version"], check=True, capture_output=True, text=True).stdout
    major, minor = re.match(r"NVIM v(\d+)\.(\d+)", version).groups()
    is_new = (int(major), int(minor)) >= (0, 11)
    return "Neovim 0.11 and later" if is_new else "Neovim 0.7 to 0.10"


def story(
    folder: Path, setup: str, command: str, *arguments: str, source: str = SOURCE, **environment: str
) -> dict[str, Any]:
    """What the user of an editor sees, as its script reports it."""
    editor = editor_or_skip(command)
    file, report, config = folder / "ein Ordner" / "scan.c", folder / "report.json", folder / "config"
    file.parent.mkdir()
    file.write_text(source)
    config.write_text(setup)
    (folder / "ein Ordner" / ".git").mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {"CONFIG": str(config), "FILE": str(file), "REPORT": str(report), "PATH": path}
    done = subprocess.run(
        [str(editor), *arguments],
        check=False,
        cwd=folder,
        env={**os.environ, **own, "HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert report.is_file(), f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    seen: dict[str, Any] = json.loads(report.read_text())
    assert not seen.get("problem"), f"{seen}\n{done.stdout}\n{done.stderr}"
    return seen


def assert_is_readable(lines: list[str]) -> None:
    """No markup, no image in letters, nothing that a terminal of 80 columns would break."""
    text = "\n".join(lines)
    for sign in ("base64", "data:", "**", "|", "```", "<img", "<span", "</", "\\", "&nbsp;"):
        assert sign not in text, sign
    assert max(map(len, lines)) <= COLUMNS - 2


def assert_is_a_loop_s_card(lines: list[str], fixes: str) -> None:
    assert_is_readable(lines)
    assert re.match(r"(Probably |May be |Not |Hardly )?[Ww]orth porting|Rather use", lines[0])
    assert any(line.startswith(f"Quick fixes: {fixes}. More: ") for line in lines)
    values = [re.match(r"(takes|block|this loop) {2,}", line) for line in lines]
    assert len({found.end() for found in values if found}) == 1  # one column
    assert sum(found is not None for found in values) == 3


def assert_is_an_access_card(lines: list[str]) -> None:
    assert_is_readable(lines)
    assert lines[0].startswith("The kernel ")
    assert any(line.startswith("transactions") for line in lines)


async def compiled(folder: Path, text: str) -> int:
    (folder / "ported.c").write_text(text)
    command = ["gcc", "-fopenmp", "-fsyntax-only", "-Wall", "-Werror", "ported.c"]
    return await (await asyncio.create_subprocess_exec(*command, cwd=folder)).wait()


def assert_was_fixed_and_undone(seen: dict[str, Any], folder: Path) -> None:
    """One directive was written in front of the loop, saved, and taken back by one undo."""
    before, loop, after = SOURCE.partition("    for (int i = 0")
    assert seen["fixed"].startswith(f"{before}    #pragma omp target")
    assert seen["fixed"].endswith(f"\n{loop}{after}")
    assert re.sub(r" \\\n +", " ", seen["fixed"]).count("\n") == SOURCE.count("\n") + 1
    assert seen["fixed_on_disk"] == seen["fixed"]
    assert asyncio.run(compiled(folder, seen["fixed"])) == 0
    assert seen["undone"] == seen["undone_on_disk"] == SOURCE


def test_neovim(tmp_path: Path) -> None:
    seen = story(tmp_path, documented(neovim_title(), "lua"), *NEOVIM)
    warning, hint = 2, 4
    shown = {(d["code"], d["severity"], d["line"], d["text"]) for d in seen["diagnostics"]}
    assert ("WL201", warning, 4, "x[i * 64]") in shown
    assert ("WL101", hint, 9, "for (int i = 1; i < n; i++)") in shown
    assert {d["source"] for d in seen["diagnostics"]} == {"warplens"}
    first, second = seen["lenses"]
    assert (first["line"], second["line"]) == (3, 9)
    assert re.match(r"GPU .* \(copies: ", first["text"])
    assert second["text"].startswith("not parallel: ")
    assert_is_a_loop_s_card(seen["hover"]["lines"], "OpenMP, OpenACC, CUDA")
    assert seen["hover"]["width"] <= COLUMNS
    assert_is_an_access_card(seen["access"]["lines"])
    assert any("CUDA" in title for title in seen["actions"])
    if "hints" in seen:  # Neovim 0.10 and newer
        assert any(re.fullmatch(r"hotspot: \d+ % of time", hint) for hint in seen["hints"])
    if "preview" in seen:  # what the page has for Neovim 0.11
        assert any(line.startswith("+    #pragma omp target") for line in seen["preview"])
    assert_was_fixed_and_undone(seen, tmp_path)


def test_neovim_beside_clangd(tmp_path: Path) -> None:
    editor_or_skip("clangd")
    broken = f"{SOURCE}\nint broken(void)\n{{\n    return missing;\n}}\n"
    setup = documented(neovim_title(), "lua")
    seen = story(tmp_path, setup, *NEOVIM, source=broken, BESIDE_CLANGD="1")
    error, warning = 1, 2
    assert seen["sources"] == {"clang": error, "warplens": warning}
    assert_is_a_loop_s_card([line for line in seen["hover"]["lines"] if line != "```"], "OpenMP, OpenACC, CUDA")
    assert seen["fixed"].count("#pragma omp target") == 1


def test_emacs(tmp_path: Path) -> None:
    seen = story(tmp_path, documented("Emacs with eglot", "elisp"), *EMACS)
    shown = [(d["line"], d["text"], d["message"]) for d in seen["diagnostics"]]
    assert any(line == 4 and text == "x[i * 64]" and "Uncoalesced" in message for line, text, message in shown)
    assert any(line == 9 and text.startswith("for (int i = 1") for line, text, _ in shown)
    assert_is_a_loop_s_card(seen["hover"].splitlines(), "OpenMP, OpenACC")
    assert_is_an_access_card(seen["access"].splitlines())
    assert not any("CUDA" in title for title in seen["actions"])  # eglot creates no files
    assert_was_fixed_and_undone(seen, tmp_path)
