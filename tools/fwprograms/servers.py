# SPDX-License-Identifier: MIT
"""Servers under load: memcached, Redis, PostgreSQL, MariaDB.  Server and client have the same
locks."""

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

    def run(self, workdir):
        port = free_port()
        words = ["memcached", "-l", "127.0.0.1", "-p", port, "-m", 256, "-t", self.threads,
                 "-U", 0]
        if os.geteuid() == 0:
            words += ["-u", "root"]
        server = workdir.start(words, lambda: listens(port))
        workdir.begin()
        said = workdir.run(["memcaslap", "-s", f"127.0.0.1:{port}", "-T", 2, "-c", 32,
                          "-t", f"{self.seconds_each}s"])
        workdir.lap("mixed")
        must_say(r"^get_misses: 0", said)
        workdir.stop(server)
        return {"mixed": number(r"TPS: (\d+)", said)}


class Redis(Program):
    """Redis under redis-benchmark, with I/O threads, which poll, and are stopped by mutexes."""
    name, package = "redis", "redis-server redis-tools"
    needs = ("redis-server", "redis-benchmark")
    figures = {"set": Figure("op/s"), "get": Figure("op/s")}
    requests, io_threads = 300000, 2

    def shorten(self):
        self.requests = 20000

    def run(self, workdir):
        port = free_port()
        server = workdir.start(
            ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir",
             workdir.folder, "--io-threads", self.io_threads, "--io-threads-do-reads", "yes"],
            lambda: listens(port))
        workdir.begin()
        found = {}
        for name in self.figures:
            said = workdir.run(["redis-benchmark", "-p", port, "-t", name, "-n", self.requests,
                                "-c", 64, "-P", 4, "--csv"])
            workdir.lap(name)
            found[name] = number(rf'^"{name.upper()}","([\d.]+)"', said)
        workdir.stop(server)
        return found


class Postgres(Program):
    """PostgreSQL's server, whose processes share semaphores, under pgbench, which has threads."""
    name, package, needs = "postgres", "postgresql", (LIB_POSTGRES,)
    figures = {"select": Figure("tx/s"), "update": Figure("tx/s")}
    length, scale = ("-T", 3), 5

    def shorten(self):
        # A number for each client, not a time: in a second there may be none, and of none pgbench
        # tells no rate.
        self.length = ("-t", 25)

    def _bin(self):
        versions = sorted(os.listdir(LIB_POSTGRES), key=lambda v: [int(x) for x in v.split(".")])
        if not versions:
            raise Absent("no PostgreSQL: install postgresql")
        return os.path.join(LIB_POSTGRES, versions[-1], "bin")

    def _start(self, workdir):
        folder, binaries = workdir.folder, self._bin()
        return workdir.start(
            [f"{binaries}/postgres", "-D", folder / "data", "-k", folder, "-c",
             "listen_addresses=", "-c", "fsync=off"],
            lambda: answers(folder / ".s.PGSQL.5432") and not self._starting(workdir),
            user="postgres")

    def _starting(self, workdir):
        return not (workdir.folder / "data/postmaster.pid").read_text().rstrip().endswith("ready")

    def _bench(self, workdir, *words):
        return workdir.run([f"{self._bin()}/pgbench", "-h", workdir.folder, "-U", "postgres",
                            *words,
                          "postgres"])

    def prepare(self, workdir):
        if os.geteuid() == 0:
            shutil.chown(workdir.folder, "postgres")
        workdir.run([f"{self._bin()}/initdb", "-D", workdir.folder / "data", "-A", "trust", "-N",
                   "-U", "postgres"], user="postgres")
        server = self._start(workdir)
        self._bench(workdir, "-i", "-q", "-s", self.scale)
        workdir.stop(server, signal.SIGINT)

    def run(self, workdir):
        server = self._start(workdir)
        workdir.begin()
        found, load = {}, ["-c", self.threads, "-j", 2, *self.length]
        for name, words in (("select", ["-S"]), ("update", [])):
            said = self._bench(workdir, *words, *load)
            workdir.lap(name)
            must_say(r"number of failed transactions: 0", said)
            found[name] = number(r"tps = ([\d.]+)", said)
        workdir.stop(server, signal.SIGINT)
        return found


class Mariadb(Program):
    """MariaDB's server, one process of many threads in C++, under sysbench."""
    name, package = "mariadb", "mariadb-server sysbench"
    needs = ("mariadbd", "mariadb-install-db", "sysbench")
    figures = {name: Figure("tx/s") for name in ("point_select", "update_index", "read_write")}
    seconds_each = 3

    def _start(self, workdir):
        path = workdir.folder / "sock"
        words = ["mariadbd", "--no-defaults", f"--datadir={workdir.folder / 'mariadb'}",
                 f"--socket={path}", "--skip-networking", f"--pid-file={workdir.folder / 'pid'}",
                 "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"]
        if os.geteuid() == 0:
            words.append("--user=root")
        return workdir.start(words, lambda: answers(path))

    def _bench(self, workdir, test, *words):
        return workdir.run(["sysbench", f"oltp_{test}", "--db-driver=mysql",
                          f"--mysql-socket={workdir.folder / 'sock'}", "--mysql-user=root",
                          "--mysql-db=bench", "--tables=2", "--table-size=20000",
                          f"--threads={self.threads}", *words])

    def prepare(self, workdir):
        workdir.run(["mariadb-install-db", "--no-defaults",
                     f"--datadir={workdir.folder / 'mariadb'}",
                   "--user=root", "--auth-root-authentication-method=normal", "--skip-test-db"])
        server = self._start(workdir)
        workdir.run(["mariadb", "--no-defaults", "-S", workdir.folder / "sock", "-u", "root", "-e",
                   "create database bench"])
        self._bench(workdir, "read_write", "prepare")
        workdir.stop(server)

    def run(self, workdir):
        server = self._start(workdir)
        found = {}
        workdir.begin()
        for test in self.figures:
            said = self._bench(workdir, test, f"--time={self.seconds_each}", "run")
            workdir.lap(test)
            found[test] = number(r"transactions:\s+\d+\s+\(([\d.]+) per sec", said)
        workdir.stop(server)
        return found
