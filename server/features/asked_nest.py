"""The loop nest that a request of our own asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from warplens.server.session.documents import Document
from warplens.server.settings.settings import is_size
from warplens.server.worker.job import Answer, NestAnswer

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

Json = dict[str, Any]


class NoNestError(Exception):
    """Why there is nothing to predict, for the user."""


def asked_document(ls: WarplensServer, asked: Json) -> Document:
    """The open document that is named; raises NoNestError, and JsonRpcException for another version of it."""
    named = asked.get("textDocument")
    named = named if isinstance(named, dict) else {}
    document = ls.documents.get(str(named.get("uri")))
    if document is None:
        raise NoNestError("the file is not open in this session")
    if named.get("version") not in (None, document.version):  # a list, too, can be held against these
        raise _modified()
    return document


def asked_nest(document: Document, asked: Json) -> NestAnswer:
    """The nest that is named, or that stands at the position."""
    answer = document.answer
    if answer is None:
        raise NoNestError(document.failure.message if document.failure else "the file is not analysed yet: ask again")
    nest = asked.get("nest")
    found = _named(answer, nest) if isinstance(nest, dict) else _at(document, answer, asked.get("position"))
    if not found.packed:
        raise NoNestError(f"the loop was not analysed: {found.failure}")
    return found


def _named(answer: Answer, nest: Json) -> NestAnswer:
    wanted = str(nest.get("function")), nest.get("ordinal")
    for function in answer.functions:
        for each in function.nests:
            if (each.id.function, each.id.ordinal) == wanted:
                return each
    if wanted[0] in {name for name, _ in answer.edited}:
        raise _modified()
    raise NoNestError(f"there is no loop nest {wanted[1]} in a function `{wanted[0]}`")


def _at(document: Document, answer: Answer, position: object) -> NestAnswer:
    offset = _offset(document, position)
    for function in answer.functions:
        for nest in function.nests:
            if any(span.shifted(nest.spans.base).contains(offset) for _, span in nest.spans.whole):
                return nest
    if any(span.contains(offset) for _, span in answer.edited):
        raise _modified()
    reason = next((f": {o.reason}" for o in answer.opaque if o.span.contains(offset)), "")
    raise NoNestError(f"no loop that was analysed stands there{reason}")


def _offset(document: Document, position: object) -> int:
    at = position if isinstance(position, dict) else {}
    line, character = at.get("line"), at.get("character")
    if not isinstance(line, int) or not isinstance(character, int) or not is_size(line) or not is_size(character):
        raise NoNestError("a question names a `position` or a `nest`")
    return document.positions.offset(types.Position(line, character))


def unchanged_nest(ls: WarplensServer, document: Document, nest: NestAnswer) -> NestAnswer:
    """The nest where it stands now; the error that says so where it is not as it was when it was asked about."""
    answer = document.answer if ls.documents.get(document.uri) is document else None
    for function in answer.functions if answer else ():
        for each in function.nests:
            if each.id == nest.id and each.packed == nest.packed:
                return each
    raise _modified()


def _modified() -> JsonRpcException:
    return JsonRpcException("the loop was edited since it was analysed", types.LSPErrorCodes.ContentModified.value)
