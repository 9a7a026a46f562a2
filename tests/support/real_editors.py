"""Programs that the tests with real editors run: there, or the test is skipped, or fails where they are required."""

import os
import shutil
from pathlib import Path

import pytest

_INSTALL = "tests/e2e/editors/install.sh"


def editor_or_skip(command: str) -> Path:
    """Path of `nvim`, `emacs`, `chromium`, `clangd`, `zsh`, `fish` or `groff`.

    A test whose program is missing is skipped with a message, and fails where the environment has
    WARPLENS_EDITORS=required. `$CHROMIUM` names a browser in another place.
    """
    named = os.environ.get("CHROMIUM") if command == "chromium" else None
    found = shutil.which(named or command)
    if found is not None:
        return Path(found)
    message = f"no {named or command} on this machine: {_INSTALL} installs it on Debian or says how to get it"
    if os.environ.get("WARPLENS_EDITORS") == "required":
        pytest.fail(message)
    pytest.skip(message)
