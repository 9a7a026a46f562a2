"""The log on standard error: a refusal is no error of ours, and no text of a file changes the terminal."""

from __future__ import annotations

import logging
import sys

from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from warplens.server.render.visible_text import visible

_FORMAT = "%(levelname)s %(name)s: %(message)s"
_UNREADABLE = "Unable to deserialize message"
"""What pygls says, with a traceback, of parameters that are none; the protocol answers, and says so in a line."""


def log_to_standard_error(level: str) -> None:
    """Log what is of a level or above."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_VisibleFormatter(_FORMAT))
    handler.addFilter(_is_worth_it)
    logging.basicConfig(handlers=[handler], level=level)


def _is_worth_it(record: logging.LogRecord) -> bool:
    """False for refusals, unless everything is wanted: the client has their reason as the answer."""
    error = record.exc_info[1] if record.exc_info else None
    is_refusal = isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError)
    is_refusal = is_refusal or str(record.msg).startswith(_UNREADABLE)
    return not is_refusal or logging.getLogger().isEnabledFor(logging.DEBUG)


class _VisibleFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """One record as text."""
        return visible(super().format(record))
