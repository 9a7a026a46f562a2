"""What the protocol keeps of messages."""

import asyncio
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any

import pytest
from warplens.server.language_server import build_server
from warplens.server.worker.process import AnalysisProcess


def synchronous() -> None:
    pass


def in_steps() -> Generator[Any, Any, None]:
    yield synchronous, (), None


def in_broken_steps() -> Generator[Any, Any, None]:
    yield synchronous, (), None
    raise ValueError


async def in_time() -> None:
    await asyncio.sleep(0)


@pytest.mark.asyncio
@pytest.mark.parametrize("handler", [synchronous, in_steps, in_broken_steps, in_time])
async def test_nothing_is_kept_of_a_message_that_was_handled(handler: Any) -> None:
    protocol = build_server(AnalysisProcess()).protocol
    ended: list[Future[Any]] = []
    protocol._execute_handler("the message", handler, ended.append)
    async with asyncio.timeout(60):
        while not ended:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0)
    assert protocol._request_futures == {}
