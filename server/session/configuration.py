"""The client's settings, per folder when it can tell them, asked for again when they change."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server.settings.settings import Settings, settings_from_client

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

_ANSWER_LIMIT_S = 2.0
_SECTION = "warplens"
logger = logging.getLogger(__name__)


class Configuration:
    """Settings by the scope they were asked for; what the client pushed itself counts for all scopes."""

    def __init__(self) -> None:
        self._pushed: object = None
        self._by_scope: dict[str, Settings] = {}
        self._said: set[str] = set()

    def push(self, value: object) -> None:
        """Take settings that the client sent by itself (initialization options, didChangeConfiguration)."""
        self._pushed = value.get(_SECTION, value) if isinstance(value, dict) else value
        self.forget()

    def forget(self) -> None:
        """Ask again the next time."""
        self._by_scope.clear()

    def known(self, scope: str) -> Settings:
        """The settings last read for a scope, without asking."""
        return self._by_scope.get(scope) or settings_from_client(self._pushed)[0]

    async def settings_for(self, server: WarplensServer, scope: str) -> Settings:
        """The settings of a folder or document; defaults when the client doesn't answer."""
        if scope not in self._by_scope:
            settings, problems = settings_from_client(await self._ask(server, scope))
            self._by_scope[scope] = settings
            for problem in problems:
                if problem not in self._said:
                    self._said.add(problem)
                    server.show_warning(problem)
        return self._by_scope[scope]

    async def _ask(self, server: WarplensServer, scope: str) -> object:
        workspace = server.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            return self._pushed
        item = types.ConfigurationItem(scope_uri=scope, section=_SECTION)
        try:
            async with asyncio.timeout(_ANSWER_LIMIT_S):
                values = await server.workspace_configuration_async(types.ConfigurationParams([item]))
        except Exception as error:  # noqa: BLE001 - whatever the client does, its settings must not stop an analysis
            logger.warning("the client did not give its settings: %s", error)
            return self._pushed
        return values[0] if values and values[0] is not None else self._pushed
