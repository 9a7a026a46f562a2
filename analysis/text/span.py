"""A place in a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of offsets, in characters (code points) of the user's decoded text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        """Raise ValueError for a span that ends before it starts."""
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}..{self.end}")

    def contains(self, offset: int) -> bool:
        """Tell whether the offset lies inside, the end included (a cursor sits between characters)."""
        return self.start <= offset <= self.end

    def shifted(self, by: int) -> "Span":
        """Return the same span moved by a number of characters."""
        return Span(self.start + by, self.end + by)
