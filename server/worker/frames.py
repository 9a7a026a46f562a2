"""Messages between server and analysis process: a length, then a pickle.

Pickle is safe here because both ends are this program: the pipe is private to a process that the server itself started.
"""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import dataclass
from typing import BinaryIO

_LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has loaded everything and waits for jobs."""

    process_id: int


@dataclass(frozen=True, slots=True)
class NestStarted:
    """The analysis is about to look at this nest."""

    function: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class Finished:
    """What came out of a job."""

    result: object


@dataclass(frozen=True, slots=True)
class Failed:
    """A job that raised: a defect of ours. `details` is the traceback."""

    details: str


def unpickled(content: bytes) -> object:
    """What the other process pickled."""
    return pickle.loads(content)  # noqa: S301 - the pipe is private to our own two processes


def encode_frame(message: object) -> bytes:
    """Bytes of one message."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(content).to_bytes(_LENGTH_BYTES) + content


def write_frame(stream: BinaryIO, message: object) -> None:
    """Write one message and flush."""
    stream.write(encode_frame(message))
    stream.flush()


def read_frame(stream: BinaryIO) -> object:
    """Next message, None at the end of the stream."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    content = stream.read(int.from_bytes(head))
    return unpickled(content)


async def read_frame_async(stream: asyncio.StreamReader) -> object:
    """Next message; raises asyncio.IncompleteReadError at the end of the stream."""
    head = await stream.readexactly(_LENGTH_BYTES)
    content = await stream.readexactly(int.from_bytes(head))
    return unpickled(content)
