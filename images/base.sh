#!/usr/bin/env bash
# Makes joulemark/base:bookworm (Debian's Python 3.11 and a C++ compiler, about 530 MB) from Debian packages, for
# machines that reach no container registry. Does nothing if it is there with these packages; --force makes it anew.
set -euo pipefail

image=joulemark/base:bookworm
packages=python3,python3-venv,python3-pip,ca-certificates
packages+=,g++,libpython3-dev  # for what a framework compiles while it runs: nothing can be installed on it later
label=org.joulemark.base-packages

fail() {
    echo "base.sh: $1" >&2
    exit 2
}

force=
case "${1:-}" in
    "") ;;
    --force) force=yes ;;
    *) fail "unknown option '$1' (known: --force)" ;;
esac

command -v docker >/dev/null || fail "no docker command; install docker.io"
engine=$(docker version --format '{{.Server.Version}}' 2>&1) || fail "no Docker engine answers: ${engine##*$'\n'}"
old=
if found=$(docker image inspect --format "{{index .Config.Labels \"$label\"}}" "$image" 2>/dev/null); then
    if [ -z "$force" ] && [ "$found" = "$packages" ]; then
        echo "$image is there already"
        exit 0
    fi
    old="$image is there, of other packages; "
fi
command -v mmdebstrap >/dev/null || fail "${old}no mmdebstrap; install it (apt-get install mmdebstrap)"
[ "$(id -u)" -eq 0 ] ||
    fail "${old}must run as root, because mmdebstrap unpacks a root file system: sudo images/base.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The same packages give the same bytes: no file is younger than this (Debian 12's release). Bytecode that names its
# source's time would then be out of date, and without a time it would be checked at every start: so it is made anew.
export SOURCE_DATE_EPOCH=1686355200
# The host's list of mirrors is emptied: it may carry a password, and nothing installs packages from this base.
if ! mmdebstrap --quiet --variant=minbase --include="$packages" \
    --customize-hook='rm -rf "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/* "$1"/etc/apt/auth.conf.d/*' \
    --customize-hook='chroot "$1" python3 -m compileall -q -f --invalidation-mode unchecked-hash /usr/lib/python3*' \
    bookworm "$work/base.tar" 2>"$work/log"; then
    fail "mmdebstrap failed: $(grep -m 1 '^E:' "$work/log" || tail -n 1 "$work/log")"
fi
docker import --change 'ENV LANG=C.UTF-8' --change "LABEL $label=$packages" "$work/base.tar" "$image" >/dev/null
echo "$image is made"
