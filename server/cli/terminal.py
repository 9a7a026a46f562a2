"""Consoles for reports and progress: whatever stands in files and names, a terminal shows it and does nothing else."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.segment import Segment
from warplens.server.render.visible_text import visible


class TerminalConsole(Console):
    """A console for reports, which leaves it to the command what happens when nobody reads on.

    Of the texts that it is given hidden characters are shown as escapes; colours are its own.
    """

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError where rich would end the program, below tasks that are still running."""
        self.quiet = True
        raise BrokenPipeError

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """Rich's own, which writes texts with the escape sequences that are in them."""
        shown = (each if each.control else each._replace(text=visible(each.text)) for each in buffer)
        return super()._render_buffer(shown)


def console_for(color: str) -> Console:
    """Console for reports: `auto`, `always` or `never` in colour."""
    if color == "always":
        return TerminalConsole(force_terminal=True, highlight=False, soft_wrap=True)
    return TerminalConsole(no_color=color == "never" or None, highlight=False, soft_wrap=True,
                       force_terminal=False if color == "never" else None)  # fmt: skip
