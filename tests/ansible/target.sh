#!/usr/bin/env bash
# Makes joulemark/target:bookworm, a host to be prepared: Debian with systemd and Debian's own ansible. The packages
# that setup.yml installs lie in apt's archive, so that it works without a network. Remade when this file changes.
set -euo pipefail

image=joulemark/target:bookworm
recipe=$(sha256sum "$0" | cut -c 1-16)
host=systemd,systemd-sysv,dbus,libpam-systemd,dbus-user-session,udev,sudo,cron,libcap2-bin,ca-certificates,ansible-core,git,openssh-server
installed_later="python3-apt docker.io iptables procps apparmor python3-venv make"

say() { echo "target.sh: $1"; }
fail() {
    echo "target.sh: $1" >&2
    exit 2
}
source "$(dirname "$0")/../packages.sh"

if [ "$(docker image inspect --format '{{index .Config.Labels "recipe"}}' "$image" 2>/dev/null)" = "$recipe" ]; then
    exit 0
fi
[ "$(id -u)" -eq 0 ] || fail "must run as root, because mmdebstrap unpacks a root file system"
command -v mmdebstrap >/dev/null || install mmdebstrap
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --variant=minbase --skip=cleanup/apt --include="$host" \
    --customize-hook='APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get install -qq --download-only --no-install-recommends '"$installed_later" \
    --customize-hook='rm -rf "$1"/etc/apt/auth.conf.d' \
    bookworm "$work/target.tar" >"$work/log" 2>&1 || fail "mmdebstrap failed: $(grep -m 1 '^E:' "$work/log" || tail -n 1 "$work/log")"
docker import --change "LABEL recipe=$recipe" --change 'ENV container=docker LANG=C.UTF-8' "$work/target.tar" "$image" >/dev/null
