"""Which modules a process loads before it is of use: each is time in front of the first diagnostics."""

import subprocess
import sys

import pytest
from warplens.analysis.ports.catalogue import FIXES
from warplens.analysis.ports.cuda import cuda_fix
from warplens.analysis.ports.fix_codes import CODES
from warplens.server.cli.command_table import COMMANDS
from warplens.server.render.fix_title import WRITES_FILE
from warplens.server.session.load_ahead import MODULES

pytestmark = [pytest.mark.cold_start, pytest.mark.process]

SERVER = "import warplens.server.cli.lsp; from warplens.server.app import build_server; build_server()"
HEAVY = ("numpy", "islpy", "pycparser", "tomlkit", "charset_normalizer")
"""Libraries of the analysis, and of files that it reads."""
EXTRA = ("sklearn", "scipy", "statsmodels", "pymars", "matplotlib", "pandas")
"""Libraries of the extra `counters`, which need not be installed."""


def loaded_by(program: str) -> set[str]:
    """Names of the modules in a fresh process that ran a program, and of the packages around them."""
    command = (sys.executable, "-P", "-c", f"{program}\nimport sys; print(*sys.modules, sep='\\n')")
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return {".".join(parts[:n]) for name in names for parts in (name.split("."),) for n in range(1, len(parts) + 1)}


def test_nothing_is_loaded_before_the_analysis_process_starts() -> None:
    loaded = loaded_by("import warplens.server.cli.main, warplens.server.cli.lsp")
    assert loaded.isdisjoint({*HEAVY, "asyncio", "importlib.metadata", "lsprotocol", "pygls"})
    assert "warplens.analysis" not in loaded


def called(asked: str) -> str:
    return (
        "import contextlib, io\nfrom warplens.server.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):\n"
        f"    with contextlib.suppress(SystemExit): main({asked.split()})"
    )


@pytest.mark.parametrize("asked", ["--help", "--version", "help", "chek", "completion bash"])
def test_what_no_command_is_needed_for_loads_none(asked: str) -> None:
    loaded = loaded_by(called(asked))
    commands = {command.module for command in COMMANDS if command.name != asked.split(maxsplit=1)[0]}
    assert "warplens.server.cli.main" in loaded
    assert loaded.isdisjoint({*HEAVY, *commands, "asyncio", "dataclasses", "rich", "lsprotocol", "warplens.analysis"})


@pytest.mark.parametrize("name", ["check", "report", "what-if", "compare", "search", "port", "measure"])
@pytest.mark.parametrize("asked", ["--help", "--no-such-option"])
def test_how_a_command_is_called_is_said_before_what_it_does_is_loaded(name: str, asked: str) -> None:
    loaded = loaded_by(called(f"{name} {asked}"))
    assert f"warplens.server.cli.{name.replace('-', '_')}" in loaded
    assert loaded.isdisjoint({*HEAVY, "asyncio", "importlib.metadata", "lsprotocol", "rich"})
    analysis = {module for module in loaded if module.startswith("warplens.analysis.") and module.count(".") > 2}
    assert analysis <= {"warplens.analysis.advice.noise_levels", "warplens.analysis.ports.fix_codes"}
    assert loaded.isdisjoint({"warplens.hwprofiles", "warplens.server.worker"})


def test_the_server_takes_messages_before_it_loads_the_analysis() -> None:
    loaded = loaded_by(SERVER)
    assert loaded.isdisjoint(HEAVY)
    assert not {f"warplens.analysis.{each}" for each in ("engine", "facts", "gpu", "models", "ports")} & loaded
    assert "warplens.server.features.hover" not in loaded


def test_behind_the_first_job_it_loads_what_answers_questions() -> None:
    loaded = loaded_by(f"{SERVER}\nfrom importlib import import_module\nfor each in {MODULES}: import_module(each)")
    features = ("code_actions", "code_lens", "hover", "inlay_hints", "preview", "report_page", "what_if")
    assert {f"warplens.server.features.{each}" for each in features} <= loaded
    # Fixes are written by the other process, and nests are analysed there.
    assert loaded.isdisjoint({"islpy", "warplens.analysis.ports.catalogue", "warplens.analysis.engine.pipeline"})


def test_the_analysis_process_knows_no_lsp() -> None:
    loaded = loaded_by("import warplens.server.worker.child")
    assert loaded.isdisjoint({"lsprotocol", "pygls", "cattrs", "asyncio"})


def test_only_what_speaks_lsp_loads_its_types() -> None:
    commands = ("check", "measure", "port", "report", "search", "what_if")
    program = "import warplens.server.what_if.answer, warplens.server.report_page.nest_page, "
    loaded = loaded_by(program + ", ".join(f"warplens.server.cli.{each}" for each in commands))
    assert loaded.isdisjoint({"lsprotocol", "pygls"})


def test_the_analysis_process_loads_later_what_few_files_need() -> None:
    loaded = loaded_by("import warplens.server.worker.child")
    assert loaded.isdisjoint({"charset_normalizer", "pcpp", "tomlkit", "warplens.analysis.models.sizes.break_even"})


def test_names_that_stand_apart_to_spare_loading_are_the_same_ones() -> None:
    assert WRITES_FILE == cuda_fix.CODE
    assert tuple(fix.code for fix in FIXES) == CODES


def test_nothing_but_fitting_and_drawing_needs_the_extra() -> None:
    """A server shows models that were fitted elsewhere, and every command says what it lacks once it is run."""
    program = (
        f"{SERVER}\nfrom importlib import import_module\nfrom pkgutil import iter_modules\n"
        f"for each in {MODULES}: import_module(each)\n"
        "import warplens.server.worker.child, warplens.server.cli as cli, "
        "warplens.server.measure.counters.model_summaries, warplens.server.measure.counters.static_times, "
        "warplens.analysis.api, warplens.analysis.counters.predict\n"
        "for each in iter_modules(cli.__path__): import_module(f'warplens.server.cli.{each.name}')"
    )
    loaded = loaded_by(program)
    assert "warplens.server.cli.counters_fit" in loaded
    assert loaded.isdisjoint(EXTRA)
