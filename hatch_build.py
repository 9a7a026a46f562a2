"""Editable installs: hatchling refuses a prefix change there, so links under build/dev stand in for it."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LINKED = ("__main__.py", "analysis", "docs", "hwprofiles", "server")


class CustomBuildHook(BuildHookInterface):
    """Make build/dev/warplens/{__main__.py,analysis,docs,hwprofiles,server} links when the build is editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before each build; `version` is "editable" or "standard"."""
        if version != "editable":
            return
        target = Path(self.root, "build", "dev", "warplens")
        target.mkdir(parents=True, exist_ok=True)
        for name in LINKED:
            link = target / name
            if not link.is_symlink():
                link.symlink_to(Path("..", "..", "..", name), target_is_directory=Path(self.root, name).is_dir())
