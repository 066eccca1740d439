# SPDX-License-Identifier: MIT
"""All programs, in the order in which they are run."""

from .runtimes import Java, PythonProcesses, PythonThreading, PythonThreads
from .servers import Mariadb, Memcached, Postgres, Redis
from .storage import KyotoCabinet, Rocksdb, Sqlite, Xz
from .testers import RealTime, StressNg

PROGRAMS = {kind.name: kind for kind in (
    Rocksdb, KyotoCabinet, Memcached, Redis, Sqlite, Postgres, Mariadb, Java, StressNg, RealTime,
    Xz, PythonThreading, PythonThreads, PythonProcesses)}
LONG = ("python-processes",)    # only where it is named
