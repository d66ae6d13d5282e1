#!/usr/bin/env bash
# Makes sure that what the tests need to look at reports is here: a headless Chromium, its driver, and axe-core.
set -euo pipefail

axe_version=4.14.1
axe_sha256=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745 # of the package
axe_folder=$(cd "$(dirname "$0")/.." && pwd)/build/axe-core

say() { echo "browser: $1"; }
fail() {
    echo "browser: $1" >&2
    exit 1
}
present() { command -v chromium >/dev/null && command -v chromedriver >/dev/null && command -v npm >/dev/null; }

install() {
    local log
    log=$(mktemp)
    say "installing chromium and npm"
    { apt-get update -q && apt-get install -y -q --no-install-recommends chromium chromium-driver npm; } >"$log" 2>&1 ||
        fail "installation failed: $(tail -n 1 "$log")"
}

# One file of the package, which the project does not ship.
fetch_axe() {
    [ -f "$axe_folder/axe.min.js" ] && return
    local place
    place=$(mktemp -d)
    (cd "$place" && npm pack --silent "axe-core@$axe_version" >/dev/null 2>&1) || fail "cannot fetch axe-core $axe_version"
    echo "$axe_sha256  $place/axe-core-$axe_version.tgz" | sha256sum --check --quiet || fail "axe-core is not what it was"
    mkdir -p "$axe_folder"
    tar -xzf "$place/axe-core-$axe_version.tgz" -C "$axe_folder" --strip-components=1 package/axe.min.js package/LICENSE
    rm -r "$place"
}

if ! present; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "browser: no chromium, chromedriver and npm here; install them, or the browser tests are skipped" >&2
        exit 0
    fi
    install
fi
fetch_axe
say "$(chromium --version 2>/dev/null || echo present), axe-core $axe_version"
