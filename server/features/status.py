"""`warplens/status`: what the server is and did, for bug reports and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplens.server.background.break_evens import missing_break_evens
from warplens.server.session.documents import Document

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


def status(server: WarplensServer) -> dict[str, object]:
    """The analysis process, and per document the profiles in force and the work that its newest report took."""
    return {
        "version": server.version,
        "analysisProcessId": server.analysis.process_id,
        "trusted": server.trusted,
        "documents": [_document(document) for document in server.documents.values()],
    }


def _document(document: Document) -> dict[str, object]:
    answer = document.answer
    if answer is None:
        return {"uri": document.uri, "failure": document.failure.message if document.failure else None}
    return {
        "uri": document.uri,
        "gpu": answer.gpu,
        "cpu": answer.cpu,
        "language": "C++" if answer.is_cpp else "C",
        "preprocessor": answer.preprocessor,
        "loopsFound": answer.loops_found,
        "declarationsParsed": answer.recomputed.declarations_parsed,
        "nestsAnalysed": answer.recomputed.nests_analysed,
        "nestsEvaluated": answer.recomputed.nests_evaluated,
        "isComplete": not document.is_partial,
        "breakEvensMissing": len(missing_break_evens(document)),
    }
