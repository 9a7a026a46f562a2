"""Messages between server and analysis process: a length, then a pickle.

Pickle is safe here because both ends are this program: the pipe is private to a process that the server itself started.
A nest that the server has already is not sent again (sent_nests.py), so that an answer costs what changed.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from typing import BinaryIO

from warplens.server.worker.sent_nests import NestPickler, NestUnpickler, ReceivedNests, SentNests

LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has loaded everything and waits for jobs."""

    process_id: int


@dataclass(frozen=True, slots=True)
class NestStarted:
    """The analysis is about to look at this nest; at none yet, but reads on, where there is no function."""

    function: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class Part:
    """What is known so far of a job's result."""

    result: object


@dataclass(frozen=True, slots=True)
class Finished:
    """What came out of a job."""

    result: object


@dataclass(frozen=True, slots=True)
class Failed:
    """A job that raised: a defect of ours. `details` is the traceback."""

    details: str


@dataclass(frozen=True, slots=True)
class GiveWay:
    """To the process: the job that was sent last is in the way of another."""


@dataclass(frozen=True, slots=True)
class GaveWay:
    """The job was ended because it was in the way; what it worked out is remembered."""


@dataclass(frozen=True, slots=True)
class ReadTooLong:
    """The job's file was read for as long as its limit allows; what was read of it is remembered."""


def unpickled(content: bytes, received: ReceivedNests) -> object:
    """What the other process pickled."""
    return NestUnpickler(io.BytesIO(content), received).load()


def encode_frame(message: object) -> bytes:
    """Bytes of one message to the analysis process."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(content).to_bytes(LENGTH_BYTES) + content


class FrameWriter:
    """The analysis process's side of the pipe to the server."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._sent = SentNests()

    def write(self, message: object) -> None:
        """Write one message and flush."""
        buffer = io.BytesIO(bytes(LENGTH_BYTES))
        buffer.seek(LENGTH_BYTES)
        NestPickler(buffer, self._sent).dump(message)
        content = buffer.getbuffer()
        content[:LENGTH_BYTES] = (len(content) - LENGTH_BYTES).to_bytes(LENGTH_BYTES)
        self._stream.write(content)
        self._stream.flush()


def read_frame(stream: BinaryIO) -> object:
    """Next message from the server, None at the end of the stream."""
    head = stream.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    return pickle.loads(stream.read(int.from_bytes(head)))  # noqa: S301 - the pipe is private to our own two processes
