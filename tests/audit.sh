#!/usr/bin/env bash
# Looks every locked package up in the database of known vulnerabilities at osv.dev: `make audit` calls it with pip-audit.
# Fails where one is known, and where the database cannot be asked: what nobody looked up is not sound.
set -uo pipefail
cd "$(dirname "$0")/.."

audit=$1
failed=()
for lock in requirements-dev.lock ansible/requirements.lock docs/site/requirements.lock tests/*.lock images/*/*.lock; do
    echo "audit: $lock"
    said=$("$audit" -s osv --strict --require-hashes --disable-pip --progress-spinner off -r "$lock" 2>&1)
    code=$?
    if [ $code -ne 0 ]; then
        failed+=("$lock")
        grep -q "api.osv.dev" <<<"$said" && {
            echo "audit: osv.dev cannot be reached from here, so nothing was looked up; run it where it can" >&2
            exit 1
        }
        echo "$said" >&2
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "audit: see to ${failed[*]}" >&2
    exit 1
fi
echo "audit: nothing known of any package"
