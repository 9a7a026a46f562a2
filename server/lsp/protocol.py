"""pygls' protocol, with an answer for what is no request, comes too early or comes too late."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

logger = logging.getLogger(__name__)


class _Refused:
    """Stands for a message that could not be understood, and was answered if it asked for that."""


class WarplensProtocol(LanguageServerProtocol):
    """Every request gets an answer, whatever is in it. Documents are kept by the server alone, not by pygls too.

    It overrides or reads private members of pygls, as they are in 2.1.0 and 2.1.1: `_execute_handler`,
    `_handle_response`, `_request_futures`, `_send_data`, `_shutdown` and `_workspace`.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.give_up: Callable[[str], object] = str
        """What is done with a document, by its URI, once a change of it was not understood."""
        self.asked_about: Callable[[str], object] = str
        """Hears of the document, by its URI, that a request is about."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message of a JSON object, or the object where it is a part of one."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if isinstance(data.get("id"), str | int) and "method" in data:
                self._refuse(data["id"], self._untimely(data["method"]) or error)
            elif data.get("method") == types.TEXT_DOCUMENT_DID_CHANGE:
                self._lose(data.get("params"))
            return _Refused()

    def handle_message(self, message: Any) -> None:
        """Hand a message to its handler, or refuse it."""
        if isinstance(message, _Refused):
            return
        method = getattr(message, "method", None)
        if not hasattr(message, "jsonrpc") or not isinstance(getattr(message, "id", None), str | int | None):
            self._refuse(None, JsonRpcInvalidRequest("not a JSON-RPC 2.0 message"))
        elif method is not None and (untimely := self._untimely(method)) is not None:
            if hasattr(message, "id"):
                self._refuse(message.id, untimely)
        else:
            uri = getattr(getattr(getattr(message, "params", None), "text_document", None), "uri", None)
            if hasattr(message, "id") and isinstance(uri, str):
                self.asked_about(uri)
            super().handle_message(message)

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As pygls has it, which keeps for ever how a notification ended: 2 kB per key that is typed."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def _handle_response(self, msg_id: int | str, result: Any = None, error: Any = None) -> None:
        """As pygls has it, for which an answer that nobody waits for any more is an error that the user is shown."""
        future = self._request_futures.get(msg_id)
        if future is not None and future.cancelled():
            del self._request_futures[msg_id]
        else:
            super()._handle_response(msg_id, result, error)

    def _untimely(self, method: object) -> JsonRpcException | None:
        """Why no message of this method is taken now, None where it is."""
        if self._shutdown and method != types.EXIT:
            return JsonRpcInvalidRequest("the server is shutting down")
        if self._workspace is None and method not in (types.INITIALIZE, types.EXIT):
            return JsonRpcServerNotInitialized("`initialize` comes first")
        if self._workspace is not None and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("the server is initialized already")
        return None

    def refuse_unreadable(self, error: Exception) -> None:
        """Answer to bytes that are no JSON."""
        self._refuse(None, JsonRpcParseError(f"not JSON: {str(error)[:200]}"))

    def _refuse(self, identifier: str | int | None, error: JsonRpcException) -> None:
        logger.warning("message refused: %s", error.message)
        response = types.ResponseErrorMessage(id=identifier, error=error.to_response_error(), jsonrpc="2.0")
        self._send_data(response)

    def _lose(self, params: Any) -> None:
        """A change that is not understood: from here on the client's text is another."""
        identifier = params.get("textDocument") if isinstance(params, dict) else None
        uri = identifier.get("uri") if isinstance(identifier, dict) else None
        if isinstance(uri, str):
            self.give_up(uri)

    def _handler(self, method: str, params: Any) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        """As pygls has it, whose loop over what is cancelled ends in an error where that makes another one end."""
        yield from self._handler(types.SHUTDOWN, *args)
        for msg_id in [each for each in self._request_futures if each != self.msg_id]:
            if (future := self._request_futures.pop(msg_id, None)) is not None:
                future.cancel()
        self._shutdown = True

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """As pygls has it, without a second copy of the text."""
        yield from self._handler(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """As pygls has it, which would read a document from disk that is not open."""
        yield from self._handler(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """As pygls has it."""
        yield from self._handler(types.TEXT_DOCUMENT_DID_CLOSE, params)
