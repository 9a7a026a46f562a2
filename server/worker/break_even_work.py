"""Break-evens in portions: a nest takes longer than an analysis that comes meanwhile should wait."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING

from warplens.server.worker.job import BreakEvenJob, BreakEvenPortion
from warplens.server.worker.packing import unpack

if TYPE_CHECKING:
    from warplens.analysis.models.sizes.break_even import BreakEven

_KEPT = 2000


@dataclass(frozen=True, slots=True)
class FoundBreakEven:
    """What came of a nest, by the digest of its packed evaluation."""

    content: bytes
    break_even: BreakEven | None


class BreakEvenWork:
    """The nest that is under way, and what came of others, by the content of their evaluations."""

    def __init__(self) -> None:
        self._found: OrderedDict[bytes, BreakEven | None] = OrderedDict()
        self._content = b""
        self._steps: Generator[None, None, BreakEven | None] | None = None

    def go_on(self, job: BreakEvenJob, is_in_the_way: Callable[[], bool] = lambda: False) -> BreakEvenPortion:
        """Go on where the last portion of this nest ended; one of another nest begins it anew.

        A portion ends early when it is in the way of something else.
        """
        content = sha256(job.packed).digest()
        if content in self._found:
            self._found.move_to_end(content)
            return BreakEvenPortion(True, self._found[content])
        if self._steps is None or self._content != content:
            from warplens.analysis.models.sizes.break_even import break_even_steps  # noqa: PLC0415 - behind the first answer

            self._content, self._steps = content, break_even_steps(unpack(job.packed))
        deadline = monotonic() + job.portion_s
        try:
            next(self._steps)  # at least one, so that portions come to an end however short they are
            while monotonic() < deadline and not is_in_the_way():
                next(self._steps)
        except StopIteration as end:
            return self._finished(end.value)
        return BreakEvenPortion(False)

    def learn(self, found: Iterable[FoundBreakEven]) -> None:
        """Take over what an earlier session found."""
        for each in found:
            self._found[each.content] = each.break_even
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)

    def found(self, packed: Iterable[bytes]) -> tuple[FoundBreakEven, ...]:
        """What is known of these evaluations."""
        digests = (sha256(each).digest() for each in packed)
        return tuple(FoundBreakEven(each, self._found[each]) for each in digests if each in self._found)

    def _finished(self, found: BreakEven | None) -> BreakEvenPortion:
        self.learn((FoundBreakEven(self._content, found),))
        self._steps = None
        return BreakEvenPortion(True, found)
