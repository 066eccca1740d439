# SPDX-License-Identifier: MIT
"""Debian's archive: its kernels, and what compiles for them, found by pattern, fetched and unpacked
without being installed."""

import re
import subprocess
import sys
import urllib.request
from pathlib import Path

SUITES = "bookworm bookworm-backports trixie trixie-backports forky sid experimental"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)


def archive():
    """The mirror that this machine's apt has Debian from; None: it has none."""
    lines = run("apt-get", "indextargets", "--format", "$(SITE) $(LABEL)",
                "Created-By: Packages").stdout.splitlines()
    sites = [site for site, _, label in (line.partition(" ") for line in lines)
             if label == "Debian"]
    return sites[0] if sites else None


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def exists(address):
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=20):
            return True
    except OSError:
        return False


class Archive:
    """Debian's archive, with lists of our own: the machine's are not touched."""

    def __init__(self, cache, architecture, suites=SUITES):
        self.cache = cache
        self.suites = suites.split()
        self.name = re.compile(rf"^linux-image-(\d[^ ]*-cloud-{architecture}) ", re.MULTILINE)
        self.site = archive()
        for part in ("lists/partial", "cache/archives/partial", "sources", "packages"):
            (cache / part).mkdir(parents=True, exist_ok=True)
        (cache / "sources/vm.sources").write_text(
            f"Types: deb\nURIs: {self.site}\nSuites: {{}}\nComponents: main\n"
            f"Architectures: {architecture}\nSigned-By: {KEYRING}\n", encoding="utf-8")
        (cache / "status").touch()
        self.options = ["-q", "-o", "APT::Architecture=" + architecture,
                        "-o", "APT::Architectures=" + architecture,
                        "-o", f"Dir::State::status={cache}/status",
                        "-o", "Dir::Etc::SourceList=/dev/null",
                        "-o", f"Dir::Etc::SourceParts={cache}/sources",
                        "-o", f"Dir::State::Lists={cache}/lists", "-o", f"Dir::Cache={cache}/cache",
                        "-o", "Acquire::Languages=none", "-o", "APT::Sandbox::User=root",
                        "-o", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
                        "-o", "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false"]

    def update(self):
        """What went wrong, or "".  One that is gone does no harm to the other suites."""
        if self.site is None:
            return "apt-get indextargets names no mirror of Debian"
        template = (self.cache / "sources/vm.sources").read_text(encoding="utf-8")
        suites = [suite for suite in self.suites
                  if exists(f"{self.site}/dists/{suite}/InRelease")]
        (self.cache / "sources/vm.sources").write_text(template.format(" ".join(suites)),
                                                      encoding="utf-8")
        if not suites:
            return f"{self.site} does not answer: is there a network?"
        done = run("apt-get", *self.options, "update")
        return last_line(done.stdout) if done.returncode else ""

    def kernels(self):
        """The newest first; release candidates last."""
        out = run("apt-cache", *self.options, "search", "--names-only", "^linux-image-[0-9]").stdout
        rows = {}
        for line in out.splitlines():
            match = self.name.match(line)
            if match:
                rows[match.group(1)] = "-rc" not in line
        return sorted(rows, reverse=True, key=lambda name: (
            rows[name], [int(n) for n in re.findall(r"\d+", name.partition("+")[0])], name))

    def fetch(self, name):
        """The kernel's file out of its package (newer ones have it in a package of its own)."""
        done = None
        where = self.cache / "packages" / name
        for package in ("linux-binary-" + name, "linux-image-" + name):
            if list(where.rglob("vmlinuz*")):
                break
            done = run("apt-get", *self.options, "download", package, cwd=self.cache / "packages")
            for deb in (self.cache / "packages").glob(package + "_*.deb"):
                run("dpkg-deb", "-x", str(deb), str(where))
        found = list(where.rglob("vmlinuz*"))
        if not found and done is not None:
            print(f"vm: {name} cannot be had: {last_line(done.stdout)}", flush=True)
        return found[0] if found else None

    def root(self, where, *packages):
        """A directory with these packages and all that they need, as a system would have them.
        What went wrong, or ""."""
        words = ["apt-get", *self.options, "-y", "-o", "APT::Install-Recommends=false"]
        plan = run(*words, "-s", "install", *packages)
        rows = re.findall(r"^Inst (\S+) \((\S+) .*\[(\w+)\]\)", plan.stdout, re.MULTILINE)
        if plan.returncode or not rows:
            return last_line(plan.stdout)
        done = run(*words, "--download-only", "install", *packages)
        if done.returncode:
            return last_line(done.stdout)
        where.mkdir(parents=True, exist_ok=True)
        rows.sort(key=lambda row: row[0] != "base-files")  # it has the links /bin, /lib
        for name, version, architecture in rows:
            deb = f"{name}_{version.replace(':', '%3a')}_{architecture}.deb"
            done = run("dpkg-deb", "-x", str(self.cache / "cache/archives" / deb), str(where))
            if done.returncode:
                return last_line(done.stdout)
        return ""
