"""Versions of Warplens, Python and the libraries; whether every profile is valid; the pages that links lead to."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from warplens.analysis.advice.catalogue import RULES
from warplens.hwprofiles.loader import cpu_names, gpu_names, load_cpu, load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.doctor.check import Check
from warplens.server.features.to_lsp import rule_page_uri
from warplens.server.render.glossary import terms

REINSTALL = "install it again: `pip install --force-reinstall warplens`"
_REQUIREMENT = re.compile(r"([\w.-]+)\s*([^;]*)(;.*)?")


def installation_checks() -> Iterator[Check]:
    """What is installed."""
    yield Check("warplens", "ok", f"{version('warplens')}, Python {platform.python_version()} at {sys.executable}")
    yield _libraries()
    yield _profiles("GPU profiles", gpu_names(), load_gpu)
    yield _profiles("CPU profiles", cpu_names(), load_cpu)
    yield _pages()


def _libraries() -> Check:
    found: list[str] = []
    missing: list[str] = []
    for requirement in requires("warplens") or ():
        parts = _REQUIREMENT.match(requirement)
        if parts is None or parts.group(3):
            continue  # only wanted by those who develop it, or elsewhere
        try:
            found.append(f"{parts.group(1)} {version(parts.group(1))}")
        except PackageNotFoundError:
            missing.append(parts.group(1))
    if missing:
        return Check("libraries", "wrong", f"missing: {', '.join(missing)}", REINSTALL)
    return Check("libraries", "ok", ", ".join(sorted(found)))


def _profiles(name: str, known: tuple[str, ...], load: Callable[[str], object]) -> Check:
    wrong = []
    for each in known:
        try:
            load(each)
        except ProfileError as error:
            wrong.append(str(error))
    if wrong or not known:
        return Check(name, "wrong", "; ".join(wrong) or "there are none", REINSTALL)
    return Check(name, "ok", f"{len(known)}, all valid: {', '.join(known)}")


def _pages() -> Check:
    missing = [rule.code for rule in RULES if rule_page_uri(rule.code) is None]
    if missing or not terms():
        what = ", ".join((*missing, *(() if terms() else ("the glossary",))))
        return Check("pages", "wrong", f"not installed: {what}", REINSTALL)
    return Check("pages", "ok", f"{len(RULES)} rules, {len(terms())} words (`warplens explain WL201`, `.. occupancy`)")
