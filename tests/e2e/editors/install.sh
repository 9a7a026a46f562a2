#!/bin/sh
# What the tests with real editors need: VS Code's browser, Neovim, Emacs with eglot, and clangd to live beside.
# The shells whose completion is tested, and what sets manual pages.
# And the compiler whose OpenMP has a device with memory of its own (docs/testing.md): clang with its offload tools.
# Installs it on Debian when run by root; does nothing where it is there; elsewhere says what is missing and how to get it.
# With WARPLENS_EDITORS=required it fails where something stays missing, without it those tests are skipped.
set -u

has() { command -v "$1" >/dev/null 2>&1; }
has_eglot() { has emacs && emacs --batch --eval "(progn (package-activate-all) (require 'eglot))" >/dev/null 2>&1; }

# A program whose region runs on the host's processor as on a device, or ends with an error.
has_offload() {
    has clang || return 1
    probe=$(mktemp -d) || return 1
    printf 'int main(void)\n{\n int left = 1;\n#pragma omp target map(left)\n left = 0;\n return left;\n}\n' >"$probe/probe.c"
    clang -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu "$probe/probe.c" -o "$probe/probe" >/dev/null 2>&1 &&
        OMP_TARGET_OFFLOAD=MANDATORY "$probe/probe" >/dev/null 2>&1
    offloads=$?
    rm -rf "$probe"
    return $offloads
}

missing_packages() {
    has "${CHROMIUM:-chromium}" || echo chromium
    has nvim || echo neovim
    has emacs || echo emacs-nox
    has_eglot || echo elpa-eglot
    has clangd || echo clangd
    has zsh || echo zsh
    has fish || echo fish
    has groff || echo groff-base
    has_offload || echo clang clang-tools libomp-dev
}

missing=$(missing_packages | tr '\n' ' ')
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && has apt-get && grep -q '^ID=debian$' /etc/os-release 2>/dev/null; then
    echo "Installing for the tests with real editors, shells and compilers: $missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086  # one word for each package
    apt-get update -qq && apt-get install -qq --no-install-recommends $missing >/dev/null
    missing=$(missing_packages | tr '\n' ' ')
    [ -n "$missing" ] || exit 0
fi

echo "Missing for the tests with real editors, shells and compilers: $missing" >&2
echo "  On Debian, as root: apt-get install --no-install-recommends $missing" >&2
echo "  Elsewhere: Chromium (CHROMIUM=path names it), Neovim 0.7 or newer, Emacs 28 with eglot 1.9 or Emacs 29, clangd, zsh, fish, groff." >&2
if [ "${WARPLENS_EDITORS:-}" = required ]; then
    exit 1
fi
echo "  The tests that need them are skipped." >&2
