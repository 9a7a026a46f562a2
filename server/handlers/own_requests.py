"""Warplens' own messages: `warplens/...`, for what the protocol has no words for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from warplens.server import scheduler
from warplens.server.render.pictures.theme import THEMES
from warplens.server.render.visible_text import visible

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


RESTART_COMMAND = "warplens.restartAnalysis"
CLEAR_CACHE_COMMAND = "warplens.clearCache"


def register(server: WarplensServer) -> None:
    """Requests, notifications and commands of our own; what serves one is loaded when it is asked for."""

    @server.feature("warplens/gpus")
    def _gpus(ls: WarplensServer, _params: object) -> list[dict[str, str]]:
        from warplens.server.features import gpus

        return gpus.gpu_list(ls.roots())

    @server.feature("warplens/images")
    def _images(ls: WarplensServer, params: object) -> None:
        theme = as_json(params)
        ls.pictures = THEMES.get(str(theme.get("theme") if isinstance(theme, dict) else None))

    @server.feature("warplens/status")
    def _status(ls: WarplensServer, _params: object) -> dict[str, object]:
        from warplens.server.features import status

        return status.status(ls)

    @server.command(RESTART_COMMAND)
    async def _restart_analysis(ls: Any, *_arguments: Any) -> None:  # pygls evaluates the annotations
        await ls.analysis.stop()
        scheduler.request_analysis_of_all(ls)

    @server.command(CLEAR_CACHE_COMMAND)
    def _clear_cache(ls: Any, *_arguments: Any) -> str:  # as above
        from warplens.server.features.kept_results import cleared_cache

        message = cleared_cache()
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, visible(f"Warplens: {message}")))
        return message

    @server.feature("warplens/reportPage")
    def _report_page(ls: WarplensServer, _params: object) -> dict[str, Any]:
        del ls
        from warplens.server.features import report_page

        return report_page.empty_page()

    @server.feature("warplens/report")
    async def _report(ls: WarplensServer, params: object) -> dict[str, Any] | None:
        from warplens.server.features import report_page

        return await report_page.report_of(ls, as_json(params))

    @server.feature("warplens/reportNest")
    async def _report_nest(ls: WarplensServer, params: object) -> dict[str, Any]:
        from warplens.server.features import report_page

        return await report_page.nest_parts(ls, as_json(params))

    @server.feature("warplens/fixes")
    def _fixes(ls: WarplensServer, params: object) -> list[dict[str, Any]]:
        from warplens.server.features import preview

        asked = ls.converter.structure(as_json(params), types.TextDocumentPositionParams)
        return preview.offered_fixes(ls, asked.text_document.uri, asked.position)

    @server.feature("warplens/noFixes")
    def _no_fixes(ls: WarplensServer, params: object) -> dict[str, str]:
        from warplens.server.features import no_fixes

        asked = ls.converter.structure(as_json(params), types.TextDocumentPositionParams)
        return {"reason": no_fixes.why_no_fixes(ls, asked.text_document.uri, asked.position)}

    @server.feature("warplens/previewFix")
    async def _preview_fix(ls: WarplensServer, params: object) -> dict[str, Any]:
        from warplens.server.features import preview

        fix = as_json(params)
        return await preview.preview_fix(ls, fix if isinstance(fix, dict) else {})

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def _content(ls: WarplensServer, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        from warplens.server.features import preview

        return await preview.preview_content(ls, params.uri)


def as_json(value: Any) -> Any:
    """JSON values of what pygls makes of the parameters of a request that it has no type for."""
    if hasattr(value, "_asdict"):
        return {name: as_json(each) for name, each in value._asdict().items()}
    return [as_json(each) for each in value] if isinstance(value, list) else value
