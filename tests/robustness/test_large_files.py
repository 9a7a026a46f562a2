"""A file of thousands of loops beside others: they are served, it has its limit, and closing it costs nothing."""

from __future__ import annotations

from pathlib import Path

from support.wire import Wire

FUNCTION = (
    "void f{0}(int n, double *restrict y, const double *restrict x) {{\n"
    "  for (int i = 0; i < n; i++)\n    y[i] = {0} * x[i] + 1;\n}}\n"
)
SMALL = FUNCTION.format(0)


def document(wire: Wire, uri: str) -> dict[str, object]:
    (found,) = [each for each in wire.request("warplens/status", {})["result"]["documents"] if each["uri"] == uri]
    return found


def test_a_file_behind_a_large_one_is_shown_before_that_is_done(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        large = wire.open("large.c", "".join(map(FUNCTION.format, range(7500))))
        small = wire.open("small.c", SMALL)
        wire.diagnostics(small)
        assert len(wire.lenses(small)) == 1
        assert "isComplete" not in document(wire, large) or document(wire, large)["isComplete"] is False
        process = wire.request("warplens/status", {})["result"]["analysisProcessId"]
        wire.notify("textDocument/didClose", {"textDocument": {"uri": large}})
        other = wire.open("other.c", SMALL.replace("f0", "g"))
        wire.diagnostics(other)
        assert len(wire.lenses(other)) == 1
        assert wire.request("warplens/status", {})["result"]["analysisProcessId"] == process, "it was not killed"
        assert wire.shut_down() == 0


def test_reading_a_file_has_the_limit(tmp_path: Path) -> None:
    """Not each of its functions, as long as there are more."""
    with Wire(tmp_path, settings={"analysisTimeLimitSeconds": 1}) as wire:
        wire.initialize()
        small = wire.open("small.c", SMALL)
        wire.diagnostics(small)
        process = wire.request("warplens/status", {})["result"]["analysisProcessId"]
        uri = wire.open("large.c", "".join(map(FUNCTION.format, range(7500))))
        (said,) = [each["message"] for each in wire.diagnostics(uri)]
        assert said == (
            "reading this file was ended after 1 s, what was read is remembered: the limit is "
            "`warplens.analysisTimeLimitSeconds`"
        )
        assert wire.request("warplens/status", {})["result"]["analysisProcessId"] == process


def test_quick_tabs_cost_no_process(tmp_path: Path) -> None:
    """Each is closed while it is analysed, or waits for it."""
    text = "".join(map(FUNCTION.format, range(40)))
    with Wire(tmp_path) as wire:
        wire.initialize()
        first = wire.open("first.c", SMALL)
        wire.diagnostics(first)
        process = wire.request("warplens/status", {})["result"]["analysisProcessId"]
        for number in range(30):
            uri = wire.open(f"tab{number}.c", text.replace("1;", f"{number}.5;"))
            wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        last = wire.open("last.c", SMALL.replace("f0", "last"))
        wire.diagnostics(last)
        assert len(wire.lenses(last)) == 1
        status = wire.request("warplens/status", {})["result"]
        assert status["analysisProcessId"] == process
        assert {Path(each["uri"]).name for each in status["documents"]} == {"first.c", "last.c"}
