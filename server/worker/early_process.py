"""An analysis process that was started before there was an event loop (early_start.py), taken over by one."""

from __future__ import annotations

import asyncio
import subprocess
from asyncio.streams import FlowControlMixin


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
