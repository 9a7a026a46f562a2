"""Whose turn it is, of several that wait for one thing: the one that is wanted most, not the one that came first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum


class Wish(IntEnum):
    """Why a turn is waited for, the most urgent first."""

    ASKED = 0
    """A user waits for just this."""
    NEW = 1
    """A file that has had no turn yet."""
    GOES_ON = 2
    """A file that has had one, and gave way: others are served before it has another."""
    BACKGROUND = 3


@dataclass(slots=True, eq=False)
class _Waiting:
    wish: Wish
    seen_s: Callable[[], float]
    turn: asyncio.Future[None]


class Turns:
    """A lock. Of those with the same wish the file that was looked at last is served first, then who waits longest."""

    def __init__(self) -> None:
        self._is_taken = False
        self._waiting: list[_Waiting] = []

    def locked(self) -> bool:
        """Whether somebody has the turn."""
        return self._is_taken

    async def acquire(self, wish: Wish, seen_s: Callable[[], float] = float) -> None:
        """Wait for the turn; `seen_s` says, when one is given, when the file was looked at last."""
        if not self._is_taken:
            self._is_taken = True
            return
        mine = _Waiting(wish, seen_s, asyncio.get_running_loop().create_future())
        self._waiting.append(mine)
        try:
            await mine.turn
        except asyncio.CancelledError:
            if mine.turn.done() and not mine.turn.cancelled():
                self.release()  # it had just been given
            raise
        finally:
            self._waiting.remove(mine)

    def release(self) -> None:
        """Give the turn to the next one."""
        left = [each for each in self._waiting if not each.turn.done()]
        if left:
            min(left, key=lambda each: (each.wish, -each.seen_s())).turn.set_result(None)
        else:
            self._is_taken = False
