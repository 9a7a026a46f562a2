#!/bin/sh
# The tests in a real VS Code: installs code-server and the Node that runs it, pinned, and runs the files that are named.
# They need Linux on x86-64 and Chromium (CHROMIUM=path where it is not on PATH). Without them they are skipped, with a message;
# with WARPLENS_EDITORS=required that is a failure.
set -eu
cd "$(dirname "$0")"

lacking() {
    echo "The tests in VS Code need $1." >&2
    [ "${WARPLENS_EDITORS:-}" != required ] || exit 1
    echo "They are skipped." >&2
    exit 0
}

[ "$(uname -sm)" = "Linux x86_64" ] || lacking "Linux on x86-64"
CHROMIUM=$(command -v "${CHROMIUM:-chromium}") || lacking "Chromium (tests/e2e/editors/install.sh)"
export CHROMIUM

server=node_modules/code-server/lib/vscode
done=node_modules/.installed
if [ ! -e "$done" ] || [ -n "$(find package-lock.json vscode-dependencies.lock.json -newer "$done")" ]; then
    npm ci --ignore-scripts --no-audit --no-fund
    # The lock file inside of code-server does not fit its own package.json; this is what npm makes of the two.
    cp vscode-dependencies.lock.json "$server/npm-shrinkwrap.json"
    (cd "$server" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund)
    touch "$done"
fi
# In one process: the files share one code-server and one window.
rm -f screenshots/failed*
run() { node_modules/.bin/node --test --test-isolation=none --test-reporter=spec "$@"; }
# A browser on a busy machine loses a key or a click now and then: what fails twice is broken.
run "$@" || { echo "The first run failed; all of them are run once more." >&2 && run "$@"; }
