# SPDX-License-Identifier: MIT
"""Servers under load: memcached, PostgreSQL, MariaDB.  Server and client have the same locks."""

import os
import shutil
import signal
import socket

from . import Absent
from .program import Figure, Program, must_say, number

LIB_POSTGRES = "/usr/lib/postgresql"


def answers(path):
    """Does something listen on the socket at a path?"""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Memcached(Program):
    """memcached under memcaslap, one write to nine reads."""
    name, package = "memcached", "memcached libmemcached-tools"
    needs = ("memcached", "memcaslap")
    figures = {"mixed": Figure("op/s")}
    seconds_each = 3

    def run(self, place):
        port = free_port()
        words = ["memcached", "-l", "127.0.0.1", "-p", port, "-m", 256, "-t", self.threads,
                 "-U", 0]
        if os.geteuid() == 0:
            words += ["-u", "root"]
        server = place.start(words, lambda: listens(port))
        place.begin()
        said = place.run(["memcaslap", "-s", f"127.0.0.1:{port}", "-T", 2, "-c", 32,
                          "-t", f"{self.seconds_each}s"])
        place.lap("mixed")
        must_say(r"^get_misses: 0", said)
        place.stop(server)
        return {"mixed": number(r"TPS: (\d+)", said)}


class Postgres(Program):
    """PostgreSQL's server, whose processes share semaphores, under pgbench, which has threads."""
    name, package, needs = "postgres", "postgresql", (LIB_POSTGRES,)
    figures = {"select": Figure("tx/s"), "update": Figure("tx/s")}
    seconds_each, scale = 3, 5

    def _bin(self):
        versions = sorted(os.listdir(LIB_POSTGRES), key=lambda v: [int(x) for x in v.split(".")])
        if not versions:
            raise Absent("no PostgreSQL: install postgresql")
        return os.path.join(LIB_POSTGRES, versions[-1], "bin")

    def _start(self, place):
        folder, binaries = place.folder, self._bin()
        return place.start(
            [f"{binaries}/postgres", "-D", folder / "data", "-k", folder, "-c",
             "listen_addresses=", "-c", "fsync=off"],
            lambda: answers(folder / ".s.PGSQL.5432") and not self._starting(place),
            user="postgres")

    def _starting(self, place):
        return not (place.folder / "data/postmaster.pid").read_text().rstrip().endswith("ready")

    def _bench(self, place, *words):
        return place.run([f"{self._bin()}/pgbench", "-h", place.folder, "-U", "postgres", *words,
                          "postgres"])

    def prepare(self, place):
        if os.geteuid() == 0:
            shutil.chown(place.folder, "postgres")
        place.run([f"{self._bin()}/initdb", "-D", place.folder / "data", "-A", "trust", "-N",
                   "-U", "postgres"], user="postgres")
        server = self._start(place)
        self._bench(place, "-i", "-q", "-s", self.scale)
        place.stop(server, signal.SIGINT)

    def run(self, place):
        server = self._start(place)
        place.begin()
        found, load = {}, ["-c", self.threads, "-j", 2, "-T", self.seconds_each]
        for name, words in (("select", ["-S"]), ("update", [])):
            said = self._bench(place, *words, *load)
            place.lap(name)
            must_say(r"number of failed transactions: 0", said)
            found[name] = number(r"tps = ([\d.]+)", said)
        place.stop(server, signal.SIGINT)
        return found


class Mariadb(Program):
    """MariaDB's server, one process of many threads in C++, under sysbench."""
    name, package = "mariadb", "mariadb-server sysbench"
    needs = ("mariadbd", "mariadb-install-db", "sysbench")
    figures = {name: Figure("tx/s") for name in ("point_select", "update_index", "read_write")}
    seconds_each = 3

    def _start(self, place):
        path = place.folder / "sock"
        words = ["mariadbd", "--no-defaults", f"--datadir={place.folder / 'mariadb'}",
                 f"--socket={path}", "--skip-networking", f"--pid-file={place.folder / 'pid'}",
                 "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"]
        if os.geteuid() == 0:
            words.append("--user=root")
        return place.start(words, lambda: answers(path))

    def _bench(self, place, test, *words):
        return place.run(["sysbench", f"oltp_{test}", "--db-driver=mysql",
                          f"--mysql-socket={place.folder / 'sock'}", "--mysql-user=root",
                          "--mysql-db=bench", "--tables=2", "--table-size=20000",
                          f"--threads={self.threads}", *words])

    def prepare(self, place):
        place.run(["mariadb-install-db", "--no-defaults", f"--datadir={place.folder / 'mariadb'}",
                   "--user=root", "--auth-root-authentication-method=normal", "--skip-test-db"])
        server = self._start(place)
        place.run(["mariadb", "--no-defaults", "-S", place.folder / "sock", "-u", "root", "-e",
                   "create database bench"])
        self._bench(place, "read_write", "prepare")
        place.stop(server)

    def run(self, place):
        server = self._start(place)
        found = {}
        place.begin()
        for test in self.figures:
            said = self._bench(place, test, f"--time={self.seconds_each}", "run")
            place.lap(test)
            found[test] = number(r"transactions:\s+\d+\s+\(([\d.]+) per sec", said)
        place.stop(server)
        return found
