#!/usr/bin/env bash
# as_user.sh UID GID COMMAND...: runs a command as another user, also where the interpreter lies in root's closed home.
set -euo pipefail

as_user() { exec setpriv --reuid "$1" --regid "$2" --clear-groups --inh-caps=-all -- "${@:3}"; }

# The first folder on the way to a path that others may not enter.
closed_folder() {
    local place=$1 found=""
    while [ "$place" != / ]; do
        [ ! -d "$place" ] || [ $((0$(stat -c %a "$place") & 1)) -ne 0 ] || found=$place
        place=$(dirname "$place")
    done
    echo "$found"
}

# In mounts of its own, that folder is an open one with nothing in it but what is needed.
needed=$(realpath "${JOULEMARK_TEST_NEEDS:-/}")
closed=$(closed_folder "$needed")
if [ -n "$closed" ] && [ -z "${JOULEMARK_TEST_OPENED:-}" ]; then
    JOULEMARK_TEST_OPENED=1 exec unshare --mount --propagation private -- "$0" "$@"
fi
if [ -n "$closed" ]; then
    asked=$(umask)
    umask 022
    kept=$(mktemp -d)
    mount --bind "$needed" "$kept"
    mount -t tmpfs -o mode=0755 none "$closed"
    mkdir -p "$needed"
    mount --move "$kept" "$needed"
    rmdir "$kept"
    umask "$asked"
fi
as_user "$@"
