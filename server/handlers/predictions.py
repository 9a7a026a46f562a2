"""Questions about one nest under other conditions, each a request and a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warplens.server.handlers.own_requests import as_json

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

WHAT_IF_COMMAND = "warplens.whatIf"
COMPARE_COMMAND = "warplens.compareGpus"


def register(server: WarplensServer) -> None:
    """Other sizes, machines and launches; several GPUs side by side."""

    @server.feature("warplens/whatIf")
    async def _what_if(ls: WarplensServer, params: object) -> dict[str, Any]:
        from warplens.server.features.what_if import what_if

        return await what_if(ls, as_json(params))

    @server.command(WHAT_IF_COMMAND)
    async def _what_if_command(ls: Any, *arguments: Any) -> dict[str, Any]:  # pygls evaluates the annotations
        from warplens.server.features.what_if import what_if

        return await what_if(ls, as_json(arguments[0]) if arguments else None)

    @server.feature("warplens/compareGpus")
    async def _compare_gpus(ls: WarplensServer, params: object) -> dict[str, Any]:
        from warplens.server.features.compare_gpus import compare_gpus

        return await compare_gpus(ls, as_json(params))

    @server.command(COMPARE_COMMAND)
    async def _compare_command(ls: Any, *arguments: Any) -> dict[str, Any]:  # pygls evaluates the annotations
        from warplens.server.features.compare_gpus import compare_gpus

        return await compare_gpus(ls, as_json(arguments[0]) if arguments else None)
