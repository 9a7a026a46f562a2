"""Work-done progress for what takes longer than a blink; cancelling it cancels the work."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

_DELAY_S = 0.3
_STATE_S = 0.5


@contextlib.asynccontextmanager
async def shown_progress(
    server: WarplensServer, title: str, state: Callable[[], str] | None = None
) -> AsyncIterator[None]:
    """Show progress while the body runs, if it runs long enough and the client can; a cancel raises CancelledError.

    `state` says now and then how far it is.
    """
    window = server.client_capabilities.window
    if window is None or not window.work_done_progress:
        yield
        return
    work = asyncio.current_task()
    display = asyncio.ensure_future(_display(server, title, work, state))
    try:
        yield
    finally:
        display.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await display


async def _display(
    server: WarplensServer, title: str, work: asyncio.Task[object] | None, state: Callable[[], str] | None
) -> None:
    await asyncio.sleep(_DELAY_S)
    token = str(uuid.uuid4())
    progress = server.work_done_progress
    try:
        await progress.create_async(token)
    except JsonRpcException:
        return
    if work is not None:
        server.cancellable[token] = work
    progress.begin(
        token, types.WorkDoneProgressBegin(title=title, cancellable=True, message=state() if state else None)
    )
    try:
        while state:
            await asyncio.sleep(_STATE_S)
            progress.report(token, types.WorkDoneProgressReport(message=state(), cancellable=True))
        await asyncio.get_running_loop().create_future()
    finally:
        server.cancellable.pop(token, None)
        progress.end(token, types.WorkDoneProgressEnd())
        progress.tokens.pop(token, None)


def cancel_work(ls: WarplensServer, params: types.WorkDoneProgressCancelParams) -> None:
    """The user pressed cancel on a progress."""
    work = ls.cancellable.pop(str(params.token), None)
    if work is not None:
        work.cancel()
