"""Runs inside the target and prints its state as JSON: kernel settings, rights, units, groups, packages, files."""

import grp
import json
import subprocess
from pathlib import Path


def said(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def content(path):
    """Of several words the chosen one: a fake file does not keep the others."""
    text = path.read_text().strip()
    return text.partition("[")[2].partition("]")[0] if "[" in text else text


def units():
    """Whether it is active, and whether it is enabled."""
    names = said(
        "systemctl", "list-unit-files", "--no-legend", "--type=service,timer,socket,path"
    ).splitlines()
    active = said("systemctl", "list-units", "--no-legend", "--plain", "--state=active").splitlines()
    alive = {line.split()[0] for line in active}
    return {name: [name in alive, enabled] for name, enabled, *_ in map(str.split, names)}


trees = [path for path in Path("/fake").rglob("*") if path.is_file()]
own = [path for path in Path("/etc").rglob("*joulemark*") if path.is_file()]
status = said("dpkg-query", "-f", "${db:Status-Status} ${binary:Package}\n", "-W").splitlines()
state = {
    "values": {str(path): content(path) for path in trees},
    "rights": {str(path): [oct(path.stat().st_mode), path.stat().st_gid] for path in trees},
    "units": units(),
    "groups": sorted(f"{one.gr_name} {one.gr_mem}" for one in grp.getgrall()),
    "packages": [line for line in status if line.startswith("installed")],
    "files": {str(path): content(path) for path in own},
    "link": Path("/usr/local/bin/suite").is_symlink(),
    "daemon": Path("/etc/docker/daemon.json").exists(),
}
print(json.dumps(state))
