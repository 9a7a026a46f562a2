"""The folder in which results are kept from one start to the next."""

from __future__ import annotations

import tempfile

from warplens.server.doctor.check import Check
from warplens.server.result_cache.folder import VARIABLE, UnusableFolderError, private_folder


def kept_results_check() -> Check:
    """Nothing needs it: without one each start analyses again."""
    try:
        folder = private_folder()
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
    except (UnusableFolderError, OSError) as error:
        remedy = f"each start analyses again; set {VARIABLE} to a folder of your own that can be written"
        return Check("kept results", "note", f"nothing is kept: {error}", remedy)
    sizes = [each.stat().st_size for each in folder.iterdir() if each.is_file()]
    return Check("kept results", "ok", f"{folder}, {len(sizes)} files, {sum(sizes) / (1 << 20):.1f} MiB")
