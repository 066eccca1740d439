# SPDX-License-Identifier: MIT
"""Tests of where ulockflex's locks lie, as its users ask for it: --memory and --regions.

"In a run, Ulockflex allocates a finite set (typically one) of global shared regions (shmat or
mmap'ed files) and a specified number of user locks which are assigned to the shared region in a
round robin fashion" (Franke, Russell and Kirkwood 2002, section 4.1).

The argument is the directory in which it was built.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

from infull import IN_FULL  # noqa: E402

BUILT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
PATIENCE = 900.0
SHORT = ("--seconds", "0.05", "--rounds", "2", "--max-rounds", "2", "--quiet", "--probes", "none")
# What /proc/PID/maps calls a region that is shared between processes.
MAPPED = {"anonymous": r"/dev/zero \(deleted\)$", "shmat": r"/SYSV[0-9a-f]{8} \(deleted\)$",
          "file": r"/ulockflex-\w{6} \(deleted\)$"}


def ulockflex(*arguments):
    return subprocess.run([BUILT / "ulockflex", *arguments], text=True, capture_output=True,
                          check=False, timeout=PATIENCE)


def mapped_while_running(memory, kind, locks, regions):
    """How many such regions the tasks of a run have; the run goes on until that was seen."""
    child = subprocess.Popen(
        [BUILT / "ulockflex-run", "--lock", "futex", "--kind", kind, "--tasks", "2",
         "--locks", str(locks), "--regions", str(regions), "--memory", memory, "--rate", "1",
         "--seconds", "600", "--lht", "1", "--nlht", "1"], stdout=subprocess.DEVNULL)
    try:
        children = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children")
        tasks = pathlib.Path(f"/proc/{child.pid}/task")
        while child.poll() is None:
            forked = children.read_text(encoding="ascii").split()
            if len(forked) == 2 or len(list(tasks.iterdir())) >= 3:
                pid = forked[-1] if forked else child.pid
                text = pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
                return len(re.findall(MAPPED[memory], text, re.M))
        raise AssertionError("it ended")
    finally:
        child.kill()
        child.wait()


class Memory(unittest.TestCase):
    def test_results_say_where_the_locks_lay(self):
        for memory in MAPPED:
            for kind in ("threads", "processes") if IN_FULL else ("processes",):
                with self.subTest(memory=memory, kind=kind), \
                        tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder, "r.json")
                    done = ulockflex(*SHORT, "--kind", kind, "--tasks", "4", "--locks", "5",
                                     "--memory", memory, "--regions", "3", "--pick", "random",
                                     "--json", str(path), "futex", "ulock")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
                    self.assertEqual([(c["memory"], c["regions"]) for c in cells],
                                     [(memory, 3)] * 2)
                    self.assertTrue(all(run["integrity"] == 0 and run["iterations"] > 0
                                        for cell in cells for run in cell["runs"]))
                    self.assertIn(f", {memory}, 3 regions", done.stdout)

    def test_there_are_as_many_regions(self):
        for memory, kind in (("shmat", "processes"), ("file", "threads"), ("file", "processes")):
            with self.subTest(memory=memory, kind=kind):
                one = mapped_while_running(memory, kind, 8, 1)
                self.assertEqual(one, 1)
                self.assertEqual(mapped_while_running(memory, kind, 8, 5), 5)

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([BUILT / "ulockflex", *SHORT, "--memory", "file", "futex"],
                                  env={**os.environ, "TMPDIR": folder}, check=False,
                                  capture_output=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_refused(self):
        for arguments, why in ((("--memory", "shm", "futex"), "memory"),
                               (("--regions", "3", "--locks", "2", "futex"), "--regions"),
                               (("paper", "--memory", "file"), "--memory"),
                               (("today", "--regions", "2"), "--regions")):
            done = ulockflex(*SHORT, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(why, done.stderr)
        done = subprocess.run([BUILT / "ulockflex-run", "--lock", "furwock-ipc", "--memory",
                               "shmat"], text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("a region of its own kind", done.stderr)

    def test_old_results_lie_where_they_did(self):
        """Of a configuration without these options a result says nothing of them, as before."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "r.json")
            self.assertEqual(ulockflex(*SHORT, "--json", str(path), "futex").returncode, 0)
            cell = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
        self.assertEqual({"memory", "regions"} & set(cell), set())


if __name__ == "__main__":
    unittest.main()
