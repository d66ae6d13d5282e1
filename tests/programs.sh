#!/usr/bin/env bash
# Makes sure that the programs which the tests call are here, from wherever: `make test` calls it with its Python.
# Installs what is missing only on Debian or Ubuntu as root; may be run again at any time.
set -euo pipefail

python=$1
say() { echo "programs: $1"; }
fail() {
    echo "programs: $1" >&2
    exit 1
}
source "$(dirname "$0")/packages.sh"

missing=()
# need COMMAND PACKAGE...: a command that the tests call, and where Debian has it.
need() { command -v "$1" >/dev/null || missing+=("${@:2}"); }

need git git           # of which commit a wheel is
need cc gcc libc6-dev  # emulated GPUs and clocks
need c++ g++           # PyTorch's mode compile, and the header below
need ip iproute2       # builds without a network
need zsh zsh           # complete, as bash does
need fish fish
need chromium chromium # looks at reports
need chromedriver chromium-driver
PATH=$PATH:/usr/sbin:/sbin # where Debian has daemons
need munged munge          # carries campaigns out on two nodes
need slurmctld slurm-wlm
"$python" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
    missing+=("$("$python" -c 'import sys; print("python%d.%d-dev" % sys.version_info[:2])')")

if [ ${#missing[@]} -gt 0 ]; then
    can_install || fail "missing here, by Debian's names: ${missing[*]}; install them, or run this as root on Debian or Ubuntu"
    install "${missing[@]}"
fi
say "compilers, ip, shells, Slurm and $(chromium --version 2>/dev/null || echo chromium) are here"
