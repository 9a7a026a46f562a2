"""What the protocol keeps of messages."""

import asyncio
from collections.abc import Generator
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
    has_ended = asyncio.Event()
    protocol._execute_handler("the message", handler, lambda _outcome: has_ended.set())
    async with asyncio.timeout(60):
        await has_ended.wait()
    await asyncio.sleep(0)
    assert protocol._request_futures == {}
