"""Questions and values that take more than their limits: what asks for them goes on without an answer."""

from __future__ import annotations


class TooComplexError(Exception):
    """The operations of a nest are used up, or one question has too many cases."""


class TooLargeError(TooComplexError):
    """A value that grows beyond what is computed with; the message says beyond what."""
