"""What a port gains, as a value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PortEffect:
    """How many times faster the nest gets, below 1 where slower: with its data on the GPU (`resident`), and `copied`.

    `copied` is None where the nest runs on the GPU now. `guess` is the one size that is guessed, empty where all are
    known: it decides, and the factors are those at the value that stands in for it.
    """

    resident: float
    copied: float | None
    guess: str = ""

    @property
    def is_slower(self) -> bool:
        """Whether it is slower even where the data stays on the GPU, at sizes that are known."""
        return not self.guess and self.resident < 1
