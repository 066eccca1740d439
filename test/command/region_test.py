#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock regions and furwock show: what they say of a region in use, and of what is none."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import command_test
from command_test import furwock

PROGRAM = []
SHARED_MEMORY = pathlib.Path("/dev/shm")
REGION_BYTES = 1 << 17


class RegionUsers:
    """A region with processes in all roles; `who` has their ids."""

    def __init__(self, name, size=REGION_BYTES):
        self.name = name
        self.process = subprocess.Popen([*PROGRAM, name, str(size)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.who = {}
        for line in self.process.stdout:
            role, _, number = line.strip().partition(" ")
            if role == "ready":
                return
            self.who[role] = int(number)
        raise RuntimeError("not all users of the region have arrived")

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class InUse(command_test.Case):
    @classmethod
    def setUpClass(cls):
        cls.name = f"/furwock-show-test-{os.getpid()}"
        cls.path = SHARED_MEMORY / cls.name[1:]
        cls.users = RegionUsers(cls.name)
        cls.who = cls.users.who

    @classmethod
    def tearDownClass(cls):
        if cls.users.process.poll() is None:
            cls.users.end()
        cls.path.unlink(missing_ok=True)

    def show(self):
        return json.loads(self.good("show", self.name, "--json"))

    def objects(self):
        return {o["name"]: o for o in self.show()["objects"]}

    @staticmethod
    def roles(threads):
        return {(t["process"], t["role"], t["liveness"]) for t in threads}

    def test_the_whole(self):
        whole = self.show()
        self.assertEqual(whole["format"], "furwock-show-1")
        self.assertEqual((whole["bytes"], whole["region_format"]), (REGION_BYTES, 1))
        self.assertTrue(whole["has_stamps"])
        self.assertIsNone(whole["trouble"])
        self.assertEqual(whole["damaged"], 0)
        self.assertEqual({o["kind"] for o in whole["objects"]},
                         {"mutex", "rwlock", "cond", "sem", "permits", "barrier", "once", "journal",
                          "data"})

    def test_mutex(self):
        jobs = self.objects()["jobs"]
        self.assertEqual((jobs["state"], jobs["generation"]), ("held", 2))
        self.assertEqual(self.roles(jobs["inside"]), {(self.who["repairer"], "holds", "alive")})
        self.assertGreater(jobs["inside"][0]["ns"], 0)
        self.assertEqual(self.roles(jobs["waiting"]),
                         {(self.who["locker"], "waits to lock", "alive")})
        self.assertGreater(jobs["waiting"][0]["ns"], 0)
        self.assertEqual((jobs["died"]["process"], jobs["died"]["generation"]),
                         (self.who["dead"], 1))
        self.assertEqual(self.objects()["given up"]["state"], "abandoned")

    def test_rwlock(self):
        table = self.objects()["table"]
        self.assertEqual(self.roles(table["inside"]),
                         {(self.who["writer"], "waits for readers to leave", "alive"),
                          (self.who["reader"], "reads", "alive")})
        self.assertIn((self.who["late"], "waits to read", "alive"), self.roles(table["waiting"]))

    def test_cond(self):
        objects = self.objects()
        self.assertEqual(self.roles(objects["cond"]["waiting"]),
                         {(self.who["sleeper"], "waits for a signal", "alive")})
        self.assertEqual(objects["signalled"]["state"], "free")

    def test_sem_and_units(self):
        objects = self.objects()
        self.assertEqual((objects["slots"]["value"], objects["slots"]["maximum"]), (2, 5))
        self.assertEqual((objects["lent"]["permits"], objects["lent"]["free"]), (4, 1))
        self.assertEqual(self.roles(objects["lent"]["inside"]),
                         {(self.who["dead"], "has permit", "dead"),
                          (self.who["reader"], "has permit", "alive"),
                          (self.who["stopped"], "has permit", "stopped")})
        self.assertEqual(len({t["number"] for t in objects["lent"]["inside"]}), 3)

    def test_barrier_and_once(self):
        objects = self.objects()
        step = objects["step"]
        self.assertEqual((step["round"], step["parties"], step["vacant"]), (0, 3, 1))
        self.assertEqual(self.roles(step["inside"]),
                         {(self.who["repairer"], "has arrived, party", "alive"),
                          (self.who["stopped"], "is awaited, party", "stopped")})
        self.assertEqual(self.roles(step["waiting"]), {(self.who["repairer"], "waits", "alive")})
        self.assertEqual(objects["fill"]["state"], "begun")
        self.assertEqual(self.roles(objects["fill"]["inside"]),
                         {(self.who["reader"], "initialises", "alive")})

    def test_members(self):
        members = {m["process"]: m for m in self.show()["members"]}
        self.assertEqual(members[self.who["stopped"]]["liveness"], "stopped")
        self.assertEqual(members[self.who["locker"]]["waits_for"], self.objects()["jobs"]["at"])
        self.assertNotIn("waits_for", members[self.who["reader"]])

    def test_text(self):
        text = self.good("show", self.name)
        for words in (f"{self.who['repairer']} holds, for ", f"{self.who['locker']} waits to lock",
                      f"{self.who['dead']} (dead) has permit", f"{self.who['stopped']} (stopped)",
                      "value 2, maximum 5", "generation 2", "waits to lock: jobs, for "):
            self.assertIn(words, text)
        self.assertEqual(self.good("show", self.name[1:]).split("\n\n")[0].partition(":")[2],
                         text.split("\n\n")[0].partition(":")[2])

    def test_it_is_listed(self):
        listed = json.loads(self.good("regions", "--json"))
        self.assertEqual(listed["format"], "furwock-regions-1")
        mine = [r for r in listed["regions"] if r["name"] == self.name]
        self.assertEqual(len(mine), 1)
        self.assertTrue(mine[0]["is_whole"])
        self.assertEqual((mine[0]["bytes"], mine[0]["objects"]), (REGION_BYTES, 11))
        self.assertEqual(mine[0]["threads"], mine[0]["processes"])
        self.assertIn(self.name, self.good("regions"))

    def test_nothing_is_changed(self):
        before = self.path.read_bytes()
        self.path.chmod(0o444)
        self.good("show", self.name)
        self.good("regions")
        after = self.path.read_bytes()
        changed = {i // 256 * 256 for i in range(len(before)) if before[i] != after[i]}
        members = {m["slot"] for m in self.show()["members"]}
        self.assertLessEqual(len(changed), len(members) + 8)  # waiters re-check, and no more


class None_(command_test.Case):
    def refused_file(self, content, words, size=None):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "file")
            path.write_bytes(content)
            if size is not None:
                os.truncate(path, size)
            said = self.refused(1, "show", str(path))
            self.assertIn(words, said)
            done = furwock("regions", str(path))
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)

    def test_what_is_none(self):
        self.refused_file(b"", "zeroes")
        self.refused_file(bytes(REGION_BYTES), "zeroes")
        self.refused_file(os.urandom(REGION_BYTES), "no region")
        self.assertIn("memory", self.refused(1, "show", "/dev/null"))
        self.assertIn("memory", self.refused(1, "show", "/tmp/"))

    def test_who_may_not_read(self):
        if os.geteuid() == 0:
            self.skipTest("root may read everything")
        with tempfile.NamedTemporaryFile() as file:
            os.chmod(file.name, 0)
            self.assertIn("denied", self.refused(1, "show", file.name))


class Left(command_test.Case):
    """A region whose users are all dead; whole, truncated, and with bytes overwritten."""

    def setUp(self):
        self.name = f"/furwock-left-test-{os.getpid()}"
        self.path = SHARED_MEMORY / self.name[1:]
        users = RegionUsers(self.name)
        self.who = users.who
        users.end()                     # with all of them

    def tearDown(self):
        self.path.unlink(missing_ok=True)

    def test_the_dead_are_known(self):
        whole = json.loads(self.good("show", self.name, "--json"))
        objects = {o["name"]: o for o in whole["objects"]}
        self.assertEqual({m["liveness"] for m in whole["members"]}, {"dead"})
        self.assertEqual(objects["jobs"]["state"], "left by a dead holder")
        self.assertEqual(objects["jobs"]["inside"][0]["process"], self.who["repairer"])
        self.assertEqual(objects["fill"]["state"], "left by a dead initialiser")
        self.assertEqual(objects["jobs"]["waiting"], [])

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            for words in ((), ("--json",)):
                done = furwock("show", self.name, *words, stdout=full)
                self.assertEqual((done.returncode, done.stderr.splitlines()), (
                    1, ["furwock show: cannot write the result: No space left on device"]))

    def test_cut_short(self):
        for size in (0, 100, 4096, REGION_BYTES - 4096):
            os.truncate(self.path, size)
            self.refused(1, "show", self.name)

    def test_half_made_and_other_versions(self):
        head = bytearray(self.path.read_bytes())
        for at, value, words in ((0, 0, "half made"), (8, 2, "of format 2: furwock ")):
            other = bytearray(head)
            other[at:at + (8 if at == 0 else 4)] = value.to_bytes(8 if at == 0 else 4, "little")
            self.path.write_bytes(other)
            self.assertIn(words, self.refused(1, "show", self.name))
            self.assertIn(words, self.good("regions"))

    def test_written_over(self):
        """Whatever stands there: an answer, not a crash."""
        whole = self.path.read_bytes()
        for i in range(60):
            other = bytearray(whole)
            noise = os.urandom(64)
            for n, byte in enumerate(noise):
                at = 128 + (i * 7919 + n * 977) % (48 * 1024)
                other[at] = byte
            self.path.write_bytes(other)
            done = furwock("show", self.name, "--json")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 0:
                json.loads(done.stdout)


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    PROGRAM[:] = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
