#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A library whose functions take locks, in front of the C library; and what the locks call.

A lock whose slow path calls a function that others may replace calls what takes a lock: itself,
perhaps.  So each name that a library of locks takes from elsewhere is listed here, with the reason
why that is safe.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                *[os.pardir] * 3, "tools"))

from fwpreload import preloaded  # noqa: E402

# Of the compiler, the linker and the start of a program; nobody replaces them.
TOOLCHAIN = {
    "_ITM_deregisterTMCloneTable": "weak, of the start files",
    "_ITM_registerTMCloneTable": "weak, of the start files",
    "__gmon_start__": "weak, of the start files",
    "__cxa_finalize": "weak, of the start files: at the end",
    "_Unwind_Resume": "a thread is cancelled: the unwinder's, on its way",
    "__gcc_personality_v0": "the same",
    "__stack_chk_fail": "the end, where a distribution compiles with it",
}

# Pure functions of bytes: what replaces them (a sanitizer's runtime) takes no locks.
PURE = dict.fromkeys(
    ("memchr memcpy memmove memset strchr strcmp strcspn strlen strncmp strncpy strnlen strrchr "
     "strstr").split(), "a pure function of bytes")

THREADS = {
    "__errno_location": "where errno is: an address in the thread",
    "__register_atfork": "while the library is loaded",
    "__rseq_offset": "a number, and no function",
    "__rseq_size": "a number, and no function",
    "__environ": "a pointer, and no function",
    "environ": "a pointer, and no function",
    "getauxval": "reads what the kernel gave the process; no lock in it",
    "abort": "the end, after a line about misuse",
    "pthread_key_create": "while the library is loaded",
    "pthread_setspecific": "of a key whose values the thread itself has room for",
    "pthread_setcanceltype": "the C library's own state of the thread; it alone can do it",
    "pthread_testcancel": "the same",
    "snprintf": "of numbers and text: it takes no lock, and does not allocate",
    "strtoul": "of digits, in the kernel's files",
    "strtoull": "of digits, in the kernel's files",
    "__isoc23_strtoul": "what newer headers of the C library call it",
    "__isoc23_strtoull": "the same",
}

DROP_IN = {
    "dlsym": "pthread_cancel, pthread_setschedparam and the like, on their way to the C library",
    "malloc": "sem_open, with no lock held but its own",
    "free": "sem_close, with no lock held but its own",
    "pthread_self": "the thread pointer",
    "pthread_setcancelstate": "the C library's own state of the thread; it alone can do it",
}

COUNTING = {
    "_Unwind_Backtrace": "a chain of calls: nobody else can unwind; not again within itself",
    "_Unwind_GetIP": "the same",
    "dl_iterate_phdr": "at the first call of furwock's that is not the program's own: finds it",
    "dlopen": "the same, of what is loaded",
    "fprintf": "the end, where it is not found",
    "stderr": "the same",
}

# Not drawn in by preloading: called to make, open and close regions and objects, never in a wait.
LIBRARY = dict.fromkeys("aligned_alloc malloc free".split(), "init and destroy of a brlock")
LIBRARY.update(dict.fromkeys("fcntl fstat mmap munmap sysconf getrlimit".split(),
                             "a region is opened or closed; a thread joins"))
LIBRARY.update(dict.fromkeys(
    ("calloc pthread_attr_destroy pthread_attr_init pthread_attr_setstacksize pthread_create "
     "pthread_join pthread_setname_np pthread_sigmask secure_getenv sigfillset").split(),
    "a loop, or its first watch of a region's lock, is made or ends"))

LIBRARY.update(dict.fromkeys("pthread_getspecific pthread_once strerror vsnprintf".split(),
                             "why a region was refused: the thread's own text"))

OPTIONS = None


def undefined(library):
    lines = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, text=True,
                           stdout=subprocess.PIPE, timeout=900).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


class Calls(unittest.TestCase):
    def check(self, library, *allowed):
        known = {name for table in allowed for name in table}
        names = undefined(library)
        self.assertIn("abort", names)  # there is something to look at
        self.assertEqual(sorted(names - known), [], f"{library} calls what others may replace")

    def test_of_the_drop_in(self):
        self.check(OPTIONS.library, TOOLCHAIN, PURE, THREADS, DROP_IN)

    def test_of_the_counting_drop_in(self):
        self.check(OPTIONS.counting, TOOLCHAIN, PURE, THREADS, DROP_IN, COUNTING)

    def test_of_libfurwock(self):
        self.check(OPTIONS.shared, TOOLCHAIN, PURE, THREADS, LIBRARY)


class Interposed(unittest.TestCase):
    """The interposer is first, as it is for whoever follows the advice that ours is the last."""

    def run_behind(self, *libraries, **more):
        environment = dict(os.environ, **preloaded(*libraries), **more)
        return subprocess.run([OPTIONS.program, "timed"], env=environment, timeout=900, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def check(self, *libraries, **more):
        ended = self.run_behind(*libraries, **more)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr),
                         (0, "all came to the end\n", ""))

    def test_the_program_alone(self):
        self.check(OPTIONS.interposer)

    def test_the_drop_in(self):
        self.check(OPTIONS.interposer, OPTIONS.library)

    def test_the_counting_drop_in(self):
        with tempfile.TemporaryDirectory() as directory:
            self.check(OPTIONS.interposer, OPTIONS.counting, FURWOCK_STAT=directory)
            self.assertTrue(list(pathlib.Path(directory).iterdir()))


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("interposer", "program", "library", "counting", "shared"):
        parser.add_argument(name)
    OPTIONS = parser.parse_args()
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
