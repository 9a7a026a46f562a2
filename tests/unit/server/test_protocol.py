"""What the protocol keeps of messages."""

import asyncio
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any

import pytest
from warplens.server.app import build_server
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


@pytest.mark.asyncio
async def test_what_is_under_way_at_the_end_is_given_up() -> None:
    protocol = build_server(AnalysisProcess()).protocol
    never = asyncio.Event()

    async def for_ever() -> None:
        await never.wait()

    def in_steps_for_ever() -> Generator[Any, Any, None]:
        yield for_ever, (), None

    ended: list[str] = []
    for message in ("1", "2"):
        protocol._execute_handler(message, in_steps_for_ever, lambda _outcome, message=message: ended.append(message))
    answered = asyncio.Event()
    protocol._execute_handler("end", protocol.lsp_shutdown, lambda _outcome: answered.set(), (None,))
    async with asyncio.timeout(60):
        await answered.wait()
    assert ended == ["1", "2"]
    assert protocol._request_futures == {}


def test_an_answer_that_nobody_waits_for_any_more_is_no_error() -> None:
    protocol = build_server(AnalysisProcess()).protocol
    asked: Future[object] = Future()
    protocol._request_futures["asked"] = asked
    asked.cancel()
    protocol._handle_response("asked", result=None)
    assert protocol._request_futures == {}
