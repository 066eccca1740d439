# SPDX-License-Identifier: MIT
"""What is run, and which kinds of locks it is to be found waiting for."""

import pathlib

from fwprograms.program import Figure, Program, number
from fwprograms.runtimes import Java
from fwprograms.servers import Mariadb, Memcached, Postgres

HERE = pathlib.Path(__file__).resolve().parent


class HotPostgres(Postgres):
    """All clients update one row: its lock is waited for at a semaphore."""
    names, expected, scale = ("postgres",), {"semaphore"}, 1


class HotMemcached(Memcached):
    names, expected = ("memcached",), {"mutex"}


class HotMariadb(Mariadb):
    names, expected = ("mariadbd",), {"mutex", "rwlock", "condition", "futex word"}


class HotJava(Java):
    names, expected = ("java",), {"Java monitor", "Java park"}


class HotPython(Program):
    """Threads that compute, and that take one lock."""
    name, package, needs = "python", "python3", ("/usr/bin/python3",)
    names, expected = ("python3",), {"Python GIL", "Python lock"}
    figures = {"turns": Figure("op/s")}

    def run(self, workdir):
        said = workdir.run(["/usr/bin/python3", HERE / "contend.py", self.threads])
        return {"turns": number(r"^turns ([\d.]+)", said)}


class HotGo(Program):
    """Goroutines that take one mutex: their threads wait for work."""
    name, package, needs = "go", "golang-go", ("go",)
    names, expected = ("contend",), {"Go scheduler"}
    figures = {"turns": Figure("op/s")}

    def prepare(self, workdir):
        workdir.run(["go", "build", "-o", workdir.folder / "contend", HERE / "contend.go"],
                    HOME=str(workdir.folder), GOFLAGS="-mod=mod", GOTOOLCHAIN="local")

    def run(self, workdir):
        said = workdir.run([workdir.folder / "contend", self.threads])
        return {"turns": number(r"^turns ([\d.]+)", said)}


PROGRAMS = {"postgres": HotPostgres, "mariadb": HotMariadb, "memcached": HotMemcached,
            "go": HotGo, "java": HotJava, "python": HotPython}
