#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock regions and furwock show, where somebody means ill: names that a terminal would obey, and
a directory and objects that would keep them busy for hours."""

import json
import os
import pathlib
import struct
import sys
import threading
import unittest

import command_test
import region_test
from command_test import furwock
from region_test import SHARED_MEMORY, RegionUsers

BAD = b"a\x1b[31m\x07b\x7fc\xc2\x9bd\x9be\xffg\xed\xa0\x80h\xc0\xafi\xc3"
BAD_SHOWN = "a?[31m?b?c?d?e?g???h??i?"
GOOD = "Schlüssel 鍵 🔑"
ENTRIES_AT = 4096
ENTRY = struct.Struct("<IIQQ40s")
BIG = 64 << 20
LISTED = 64  # of each object
MOMENT = 600  # seconds; it takes one of them, and hours where it does as it is told


class Hostile(command_test.Case):
    """Copies of a region in use, with words overwritten; users of the original do not notice."""

    SIZE = region_test.REGION_BYTES

    @classmethod
    def setUpClass(cls):
        cls.name = f"/furwock-{cls.__name__}-test-{os.getpid()}"
        cls.path = SHARED_MEMORY / cls.name[1:]
        cls.users = RegionUsers(cls.name, cls.SIZE)

    @classmethod
    def tearDownClass(cls):
        cls.users.end()
        cls.path.unlink(missing_ok=True)

    def setUp(self):
        self.memory = bytearray(self.path.read_bytes())
        self.files = []

    def tearDown(self):
        for path in self.files:
            os.unlink(path)

    def put(self, name):
        """The memory, as a file with that name in bytes; returns its name as a region."""
        path = os.fsencode(SHARED_MEMORY) + b"/" + name
        pathlib.Path(os.fsdecode(path)).write_bytes(self.memory)
        self.files.append(path)
        return b"/" + name

    def show(self, name):
        return json.loads(self.good("show", name, "--json"))

    def entries(self):
        count = min(max(self.SIZE // 4096, 64), 4096)
        return [(at, ENTRY.unpack_from(self.memory, at))
                for at in range(ENTRIES_AT, ENTRIES_AT + count * ENTRY.size, ENTRY.size)]

    def entry(self, name):
        return next(e for e in self.entries() if e[1][4].rstrip(b"\0") == name)


class Names(Hostile):
    def hold_harmless(self, text):
        bad = [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)]
        self.assertEqual(bad, [], text)

    def test_of_files(self):
        tail = b"-%d" % os.getpid()
        name = self.put(BAD + tail)
        shown = "/" + BAD_SHOWN + tail.decode()
        for words in (("regions",), ("show", name), ("regions", "--json"),
                      ("show", name, "--json")):
            said = self.good(*words)
            self.assertIn(shown, said)
            self.hold_harmless(said)
        self.assertEqual(self.show(name)["region"], shown)
        self.assertIn(shown, [r["name"] for r in json.loads(self.good("regions", "--json"))
                              ["regions"]])

    def test_in_error_lines(self):
        self.memory = bytearray(b"no region" * 1000)
        name = self.put(BAD + b"-%d" % os.getpid())
        path = os.fsencode(SHARED_MEMORY) + name
        for said in (self.refused(1, "show", name), self.refused(1, "show", b"/none" + BAD),
                     self.refused(2, "show", name, name), self.refused(2, BAD),
                     furwock("regions", path).stderr):
            self.assertIn(BAD_SHOWN, said)
            self.hold_harmless(said)

    def test_of_objects(self):
        at, (state, spare, place, size, _) = self.entry(b"jobs")
        for name, shown in ((BAD, BAD_SHOWN), (GOOD.encode(), GOOD)):
            ENTRY.pack_into(self.memory, at, state, spare, place, size, name)
            copy = self.put(b"furwock-names-test-%d" % os.getpid())
            self.assertEqual(len([o for o in self.show(copy)["objects"] if o["name"] == shown]), 1)
            text = self.good("show", copy)
            self.assertIn(f"waits to lock: {shown}, for ", text)
            self.hold_harmless(text)
            os.unlink(self.files.pop())


class CutShort(Hostile):
    """A file that loses its memory, and has it again, while others read it."""

    def setUp(self):
        super().setUp()
        self.copy = self.put(b"furwock-cut-test-%d" % os.getpid())
        self.is_over = threading.Event()
        self.cutter = threading.Thread(target=self.cut)
        self.cutter.start()

    def tearDown(self):
        self.is_over.set()
        self.cutter.join()
        super().tearDown()

    def cut(self):
        whole = bytes(self.memory)
        with open(self.files[0], "r+b", buffering=0) as file:
            while not self.is_over.is_set():
                file.truncate(ENTRIES_AT)
                os.pwrite(file.fileno(), whole[ENTRIES_AT:], ENTRIES_AT)

    def test_in_a_list(self):
        for _ in range(100):
            self.good("regions", "--json")

    def test_alone(self):
        for _ in range(100):
            done = furwock("show", self.copy, "--json")
            if done.returncode == 0:
                json.loads(done.stdout)
            else:
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class Overlap(Hostile):
    def test_one_that_claims_everything_hides_nothing(self):
        before = {o["name"]: o["kind"] for o in self.show(self.name)["objects"]}
        at, _ = next(e for e in self.entries() if e[1][0] == 0)
        state, _, start, _, _ = self.entry(b"jobs")[1]
        ENTRY.pack_into(self.memory, at, state, 0, start, self.SIZE - start, b"all")
        copy = self.put(b"furwock-overlap-test-%d" % os.getpid())
        whole = self.show(copy)
        self.assertEqual({o["name"]: o["kind"] for o in whole["objects"]}, before)
        self.assertEqual(whole["damaged"], 1)
        self.assertIn("Overwritten: 1 entry", self.good("show", copy))
        mine = [r for r in json.loads(self.good("regions", "--json"))["regions"]
                if r["name"] == copy.decode()]
        self.assertEqual(mine[0]["objects"], len(before))


class Much(Hostile):
    SIZE = BIG

    def test_it_ends_soon(self):
        """Every entry says permits, all of them the same ones, and somebody alive has each."""
        whole = self.show(self.name)
        member = next(m for m in whole["members"] if m["liveness"] == "alive")
        lent = next(o for o in whole["objects"] if o["name"] == "lent")
        state = self.entry(b"lent")[1][0]
        start = (max(o["at"] + o["bytes"] for o in whole["objects"]) + 4095) // 4096 * 4096
        head = lent["bytes"] - 8 * lent["permits"]
        count = (BIG - start - head) // 8
        self.memory[start:] = (struct.pack("<Q", count) * (head // 8) +
                               struct.pack("<II", member["slot"] + 1, member["slot_generation"])
                               * count)
        entries = self.entries()
        for i, (at, _) in enumerate(entries):
            ENTRY.pack_into(self.memory, at, state, 0, start, BIG - start, b"u%d" % i)
        copy = self.put(b"furwock-much-test-%d" % os.getpid())
        whole = json.loads(self.good("show", copy, "--json", timeout=MOMENT))
        self.assertEqual((len(whole["objects"]), whole["damaged"]), (1, len(entries) - 1))
        permits = whole["objects"][0]
        self.assertEqual((permits["permits"], permits["free"]), (count, 0))
        self.assertEqual((len(permits["inside"]), permits["more_inside"]), (LISTED, count - LISTED))
        self.assertEqual({t["process"] for t in permits["inside"]}, {member["process"]})
        self.assertIn(f"and {count - LISTED} more\n", self.good("show", copy, timeout=MOMENT))


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    region_test.PROGRAM[:] = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
