"""What an editor asks of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

_ACTIONS = types.CodeActionOptions(
    code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite], resolve_provider=True
)


def register(server: WarplensServer) -> None:
    """Hovers, lenses, hints and code actions; each is loaded when it is first asked for, if it isn't yet."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def _hover(ls: WarplensServer, params: types.HoverParams) -> types.Hover | None:
        from warplens.server.features.hover import hover

        return hover(ls, params)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def _code_lenses(ls: WarplensServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        from warplens.server.features.code_lens import code_lenses

        return code_lenses(ls, params)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def _inlay_hints(ls: WarplensServer, params: types.InlayHintParams) -> list[types.InlayHint]:
        from warplens.server.features.inlay_hints import inlay_hints

        return await inlay_hints(ls, params)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, _ACTIONS)
    async def _code_actions(ls: WarplensServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        from warplens.server.features.code_actions import code_actions

        return await code_actions(ls, params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def _resolve(ls: WarplensServer, action: types.CodeAction) -> types.CodeAction:
        from warplens.server.features.code_actions import resolve

        return await resolve(ls, action)
