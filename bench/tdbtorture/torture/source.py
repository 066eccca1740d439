# SPDX-License-Identifier: MIT
"""TDB's sources.  They are never part of this project: Debian's archive has them.

The source package tdb is asked for first, then samba, which has the same in lib/tdb.  apt gets
directories of its own, so that the system's lists stay as they are, and no root is needed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tarfile

from . import Absent

MARK = "common/tdb.c"
PACKAGES = (("tdb", ""), ("samba", "lib/tdb/"))  # package, where TDB lies in it
SECONDS = 300                                    # for each command of apt
LISTS = pathlib.Path("/etc/apt")


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base, "furwock", "tdbtorture")


def find(given, work):
    """The directory of TDB's sources: the one given, the one kept, or a new one."""
    if given:
        if not (given / MARK).is_file():
            raise Absent(f"{given}: no sources of TDB (no {MARK})")
        return given
    kept = work / "tdb"
    if not (kept / MARK).is_file():
        fetch(work, kept)
    return kept


def source_lists():
    """The system's package sources, asked for sources: {file name: text}."""
    found = {}
    for path in [LISTS / "sources.list", *sorted((LISTS / "sources.list.d").glob("*"))]:
        if not path.is_file() or path.suffix not in (".list", ".sources"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".sources":
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", text)
        else:
            lines = {re.sub(r"^deb(-src)?\s", "deb-src ", line.strip())
                     for line in text.splitlines() if line.startswith("deb")}
            text = "".join(line + "\n" for line in sorted(lines))
        if "debian" in text:
            found[path.name] = text
    return found


def _apt(work):
    """apt's directories below `work`; returns the environment in which it uses them."""
    parts = work / "apt" / "parts"
    shutil.rmtree(parts, ignore_errors=True)
    for folder in (parts, work / "apt/state/lists/partial", work / "apt/cache/archives/partial"):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in source_lists().items():
        (parts / name).write_text(text, encoding="utf-8")
    config = work / "apt" / "apt.conf"
    config.write_text(
        f'Dir::State "{work}/apt/state";\nDir::Cache "{work}/apt/cache";\n'
        f'Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "{parts}";\n'
        'APT::Sandbox::User "";\nAcquire::Retries "1";\n', encoding="utf-8")
    return {**os.environ, "APT_CONFIG": str(config), "LC_ALL": "C"}


def _run(words, folder, environment):
    try:
        done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = [line for line in done.stdout.splitlines() if line.startswith("E:")]
    return (lines or done.stdout.splitlines() or ["failed"])[0]


def unpack(archive, inside, where):
    """Takes the directory `inside` out of the archive of a source package."""
    with tarfile.open(archive) as tar:
        members = []
        for member in tar.getmembers():
            name = member.name.partition("/")[2]
            if member.isfile() and name.startswith(inside) and ".." not in name.split("/"):
                member.name = name[len(inside):]
                members.append(member)
        tar.extractall(where, members)


def fetch(work, kept):
    if not shutil.which("apt-get"):
        raise Absent("TDB's sources come from Debian's archive, and there is no apt-get here; "
                     "give --source DIR")
    try:
        work.mkdir(parents=True, exist_ok=True)
        environment = _apt(work)
        problem = _run(["apt-get", "-q", "update"], work, environment)
        for package, inside in PACKAGES:
            folder = work / package
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            problem = _run(["apt-get", "-q", "source", "--download-only", package], folder,
                           environment)
            archives = sorted(folder.glob(f"{package}_*.orig.tar.*"))
            archives = [path for path in archives if path.suffix != ".asc"]
            if problem is None and archives:
                fresh = work / "unpacked"
                shutil.rmtree(fresh, ignore_errors=True)
                unpack(archives[0], inside, fresh)
                if (fresh / MARK).is_file():
                    (fresh / "origin").write_text(archives[0].name + "\n", encoding="utf-8")
                    shutil.rmtree(kept, ignore_errors=True)
                    fresh.rename(kept)
                    return
                problem = f"{archives[0].name} has no {inside}{MARK}"
            shutil.rmtree(folder, ignore_errors=True)
    except (OSError, tarfile.TarError) as error:
        raise Absent(f"TDB's sources cannot be had: {error}") from None
    raise Absent(f"TDB's sources cannot be had: {problem}")


def origin(folder):
    """The archive's name, for the result."""
    try:
        return (folder / "origin").read_text(encoding="utf-8").strip()
    except OSError:
        return str(folder)
