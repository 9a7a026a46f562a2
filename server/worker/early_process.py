"""An analysis process that is started before there is an event loop, and taken over once there is one.

Both processes have much to load, and each has a core for it: the server starts the other one before it loads its own
part.
"""

from __future__ import annotations

import asyncio
import subprocess
from asyncio.streams import FlowControlMixin
from collections.abc import Sequence


def start_early(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start it, in a group of its own."""
    return subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


class EarlyProcess:
    """A process that runs already, with what is used of asyncio's own."""

    def __init__(
        self, process: subprocess.Popen[bytes], stdin: asyncio.StreamWriter, stdout: asyncio.StreamReader
    ) -> None:
        self._process = process
        self.stdin = stdin
        self.stdout = stdout

    @property
    def pid(self) -> int:
        """Its id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended, None while it runs."""
        return self._process.poll()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    async def wait(self) -> int:
        """Wait for its end; it has been killed."""
        if not self.stdin.transport.is_closing():
            self.stdin.transport.abort()
        return await asyncio.to_thread(self._process.wait)


async def taken_over(process: subprocess.Popen[bytes]) -> EarlyProcess:
    """The process with its pipes on the running loop."""
    loop = asyncio.get_running_loop()
    stdout = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdout), process.stdout)
    transport, protocol = await loop.connect_write_pipe(FlowControlMixin, process.stdin)
    return EarlyProcess(process, asyncio.StreamWriter(transport, protocol, None, loop), stdout)
