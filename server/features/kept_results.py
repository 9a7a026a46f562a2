"""`warplens.clearCache`: take away what is kept for the next session."""

from __future__ import annotations

from warplens.server.result_cache.folder import UnusableFolderError
from warplens.server.result_cache.result_cache import clear_cache


def cleared_cache() -> str:
    """Clear, and say what was removed, or why nothing could be."""
    try:
        return f"removed {clear_cache().text}."
    except UnusableFolderError as error:
        return f"no results are kept: {error}."
    except OSError as error:
        return f"kept results could not be removed: {error.filename or ''}: {error.strerror}."
