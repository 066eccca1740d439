# SPDX-License-Identifier: MIT
"""Storage engines: rocksdb, Kyoto Cabinet, SQLite."""

import pathlib
import shutil
import time

from . import Absent
from .program import CONTENDED, Figure, Program, must_say, number

HERE = pathlib.Path(__file__).resolve().parent


class Rocksdb(Program):
    """rocksdb's own benchmark.  A small block cache with few shards: the threads meet in it."""
    name, package, needs = "db_bench", "rocksdb-tools", ("db_bench",)
    figures = {name: Figure("op/s", goal=CONTENDED)
               for name in ("fillrandom", "readrandom", "readwhilewriting")}
    keys, cache_bytes, cache_bits = 200000, 8 << 20, 0
    writes, seconds_each = 240000, 3

    def shorten(self):
        super().shorten()
        self.keys //= 10
        self.writes //= 10

    def run(self, workdir):
        folder = workdir.folder / "rocksdb"
        shutil.rmtree(folder, ignore_errors=True)
        found = {}
        for test in self.figures:
            words = ["db_bench", f"--db={folder}", f"--benchmarks={test}",
                     f"--threads={self.threads}", f"--num={self.keys}",
                     f"--cache_size={self.cache_bytes}",
                     f"--cache_numshardbits={self.cache_bits}", "--compression_type=none"]
            if test == "fillrandom":
                words += [f"--writes={self.writes // self.threads}"]
            else:
                words += [f"--duration={self.seconds_each}", "--use_existing_db=1"]
            said = workdir.run(words)
            workdir.lap(test)
            found[test] = number(rf"^{test}\s*:.*?(\d+) ops/sec", said)
        return found


class KyotoCabinet(Program):
    """Its random mixture of all operations, on the cache hash database; it checks itself."""
    name, package, needs = "kccachetest", "kyotocabinet-utils", ("kccachetest",)
    figures = {"wicked": Figure("s", more=False, goal=CONTENDED)}
    operations = 150000

    def shorten(self):
        self.operations //= 10

    def run(self, workdir):
        said = workdir.run(["kccachetest", "wicked", "-th", self.threads, "-capcnt", 100000,
                          self.operations])
        workdir.lap("wicked")
        must_say(r"^ok$", said)
        return {"wicked": number(r"^time: ([\d.]+)", said)}


class Sqlite(Program):
    """Threads that use one connection (SQLite's recursive mutexes), a database each (its allocator
    is common to all), or connections to a common cache, where a lock is refused, not waited for."""
    name, package = "sqlite", "libsqlite3-dev gcc"
    needs = ("cc", "/usr/include/sqlite3.h")
    figures = {"one connection": Figure("op/s"), "own databases": Figure("op/s"),
               "shared cache": Figure("op/s", goal=None)}
    milliseconds = 1500

    def prepare(self, workdir):
        program = workdir.folder / "sqlite_threads"
        workdir.run(["cc", "-O2", "-o", program, HERE / "sqlite_threads.c", "-lsqlite3",
                     "-pthread"])

    def run(self, workdir):
        found = {}
        for kind, name in (("1", "one connection"), ("own", "own databases"),
                           ("cache", "shared cache")):
            said = workdir.run([workdir.folder / "sqlite_threads", kind, self.threads,
                              self.milliseconds])
            workdir.lap(name)
            must_say(r"^good$", said)
            found[name] = number(r"^rate ([\d.]+)", said)
        return found


class Xz(Program):
    """xz with several threads, which pass blocks through queues."""
    name, package, needs = "xz", "xz-utils", ("xz",)
    figures = {"compress": Figure("s", more=False)}
    megabytes = 16

    def prepare(self, workdir):
        library = pathlib.Path("/usr/lib/x86_64-linux-gnu/libc.a")
        text = library.read_bytes() if library.exists() else bytes(range(256)) * 4096
        data = (text * (1 + (self.megabytes << 20) // len(text)))[:self.megabytes << 20]
        (workdir.folder / "data").write_bytes(data)
        if not data:
            raise Absent("no data to compress")

    def run(self, workdir):
        data, packed = workdir.folder / "data", workdir.folder / "data.xz"
        packed.unlink(missing_ok=True)
        begun = time.monotonic()
        workdir.run(["xz", "-1", "-k", f"-T{self.threads}", "--block-size=65536", data])
        took = time.monotonic() - begun
        workdir.lap("compress")
        workdir.run(["xz", "-t", packed])
        return {"compress": took}
