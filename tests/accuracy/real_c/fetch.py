"""Get and unpack the packages into the ignored build folder: `fetch.py [NAME...]`.

Debian sources need deb-src enabled (an own configuration can be named in APT_CONFIG); sdists need pip.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from accuracy.real_c.package import Package, packages


def main() -> int:
    """Fetch what is not there yet; 1 when a package could not be had."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    failed = 0
    for package in packages(parser.parse_args().names):
        message = fetch(package)
        failed += bool(message)
        print(f"{package.name} {package.version}: {message or 'ok'}", flush=True)
    return int(failed > 0)


def fetch(package: Package) -> str:
    """Unpack a package unless it is there, and write the headers its build would make; says why it could not."""
    done = package.folder / f".fetched-{package.version.replace(':', '_')}"
    if not done.exists():
        shutil.rmtree(package.folder, ignore_errors=True)
        package.folder.mkdir(parents=True)
        message = _debian(package) if package.source == "debian" else _sdist(package)
        if message:
            return message
        done.touch()
    shutil.rmtree(package.generated, ignore_errors=True)
    _generate(package)
    return ""


def _debian(package: Package) -> str:
    """The archive of the authors, without Debian's patches; what dpkg-source would add is not C."""
    wanted = f"{package.name}={package.version}"
    message = _run(["apt-get", "source", "-qq", "--tar-only", "-o", "APT::Sandbox::User=root", wanted], package.folder)
    return message or _unpack(package.folder, "*.orig.tar.*")


def _sdist(package: Package) -> str:
    requirement = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package.name, requirement]
    message = _run(command, package.folder)
    return message or _unpack(package.folder, "*.tar.gz")


def _unpack(folder: Path, pattern: str) -> str:
    archives = [path for path in folder.glob(pattern) if not path.name.endswith(".asc")]
    for archive in archives:
        with tarfile.open(archive) as content:
            content.extractall(folder, filter="data")
        archive.unlink()
    return "" if archives else "no archive came"


def _run(command: list[str], folder: Path) -> str:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else (run.stderr.strip().splitlines() or ["failed without a message"])[-1]


def _generate(package: Package) -> None:
    for name, text in package.headers.items():
        header = package.generated / name
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(text, encoding="utf-8")
    for folder, globs in package.header_folders.items():
        target = package.generated / folder
        target.mkdir(parents=True, exist_ok=True)
        for header in sorted(path for pattern in globs for path in package.folder.glob(pattern)):
            shutil.copyfile(header, target / header.name)


if __name__ == "__main__":
    sys.exit(main())
