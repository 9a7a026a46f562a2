"""What a command's module is to the parser, and how it says that it failed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

from warplens.server.cli.streams import write_error
from warplens.server.render.visible_text import visible_name

if TYPE_CHECKING:
    SubParsers: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - the only name it has
else:
    SubParsers = object


def failed(where: str, message: str, code: int = 1) -> int:
    """Say on standard error what could not be done with a file or a line of it; the exit code."""
    write_error(f"warplens: {visible_name(where)}: {message}\n")
    return code
