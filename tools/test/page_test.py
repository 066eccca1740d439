#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of each benchmark's results: which pictures it has, and what it says."""

import unittest

import reporting
import synthetic
import synthetic_adaptive
import synthetic_between
import synthetic_futexlock
import synthetic_lifo
import synthetic_lockmix
import synthetic_mix
import synthetic_rtlatency
import synthetic_share
import synthetic_wakes
import waited_test

CPUS = synthetic.MACHINE["cpus"]
PAPERS = ("furwock", "furwock-fair", "sysv", "futex", "ulock", "drepper", "pthread", "nsync")


def mutexes():
    return [synthetic.paper(runs=3, tasks=(2, 100), locks=PAPERS),
            synthetic.today(runs=2, sets=(1, 10), tasks=(2, 4)), synthetic.uncontended()]


def lockmix_with_and_without_the_assist():
    raw = synthetic_lockmix.lockmix(2, ("one",))
    raw["cells"] += synthetic_lockmix.lockmix(2, ("one",), assist="on")["cells"]
    return [raw]


def operations_of_others():
    raw = synthetic_mix.atomicmix(2)
    raw["cells"] = [cell for cell in raw["cells"] if cell["mix"] == "95:5"
                    and cell["where"] == "far" and cell["lock"] == "furwock"]
    return [raw]


def programs():
    locks = [waited_test.lock(f"lock {i}", 10 ** (i % 9), i % 5 != 0,
                              [f"site {k}" for k in range(i % 7)]) for i in range(30)]
    return [waited_test.run(locks)]


def share():
    return [synthetic_share.share(runs=2, tasks=(2, 100), shares=(0, 50, 100)),
            synthetic_share.uncontended()]


# name: (results, all their pictures, what the page says); variants of others, in full only, have a
# name with a comma
PAGES = {
    "mutexes": (mutexes, """
        uncontended cells-tables-threads cells-grid-threads throughput-rivals-threads
        throughput-classics-threads improvement-2-threads improvement-100-threads
        reacquisition-threads coefficient-rivals-threads coefficient-classics-threads
        waits-2-rivals-threads waits-2-classics-threads waits-100-rivals-threads
        waits-100-classics-threads""",
                ["Invented CPU", "install libtbb-dev", "tools/report 0.json"]),
    "mutexes, one": (lambda: [synthetic.paper(runs=1, tasks=(2,), locks=("pthread",))], """
        throughput-all-threads coefficient-all-threads reacquisition-threads
        waits-2-all-threads""", []),
    "adaptive": (lambda: [synthetic_adaptive.adaptive()], """
        adaptive-share-off adaptive-share-on adaptive-burnt-off adaptive-burnt-on""",
                 ["More tasks than CPUs"]),
    "adaptive, the assist left alone": (
        lambda: [synthetic_adaptive.adaptive(states=(None,))],
        "adaptive-share-off adaptive-burnt-off",
        ["More tasks than CPUs"]),
    "share": (share, """
        share-cells-5-5-threads share-fair-5-5-threads share-readers-5-5-threads
        share-writers-5-5-threads share-classics-5-5-threads share-cells-0-10-threads
        share-fair-0-10-threads share-readers-0-10-threads share-writers-0-10-threads
        share-classics-0-10-threads uncontended uncontended-read uncontended-write""",
              ["Read-write locks", "All cells of furwock-rw (fair) in figures",
               "wait for an event that is set", "ulockflex share --kind threads"]),
    "share, one cell": (lambda: [synthetic_share.share(
        runs=1, tasks=(2,), shares=(50,), times=[(5, 5)], locks=("pthread-rw", "furwock-rw"))],
                        "", []),
    "lockmix": (lambda: [synthetic_lockmix.lockmix()], """
        lockmix-one lockmix-hash lockmix-many lockmix-one-cpu lockmix-hash-cpu lockmix-many-cpu""",
                ["More threads than CPUs", "PiBench"]),
    "lockmix, the assist": (lockmix_with_and_without_the_assist, """
        lockmix-one lockmix-one-assist lockmix-one-cpu lockmix-one-assist-cpu""",
                            [f"{CPUS} antagonists, assist on"]),
    "lockmix, little": (lambda: [synthetic_lockmix.lockmix(1, ("one",), (3,), ("furwock",))],
                        "lockmix-one lockmix-one-cpu", []),
    "futexlock": (lambda: [synthetic_futexlock.futexlock()], "futexlock-10 futexlock-50",
                  ["Part of the time in the lock", "Darren Hart"]),
    "futexlock, one point": (lambda: [synthetic_futexlock.futexlock(
        1, (3,), (0,), ("furwock",), period=500)], "futexlock-500-0", []),
    "wakes": (lambda: [synthetic_wakes.condperf(), synthetic_wakes.pingpong(),
                       synthetic_wakes.latency()],
              "condperf condperf-switches pingpong latency", []),
    "condperf, one point": (lambda: [synthetic_wakes.condperf(1, (7,), (3,), ("pthread",))],
                            "condperf condperf-switches", []),
    "atomicmix": (lambda: [synthetic_mix.atomicmix()],
                  "atomicmix-alone atomicmix-sizes atomicmix-threads",
                  ["Generic atomics", "neighbours in an array"]),
    "atomicmix, one point": (operations_of_others, "", []),
    "atomicmix, no libatomic": (lambda: [synthetic_mix.without_libatomic()], "atomicmix-alone",
                                ["<b>libatomic</b>: install libatomic1"]),
    "lifo": (lambda: [synthetic_lifo.lifo()], "lifo-16 lifo-32",
             ["Generic atomics", "section 4.2"]),
    "lifo, one point": (lambda: [synthetic_lifo.lifo(1, (3,), (24,), ("furwock",), pinned=True)],
                        "lifo-24-pinned", []),
    "processes": (lambda: [synthetic_between.processes(), synthetic_between.database()],
                  "processes tdbtorture throughput-all-processes", ["Between processes"]),
    "real time": (lambda: [synthetic_rtlatency.pairs(), synthetic_rtlatency.tasks()],
                  "rtpairs rtlatency rtscheduling",
                  ["Real-time tasks", "RTSS 2014", "in the paper", "Figure 1"]),
    "real time, nothing to compare": (lambda: [
        synthetic_rtlatency.pairs(locks=("PCP", "PCP-DU-BOOL")),
        synthetic_rtlatency.tasks(one=("PRIO_INHERIT", "PIP"), many=("MPCP",))], "", []),
    "real time, no pairs": (lambda: [synthetic_rtlatency.tasks(many=("MPCP", "MPCP-DU"))],
                            "rtlatency rtscheduling", []),
    "programs": (programs, "waited-1", ["What programs waited for", "&lt;b&gt;&amp;",
                                        "The threads of it: it"]),
}


class Page(reporting.InDirectory):
    def look_at(self, results, pictures, texts):
        page, drawn = self.page_of(*results())
        self.assertEqual(drawn, set(pictures.split()))
        self.assertNotIn("<script", page)
        self.assertNotRegex(page, r'(src|href)="(?!#)')     # nothing from outside
        self.assertNotIn("<b>&", page)
        for text in texts:
            self.assertIn(text, page)


for name_, row_ in PAGES.items():
    if "," not in name_ or reporting.IN_FULL:
        setattr(Page, f"test_{name_}", (lambda row: lambda self: self.look_at(*row))(row_))

if __name__ == "__main__":
    unittest.main(verbosity=1)
