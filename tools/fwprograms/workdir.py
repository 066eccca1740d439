# SPDX-License-Identifier: MIT
"""A folder and an environment to run programs in.

A command that does not end in time is killed with all its descendants; where gdb is there, the
stacks of all of them are kept first, since a hang is what this tool is there to find.
"""

import os
import pathlib
import pwd
import resource
import shutil
import signal
import subprocess
import time
from typing import NamedTuple, Optional

from . import Absent, Failure

SECONDS = 120.0                 # for a command, unless it says otherwise
GDB_SECONDS = 60
LATEST_LINES = 6                # of what a failed command said
POLL_SECONDS = 0.02


class Variant(NamedTuple):
    """Whose locks: those of the C library, or of a library put before it."""
    name: str
    library: Optional[pathlib.Path]
    counts: bool = False        # who waits for what, as under furwock run --stat


PLAIN = Variant("glibc", None)


def parents():
    """{process: its parent} of all processes."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        found[int(path.parent.name)] = int(fields[1])
    return found


def family(pid):
    """A process and its descendants, eldest first."""
    up, found = parents(), [pid]
    for member in found:
        found += [child for child, parent in up.items() if parent == member]
    return found


def spent(pids):
    """CPU seconds of processes that run, and of the children that they have waited for."""
    ticks = 0
    for pid in pids:
        try:
            text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        ticks += sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def has_mapped(pid, library):
    try:
        return str(library) in pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="utf-8",
                                                                          errors="replace")
    except OSError:
        return False


def become(user):
    """What Popen needs so that root runs a command as another user."""
    if user is None or os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        raise Absent(f"there is no user {user}") from None
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


class Workdir:
    def __init__(self, folder, reports, variant=PLAIN, label="", slower=1.0):
        self.folder, self.reports = folder, reports
        self.variant, self.label, self.slower = variant, label, slower
        self.children = []
        self.costs, self.before = {}, self._spent()

    def _spent(self):
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        alive = [pid for child in self.children if child.poll() is None
                 for pid in family(child.pid)]
        return ended.ru_utime + ended.ru_stime + spent(alive)

    def begin(self):
        """What is spent from now on belongs to the figure whose lap ends next."""
        self.before = self._spent()

    def lap(self, figure):
        """Ends the part of a run that a figure is about; its CPU seconds are in `costs`."""
        now = self._spent()
        self.costs[figure], self.before = now - self.before, now

    def turn(self, variant, label):
        """The same folder for a run with another library."""
        return Workdir(self.folder, self.reports, variant, label, self.slower)

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items()
                if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
        kept.update(LC_ALL="C", TMPDIR=str(self.folder), **more)
        if self.variant.library:
            kept["LD_PRELOAD"] = str(self.variant.library)
        if self.variant.counts:
            kept["FURWOCK_STAT"] = str(self._counts())
        return kept

    def _counts(self):
        """Where the counting library puts what it counts; any user's processes may."""
        where = self.folder / "counts"
        if not where.is_dir():
            where.mkdir()
            where.chmod(0o777)
        return where

    def _begin(self, words, user, output, more):
        words = [str(word) for word in words]
        try:
            child = subprocess.Popen(words, cwd=self.folder, env=self.environment(**more),
                                     stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT, start_new_session=True,
                                     **become(user))
        except OSError as error:
            raise Absent(f"{words[0]}: {error.strerror}") from None
        self.children.append(child)
        return child

    def run(self, words, seconds=SECONDS, user=None, **more):
        """Runs a command to its end and returns what it said; `more` is for its environment."""
        path = self.folder / f"said-{len(self.children)}"
        with open(path, "wb") as output:
            child = self._begin(words, user, output, more)
        try:
            status = child.wait(seconds * self.slower)
        except subprocess.TimeoutExpired:
            self._report_hang(child, path)
        said = path.read_text(encoding="utf-8", errors="replace")
        if status != 0:
            raise Failure(f"{pathlib.Path(str(words[0])).name}: {how_ended(status)}: "
                          f"{self.keep(path, 'said')}")
        return said

    def start(self, words, ready, seconds=SECONDS, user=None, **more):
        """Starts a server and waits until ready() is true."""
        path = self.folder / f"said-{len(self.children)}"
        with open(path, "wb") as output:
            child = self._begin(words, user, output, more)
        until = time.monotonic() + seconds * self.slower
        while not ready():
            if child.poll() is not None:
                raise Failure(f"{words[0]} ended at once: {how_ended(child.returncode)}: "
                              f"{self.keep(path, 'said')}")
            if time.monotonic() > until:
                self._report_hang(child, path)
            time.sleep(POLL_SECONDS)
        if self.variant.library and not has_mapped(child.pid, self.variant.library):
            raise Failure(f"{words[0]} runs without {self.variant.library.name}")
        child.said = path
        return child

    def stop(self, child, number=signal.SIGTERM, seconds=SECONDS, good=(0,)):
        """Ends a server in its own way; it must then be gone in time, and in order."""
        early = child.poll()
        if early is None:
            child.send_signal(number)
        try:
            status = child.wait(seconds * self.slower)
        except subprocess.TimeoutExpired:
            self._report_hang(child, child.said)
        if early is not None or status not in good:
            raise Failure(f"server: {how_ended(status)}: {self.keep(child.said, 'said')}")

    def end(self):
        """Kills what is left."""
        for child in self.children:
            if child.poll() is None:
                for pid in family(child.pid):
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                child.wait()
        self.children.clear()

    def keep(self, path, kind):
        """Keeps a file among the reports; returns its path, and its last lines."""
        self.reports.mkdir(parents=True, exist_ok=True)
        kept = self.reports / f"{self.label}-{kind}.txt"
        shutil.copyfile(path, kept)
        lines = kept.read_text(encoding="utf-8", errors="replace").splitlines()
        return f"{kept}: " + " | ".join(lines[-LATEST_LINES:])

    def _report_hang(self, child, said):
        kept = self.reports / f"{self.label}-stacks.txt"
        self.reports.mkdir(parents=True, exist_ok=True)
        with open(kept, "wb") as output:
            for pid in family(child.pid):
                try:
                    subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-ex",
                                    "thread apply all bt"], stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, check=False,
                                   timeout=GDB_SECONDS)
                except (OSError, subprocess.TimeoutExpired):
                    continue
        where = self.keep(said, "said")
        self.end()
        raise Failure(f"hung; stacks in {kept}, output in {where}")


def how_ended(status):
    if status >= 0:
        return f"status {status}"
    try:
        return "killed by " + signal.Signals(-status).name
    except ValueError:
        return f"killed by signal {-status}"
