# SPDX-License-Identifier: MIT
"""The peers: how the program of each is built.  Others' sources are never part of this project.

What has to be fetched is fetched when it is asked for: tokio by cargo, libcoro and cppcoro by git,
at the commits named here.  All lies in the cache, and is built again only if something changed.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import NamedTuple, Optional

from front import Trouble

from . import Absent

FETCH_SECONDS, BUILD_SECONDS = 120, 600


class Git(NamedTuple):
    url: str
    commit: str
    mark: str                   # a file by which the sources are recognised
    sources: tuple              # that are compiled in
    includes: tuple


class Peer(NamedTuple):
    about: str
    family: str
    how: str                    # built, c++, cargo, go
    git: Optional[Git] = None


PEERS = {
    "furwock": Peer("fw::mutex, co_await, a loop for each thread", "furwock", "built"),
    "tokio": Peer("tokio::sync::Mutex on tokio's runtime", "rival", "cargo"),
    "go": Peer("sync.Mutex, goroutines", "rival", "go"),
    "asio": Peer("a channel of one place, as Asio has no lock (1.22)", "rival", "c++"),
    "libcoro": Peer("coro::mutex on coro::thread_pool", "rival", "c++", Git(
        "https://github.com/jbaldwin/libcoro.git", "277467ffdee1d7f04e93c6b4c72689c6c743f567",
        "include/coro/mutex.hpp",
        ("src/mutex.cpp", "src/thread_pool.cpp", "src/sync_wait.cpp", "src/event.cpp",
         "src/detail/task_self_deleting.cpp"), ("include",))),
    "cppcoro": Peer("cppcoro::async_mutex on cppcoro::static_thread_pool", "rival", "c++", Git(
        "https://github.com/andreasbuhr/cppcoro.git", "b8e41b99a927eaabcfd073ae4c7b966c5859f866",
        "include/cppcoro/async_mutex.hpp",
        ("lib/async_mutex.cpp", "lib/static_thread_pool.cpp", "lib/spin_mutex.cpp",
         "lib/spin_wait.cpp", "lib/auto_reset_event.cpp"), ("include", "lib"))),
}
FLAGS = ("-std=c++20", "-O2", "-DNDEBUG", "-w", "-pthread")
GENERATED = {"coro/export.hpp": "#define CORO_EXPORT\n"}    # what libcoro's CMake would write


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base, "furwock", "manytasks")


def _run(words, seconds, **how):
    """None, or why it failed, in a line."""
    try:
        done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                              check=False, **how)
    except OSError as error:
        return f"{words[0]}: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{words[0]}: no end after {seconds} s"
    if done.returncode == 0:
        return None
    lines = done.stdout.strip().splitlines() or [f"{words[0]}: status {done.returncode}"]
    return next((line for line in lines if "error" in line or "fatal" in line), lines[-1])


class Builder:
    """Builds the peers' programs; `sources` are directories that the user named, by peer."""

    def __init__(self, here, sources, say):
        try:
            with open(pathlib.Path(here, "build.json"), encoding="utf-8") as file:
                self.known = json.load(file)
        except OSError:
            raise Trouble("build.json is missing: run the manytasks of a build directory",
                          2) from None
        self.sources, self.say, self.work = sources, say, cache()
        self.texts = pathlib.Path(self.known["peers"])

    def program(self, name):
        """The path of the peer's program; Absent where it cannot be had."""
        peer = PEERS[name]
        if peer.how == "built":
            if not os.access(self.known["furwock"], os.X_OK):
                raise Absent("manytasks-furwock is not built")
            return self.known["furwock"]
        words, environment, inside = getattr(self, "_" + peer.how.replace("+", "p"))(name, peer)
        return self._made(name, words, environment, inside)

    def _made(self, name, words, environment, inside):
        """Runs the command that makes it, unless the same has been made before."""
        told = hashlib.sha256(repr(words).encode())
        for path in sorted(self.texts.rglob("*")):
            if path.is_file():
                told.update(path.read_bytes())
        target = self.work / "bin" / f"{name}-{told.hexdigest()[:16]}"
        if target.exists():
            return str(target)
        self.say(f"building {name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            out = pathlib.Path(folder, "out")
            words = [str(word).replace("{out}", str(out)) for word in words]
            environment = {key: value.replace("{out}", str(out))
                           for key, value in environment.items()}
            failed = _run(words, BUILD_SECONDS, cwd=self.texts / inside,
                          env={**os.environ, **environment})
            if failed:
                raise Absent(f"cannot be built: {failed}")
            made = out / "release/manytasks" if inside == "tokio" else out
            shutil.move(made, target)
        return str(target)

    def _cargo(self, _name, _peer):
        if not shutil.which("cargo"):
            raise Absent("there is no cargo")
        return (["cargo", "build", "--release", "--locked", "--quiet"],
                {"CARGO_TARGET_DIR": "{out}", "CARGO_NET_RETRY": "1"}, "tokio")

    def _go(self, _name, _peer):
        if not shutil.which("go"):
            raise Absent("there is no go")
        return ["go", "build", "-o", "{out}", "."], {"GOFLAGS": "-buildvcs=false"}, "go"

    def _cpp(self, name, peer):
        compiler = self.known["compiler"]
        if not compiler:
            raise Absent("there is no C++20 compiler")
        words = [compiler, *FLAGS, f"-I{self.known['common']}", f"{name}.cc", "-o", "{out}"]
        if peer.git is None:
            return words, {}, "."
        tree = self._tree(name, peer.git)
        generated = self.work / "generated"
        for path, text in GENERATED.items():
            (generated / path).parent.mkdir(parents=True, exist_ok=True)
            (generated / path).write_text(text, encoding="utf-8")
        words += [f"-I{generated}", *(f"-I{tree / folder}" for folder in peer.git.includes),
                  *(tree / source for source in peer.git.sources)]
        return words, {}, "."

    def _tree(self, name, git):
        """The directory of its sources: the one given, the one kept, or a new one."""
        given = self.sources.get(name)
        if given is not None:
            if not (given / git.mark).is_file():
                raise Absent(f"{given}: no sources of {name} (no {git.mark})")
            return given.resolve()
        kept = self.work / f"{name}-{git.commit[:12]}"
        if (kept / git.mark).is_file():
            return kept
        if not shutil.which("git"):
            raise Absent("its sources come by git, and there is none; give --source")
        self.say(f"fetching {name}")
        self.work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            fresh = pathlib.Path(folder, "tree")
            quiet = {"env": {**os.environ, "GIT_TERMINAL_PROMPT": "0"}}
            for words in (["init", "-q", fresh],
                          ["-C", fresh, "fetch", "-q", "--depth", "1", git.url, git.commit],
                          ["-C", fresh, "checkout", "-q", "FETCH_HEAD"]):
                failed = _run(["git", *words], FETCH_SECONDS, **quiet)
                if failed:
                    raise Absent(f"its sources cannot be had: {failed}")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.move(fresh, kept)
        return kept
