"""Lines as wide as what shows them."""

from io import StringIO

from rich.console import Console
from rich.text import Text
from warplens.server.cli.layout import print_indented


def test_a_terminal_gets_lines_of_its_width_and_a_pipe_whole_ones() -> None:
    text = "word " * 60
    narrow, whole = Console(file=StringIO(), force_terminal=True, width=60), Console(file=StringIO(), soft_wrap=True)
    for console in (narrow, whole):
        print_indented(console, Text("  - "), Text(text), 4)
    lines = narrow.file.getvalue().splitlines()
    assert len(lines) > 4
    assert all(len(line) <= 60 for line in lines)
    assert all(line.startswith("    word") for line in lines[1:])
    assert len(whole.file.getvalue().splitlines()) == 1
