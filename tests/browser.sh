#!/usr/bin/env bash
# Makes sure that a headless Chromium and its driver are here, for the tests that look at reports.
set -euo pipefail
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
  echo "browser: $(chromium --version 2>/dev/null || echo present)"
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "browser: no chromium and chromedriver here; install them, or the browser tests are skipped" >&2
  exit 0
fi
log=$(mktemp)
echo "browser: installing chromium"
{ apt-get update -q && apt-get install -y -q --no-install-recommends chromium chromium-driver; } >"$log" 2>&1 || {
  echo "browser: installation failed: $(tail -n 1 "$log")" >&2
  exit 1
}
