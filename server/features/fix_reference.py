"""How an offered fix is named between client and server, and found again when the client comes back with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException
from warplens.analysis.ports.fix import FixContext, FixEdits, OfferedFix
from warplens.server.features.workspace_edit import refused
from warplens.server.session.documents import Document
from warplens.server.worker.fix_context import fix_context
from warplens.server.worker.job import FixJob, FunctionAnswer, NestAnswer
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

_CONTENT_MODIFIED = -32801


@dataclass(frozen=True, slots=True)
class FoundFix:
    """An offer of a document as it is now."""

    document: Document
    version: int
    function: FunctionAnswer
    nest: NestAnswer
    context: FixContext
    offer: OfferedFix


def fix_reference(document: Document, nest: NestAnswer, offer: OfferedFix) -> dict[str, Any]:
    """JSON values that name an offer at this version of a document."""
    return {
        **nest_reference(document, nest),
        "action": "fix",
        "code": offer.code,
        "loop": offer.loop,
        "variant": offer.variant,
    }


def nest_reference(document: Document, nest: NestAnswer) -> dict[str, Any]:
    """JSON values that name a nest at this version of a document.

    By its place: while a function is copied to be changed, two have one name.
    """
    return {
        "uri": document.uri,
        "version": document.version,
        "start": nest.spans.base,
        "ordinal": nest.id.ordinal,
    }


def referred_fix(ls: WarplensServer, data: dict[str, Any]) -> FoundFix:
    """The offer that a client names; one of a loop that was edited meanwhile is refused as LSP wants."""
    document, function, nest = referred_nest(ls, data)
    wanted = (data.get("code"), data.get("loop"), data.get("variant"))
    offer = next((each for each in nest.fixes if (each.code, each.loop, each.variant) == wanted), None)
    if offer is None:
        raise _changed()
    context = fix_context(document.path, document.text, function, nest)
    _require_analysed(document, context)
    return FoundFix(document, document.version, function, nest, context, offer)


async def written_edits(ls: WarplensServer, found: FoundFix) -> FixEdits:
    """Edits of a fix, from the analysis process within its limit; what can't be written or applied is an error."""
    settings = await ls.configuration.settings_for(ls, found.document.uri)
    limit_s = settings.analysis_time_limit_s
    function = replace(found.function, nests=())
    job = FixJob(found.document.path, found.context.source, function, found.nest, found.offer, limit_s)
    try:
        edits = await ls.analysis.run(job)
    except AnalysisTimedOutError:
        setting = "`warplens.analysisTimeLimitSeconds`"
        raise refused(f"writing the fix was ended after {limit_s:g} s: the limit is {setting}") from None
    except AnalysisFailedError as failed:
        raise refused(f"the fix could not be written: {failed}") from None
    if edits.refusal:
        raise refused(edits.refusal)
    if found.document.version != found.version:
        raise _changed()
    return edits


def _require_analysed(document: Document, context: FixContext) -> None:
    """Raise the error that says so where what a nest depends on was edited since it was analysed: types, macros."""
    answer = document.answer
    called = {name for name, _ in answer.edited if name in context.evaluation.facts.nest.inlined} if answer else set()
    what = f"`{min(called)}`" if called else "the text outside of functions with loops"
    if called or document.is_edited_outside:
        raise JsonRpcException(f"{what} was edited since the file was analysed: save it first", _CONTENT_MODIFIED)


def referred_nest(ls: WarplensServer, data: dict[str, Any]) -> tuple[Document, FunctionAnswer, NestAnswer]:
    """The nest that a client names, which has a report."""
    document = ls.documents.get(str(data.get("uri")))
    if document is None or data.get("version") != document.version:
        raise _changed()
    for function, nest in analysed_nests(document):
        if (nest.spans.base, nest.id.ordinal) == (data.get("start"), data.get("ordinal")):
            return document, function, nest
    raise _changed()


def analysed_nests(document: Document) -> Iterator[tuple[FunctionAnswer, NestAnswer]]:
    """Nests with a report that is still true."""
    for function in document.answer.functions if document.answer else ():
        for nest in function.nests:
            if nest.packed:
                yield function, nest


def _changed() -> JsonRpcException:
    return JsonRpcException("the loop has changed since this was offered", _CONTENT_MODIFIED)
