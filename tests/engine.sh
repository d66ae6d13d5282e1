#!/usr/bin/env bash
# Makes sure that a Docker engine answers and that images can be built from something: `make test` calls it first.
# Starts an engine only on Debian or Ubuntu as root; may be run again at any time.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
wait_s=60

say() { echo "engine: $1"; }
fail() {
    echo "engine: $1" >&2
    exit 1
}
source "$root/tests/packages.sh"
# `docker info` of newer clients exits 0 without an engine, hence `version`.
answers() { command -v docker >/dev/null && timeout 10 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# dockerd waits in vain for whatever process now has the id that a killed daemon left behind.
remove_stale_pid_file() {
    local file=$1 name=$2 pid
    [ -f "$file" ] || return 0
    pid=$(cat "$file")
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$name" ] || grep -q '^State:.Z' "/proc/$pid/status"; then
        rm -f "$file"
    fi
}

start_engine() {
    local daemon_log daemon
    daemon_log=$(mktemp /tmp/joulemark-dockerd.XXXXXX.log)
    remove_stale_pid_file /run/docker.pid dockerd
    remove_stale_pid_file /run/docker/containerd/containerd.pid containerd
    say "starting dockerd, its log in $daemon_log"
    setsid dockerd >"$daemon_log" 2>&1 </dev/null &
    daemon=$!
    for _ in $(seq "$wait_s"); do
        answers && return 0
        kill -0 "$daemon" 2>/dev/null || fail "dockerd ended: $(grep '^failed' "$daemon_log" | tail -n 1)"
        sleep 1
    done
    fail "dockerd did not answer within $wait_s s; its log is $daemon_log"
}

if ! answers; then
    can_install || fail "no Docker engine answers, and starting one needs root on Debian or Ubuntu"
    command -v dockerd >/dev/null || install docker.io
    install iptables apparmor # without apparmor no container starts on Debian's kernels
    command -v docker >/dev/null || install docker-cli # a package of its own from Debian 13 on
    answers || start_engine
fi
say "Docker engine $(docker version --format '{{.Server.Version}}') answers"

# Someone else's engine on someone else's machine: without root it pulls the public base instead.
if told=$("$root/images/base.sh" 2>&1); then
    say "${told##*$'\n'}"
elif can_install; then
    install mmdebstrap
    say "making joulemark/base:bookworm"
    told=$("$root/images/base.sh" 2>&1) || fail "${told##*$'\n'}"
elif docker image inspect joulemark/base:bookworm >/dev/null 2>&1; then
    fail "${told##*$'\n'}"
else
    say "no joulemark/base:bookworm, and making it needs root; images start from the public one"
fi
