#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the report on read-write locks: who is compared with whom, goals, pictures, tables."""

import unittest

import reporting
import synthetic
import synthetic_share
from reporting import changed, load, times
from fwreport import aims, compare, compact, goals, sharing
from fwreport import sharetables, summary, outcome

def slowed(lock, factor, tasks=100, share=50, **how):
    """One lock slower in one cell."""
    return changed(synthetic_share.share(times=[(5, 5)], **how), times(factor, "throughput"),
                   lock=lock, tasks=tasks, share=share)


class Comparing(unittest.TestCase):
    def rivals(self, raw, lock):
        return {v.rival for v in sharing.all_versus(load(raw), lock)}

    def test_each_with_its_kind(self):
        raw = slowed("nsync", 1)
        self.assertEqual(self.rivals(raw, "furwock-rw"), {"parking_lot"})
        self.assertEqual(self.rivals(raw, "furwock-rw-readers"), {"pthread-rw"})
        self.assertEqual(self.rivals(raw, "furwock-rw-writers"), {"tbb"})

    def test_who_promises_nothing_stands_with_the_fair(self):
        self.assertIn("nsync", self.rivals(slowed("nsync", 2), "furwock-rw"))
        self.assertNotIn("nsync", self.rivals(slowed("nsync", 2), "furwock-rw-readers"))

    def test_who_only_polls_is_a_rival(self):
        self.assertIn("ck-pflock", self.rivals(slowed("ck-pflock", 9, tasks=2), "furwock-rw"))

    def test_a_classic_and_a_mutex_are_none(self):
        self.assertNotIn("ulock-shared", self.rivals(slowed("ulock-shared", 9), "furwock-rw"))
        raw = slowed("nsync", 9)
        for cell in raw["cells"]:
            if cell["lock"] == "nsync":
                cell["preference"] = None
        self.assertNotIn("nsync", self.rivals(raw, "furwock-rw"))

    def test_spots_are_told_apart_by_their_share(self):
        loaded = load(synthetic_share.share(runs=2, times=[(5, 5)]))
        self.assertEqual(len(loaded.spots("share", "threads")), 44)
        spot = loaded.spots("share")[-1]
        self.assertEqual(compare.describe(spot), "(5,5) 100 tasks, 100 % reads")
        self.assertEqual(list(sharing.points(loaded, "threads")[(5, 5)]), [2, 3, 4, 100])

    def test_mutexes_and_their_means_are_as_they_were(self):
        both = load(synthetic.paper(runs=2, tasks=(2,)), synthetic_share.share(runs=2))
        alone = load(synthetic.paper(runs=2, tasks=(2,)))
        self.assertEqual(compact.table(both), compact.table(alone))
        self.assertEqual([g.got for g in goals.paper_grid(both)],
                         [g.got for g in goals.paper_grid(alone)])


ALONE, GRID = slice(2), slice(2, None)  # in the table of goals


class Goals(unittest.TestCase):
    def states(self, raw):
        return reporting.states(aims.SHARE[GRID], raw)

    def test_reached(self):
        self.assertEqual(self.states(slowed("furwock-rw", 1)), [outcome.REACHED] * 4)

    def test_one_slow_cell_is_named(self):
        found = reporting.goals(aims.SHARE[GRID], slowed("furwock-rw-readers", 0.5))
        self.assertEqual([goal.state for goal in found],
                         [outcome.REACHED, outcome.MISSED, outcome.REACHED,
                          outcome.REACHED])
        self.assertEqual(len(found[1].short), 1)
        self.assertRegex(found[1].short[0], r"\(5,5\) 100 tasks, 50 % reads: .* of pthread-rw")

    def test_no_rival_of_its_kind(self):
        raw = synthetic_share.share(runs=2, times=[(5, 5)], locks=("furwock-rw", "pthread-rw"))
        self.assertEqual(self.states(raw), [outcome.UNKNOWN] * 4)

    def test_idle_read_locks(self):
        raw = synthetic_share.uncontended()
        self.assertEqual(reporting.states(aims.SHARE[ALONE], raw), [outcome.REACHED] * 2)
        for cell in raw["cells"]:
            if cell["lock"] == "furwock-br" and cell["object"] == "read":
                cell["ns"]["samples"] = [8.0] * 12
        self.assertEqual(reporting.states(aims.SHARE[ALONE], raw),
                         [outcome.REACHED, outcome.MISSED])


class Uncontended(unittest.TestCase):
    def test_objects_are_kept_apart(self):
        loaded = load(synthetic_share.uncontended())
        self.assertEqual(set(loaded.uncontended.samples), {"furwock", "(cas+exchange)", "pthread"})
        self.assertEqual(loaded.objects["sem"].base, "posix")
        titles = [title for title, _, _ in sharetables.objects(loaded)]
        self.assertEqual(titles[0], "read lock + unlock")
        self.assertEqual(len(titles), 7)

    def test_a_result_without_mutexes(self):
        raw = synthetic_share.uncontended()
        raw["cells"] = [cell for cell in raw["cells"] if cell["object"] == "read"]
        text = summary.text(load(raw))
        self.assertIn("uncontended: read lock + unlock", text)
        self.assertIn("REACHED  uncontended read lock + unlock: furwock-rw", text)

    def test_a_result_from_before(self):
        loaded = load(synthetic.uncontended())
        self.assertEqual(loaded.objects, {})
        self.assertIn("furwock", loaded.uncontended.samples)


class Program(reporting.InDirectory):
    def test_summary(self):
        done = self.report([synthetic_share.share(), synthetic_share.uncontended()],
                           "--summary")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"REACHED  Figure 6, each cell: furwock-rw: 88 of 88 cells")
        self.assertIn("Figure 6: furwock-rw-writers (writers), threads", done.stdout)

    def test_bad_share(self):
        raw = synthetic_share.share(runs=1, tasks=(2,), shares=(50,), times=[(5, 5)])
        raw["cells"][0]["share"] = "half"
        self.refused("a cell without a proper", self.file("bad.json", raw))


if __name__ == "__main__":
    unittest.main(verbosity=1)
