"""What says why a piece of C is not understood."""

from __future__ import annotations


class UnsupportedError(Exception):
    """A construct that is not lowered; the message says which, in the source's terms."""
