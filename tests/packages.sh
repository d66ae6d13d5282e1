# For scripts that `make test` calls: Debian packages are installed only where missing, and each by itself, so that
# one which conflicts with what is here takes no other with it. Whoever sources this has `say` and `fail`.

can_install() { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; }

install() {
    local package
    for package in "$@"; do
        installed "$package" || install_one "$package"
    done
}

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

install_one() {
    local log
    say "installing $1"
    [ -n "${lists_are_new:-}" ] || log=$(apt-get update -qq 2>&1) || fail "apt-get update failed: ${log##*$'\n'}"
    lists_are_new=yes
    log=$(DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" 2>&1) ||
        fail "$1 cannot be installed: $(grep -m 1 -E '^(E:| .* (Conflicts|Depends): )' <<<"$log" || echo "${log##*$'\n'}")"
}
