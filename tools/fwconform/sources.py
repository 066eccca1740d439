# SPDX-License-Identifier: MIT
"""Debian source packages, got through an apt configuration of our own below one folder.

Nothing of the machine's apt configuration is changed, and nothing of a package is installed.
"""

import shutil
import subprocess

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ARCHIVES = ("http://deb.debian.org/debian {suite} main",
            "http://deb.debian.org/debian-security {suite}-security main")


class Unavailable(Exception):
    """No source: offline, another distribution, or a tool is missing."""


def _suite():
    with open("/etc/os-release", encoding="utf-8") as file:
        for line in file:
            if line.startswith("VERSION_CODENAME="):
                return line.split("=", 1)[1].strip().strip('"')
    raise Unavailable("/etc/os-release names no release of Debian")


class Apt:
    """apt-get with its lists, its cache and its sources below `root`."""

    def __init__(self, root):
        for tool in ("apt-get", "dpkg-source"):
            if shutil.which(tool) is None:
                raise Unavailable(f"needs {tool} (package dpkg-dev, on Debian)")
        self.root = root
        for folder in ("lists/partial", "cache/archives/partial"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        suite = _suite()
        (root / "sources.list").write_text(
            "".join(f"deb-src [signed-by={KEYRING}] {archive.format(suite=suite)}\n"
                    for archive in ARCHIVES), encoding="utf-8")
        self.updated = False

    def call(self, *words, cwd=None):
        options = {"Dir::Etc::SourceList": self.root / "sources.list",
                   "Dir::Etc::SourceParts": "/dev/null", "Dir::State::Lists": self.root / "lists",
                   "Dir::Cache": self.root / "cache", "APT::Sandbox::User": "root"}
        command = ["apt-get", "-q", *(f"-o{key}={value}" for key, value in options.items()),
                   *words]
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, timeout=600,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            last = done.stdout.strip().splitlines()[-1:] or ["no word"]
            raise Unavailable(f"apt-get {words[0]}: {last[0]}")

    def archive(self, package):
        """The folder with the package's archives as they are; fetched where not there yet."""
        archive = self.root / f"{package}.archive"
        if any(archive.glob("*.dsc")):
            return archive
        if not self.updated:
            self.call("update")
            self.updated = True
        archive.mkdir(exist_ok=True)
        self.call("source", "--download-only", package, cwd=archive)
        return archive

    def source(self, package):
        """The unpacked source of the package; fetched where it is not there yet."""
        tree = self.root / package
        if tree.is_dir():
            return tree
        archive = self.archive(package)
        description = next(archive.glob("*.dsc"))
        unpacked = subprocess.run(["dpkg-source", "-x", description, tree], check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if unpacked.returncode != 0:
            raise Unavailable(f"dpkg-source -x {description.name}: {unpacked.stderr.strip()}")
        return tree
