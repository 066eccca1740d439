#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a reader of the report may rely on: what does not count is said and marked, no picture
promises whiskers that it has not, and no label is cut off."""

import contextlib
import html
import io
import unittest
from unittest import mock

import reporting
import synthetic
import synthetic_between
import synthetic_share
import synthetic_wakes
from reporting import changed, load, times
from fwreport import compare, goals, look, made, page, session, summary, tables
from fwreport.figures import (
    between, by_tasks, cells, improvement, latency, share, spread, wakes)


def paper(runs=6, tasks=(2, 100), locks=("furwock", "pthread", "nsync")):
    return synthetic.paper(runs=runs, tasks=tasks, locks=locks)


def lasting(seconds):
    return lambda run: run.update(seconds=seconds)


def late(count):
    return lambda run: run.update(late=count)


class Doubt(reporting.InDirectory):
    """100 tasks on 2 CPUs: four turns of the scheduler take 0.8 s."""

    def test_runs_of_fewer_tasks_do_not_count(self):
        raw = changed(paper(), late(38), lock="nsync", tasks=100)
        loaded = load(raw)
        rivals = {v.spot.tasks: v.rival for v in compare.all_versus(loaded, "tables")}
        self.assertEqual(rivals, {2: "nsync", 100: "pthread"})
        said = "38 of the tasks had not started when measuring began"
        done = self.report([raw], "--summary")
        self.assertIn(f"nsync failed at (9,1) 100 tasks: {said}", done.stdout)
        self.assertIn(f"nsync at (9,1) 100 tasks: {said}", tables.failures(loaded))

    def test_some_runs_of_a_cell(self):
        raw = paper(tasks=(2,))
        raw["cells"][0]["runs"][3]["late"] = 1
        spot, lock = next(iter(load(raw).cells))
        self.assertEqual(len(load(raw).cell(spot, lock).runs), 5)

    def test_short_runs_are_marked_and_decide_nothing(self):
        raw = changed(paper(), lasting(0.1))
        loaded = load(raw)
        self.assertEqual({v.spot.tasks: v.short for v in compare.all_versus(loaded, "tables")},
                         {2: False, 100: True})
        self.assertEqual(goals.paper_grid(loaded)[0].got, "4 of 4 cells")
        done = self.report([raw], "--summary")
        self.assertRegex(done.stdout, r"\n100 +\(9,1\) +1 +[\d.]+ k\? ")
        self.assertRegex(done.stdout, r"\n2 +\(9,1\) +1 +[\d.]+ k ")
        self.assertIn("12 of 36 throughputs count in no goal; ?: runs shorter than some turns",
                      done.stdout)
        texts = [text.get_text() for axes in cells.draw(loaded, "tables")[0].figure.axes
                 for text in axes.texts]
        self.assertEqual(sum(text.endswith("?") for text in texts), 8)   # two ratios of four cells
        picture = by_tasks.draw(loaded, by_tasks.throughput, "throughput")[0]
        said = picture.figure.texts[-1].get_text()
        self.assertIn("Of 100 tasks: runs shorter than some turns of the scheduler.  Hollow", said)
        self.assertRegex(tables.every_cell(loaded), r"<td>[\d.]+ k\?</td>")

    def test_what_the_result_says_of_itself(self):
        raw = paper(tasks=(2,))
        raw["cells"][0]["short"] = True
        self.assertEqual(sum(cell.short for cell in load(raw).cells.values()), 1)

    def test_headline_and_goal_speak_of_the_same_cells(self):
        raw = paper(tasks=(2, 5, 8, 100))
        for cell in raw["cells"]:
            if cell["tasks"] in (5, 8) and cell["lock"] == "furwock":
                for run in cell["runs"]:
                    run["throughput"] *= 3
        said = goals.paper_grid(load(raw))[1].got
        self.assertIn(f"On the paper&#x27;s grid, its throughput between threads is {said} of "
                      "pthread&#x27;s (geometric mean of 8 cells)", page.lead_of(load(raw)))


class Sources(reporting.InDirectory):
    """A result of other sources than those beside the report is shown as such."""

    NOW, BEFORE, LOST = "a" * 12, "b" * 12, "c" * 12

    def git(self, *words):
        """A repository in which HEAD is NOW, and two measured files have changed since BEFORE."""
        if self.LOST in " ".join(words):
            return None
        return 0, "src/a.c\nbench/b.c\n" if self.BEFORE in words and "diff" in words else ""

    def result(self, **how):
        return {**synthetic.uncontended(), "made": {
            "commit": self.NOW, "clean": True, "versions": {"nsync": "1.25"}, "governor": None,
            "smt": True, "load": 0.5, "command": ["uncontended", "--json", "/tmp/x/u.json",
                                                  "--rounds", "61"], **how}}

    def said(self, raw):
        with mock.patch.object(made, "_git", self.git):
            loaded = load(raw)
            for line in summary.sources(loaded):
                self.assertIn(html.escape(line), page.lead_of(loaded))
            return " ".join(summary.sources(loaded))

    def test_sources(self):
        for how, said in (({}, ""), ({"clean": False}, "with changes that were not committed"),
                          ({"commit": self.BEFORE}, f"of commit {self.BEFORE}, from which 2 files"),
                          ({"commit": self.LOST}, "which is not in this repository"),
                          ({"commit": None}, "result 0: of sources that it does not name")):
            found = self.said(self.result(**how))
            self.assertIn(said, found)
            self.assertEqual(bool(said), bool(found))
        self.assertIn("does not name", self.said(synthetic.uncontended()))

    def test_the_page_tells_how_it_was_measured(self):
        loaded = load(self.result())
        self.assertEqual(loaded.commands, ["uncontended --json u.json --rounds 61"])
        text = tables.machine(loaded)
        for fact in (f"<dt>commit</dt><dd>{self.NOW}</dd>", "<dt>nsync</dt><dd>1.25</dd>",
                     "<dt>SMT</dt><dd>on</dd>", "<dt>load before</dt><dd>0.5</dd>"):
            self.assertIn(fact, text)

    def test_results_of_other_sources_are_not_gone_on_with(self):
        (self.dir / "bench" / "common").mkdir(parents=True)
        self.file("bench/common/made.json", {"commit": self.NOW, "clean": True})
        self.file("old.json", self.result(commit=self.BEFORE))
        self.file("new.json", self.result())
        with contextlib.redirect_stdout(io.StringIO()) as out:
            session.set_aside(self.dir, ["old.json", "new.json", "none.json"], self.dir)
        self.assertEqual(out.getvalue(), "old.json is of other sources than these: now "
                                         "old.before\n")
        self.assertEqual({path.name for path in self.dir.iterdir()},
                         {"bench", "old.before", "new.json"})


class Pictures(unittest.TestCase):
    def test_small_print(self):
        self.assertEqual(spread([4, 4]), "n = 4: too few for 95 % intervals.")
        self.assertEqual(spread([5, 7]), "Whiskers: 95 % intervals where n is at least six "
                                         "(n = 5 to 7).")
        self.assertEqual(spread([6]), "Whiskers: 95 % intervals (n = 6).")

    def texts(self, picture):
        return " ".join(text.get_text() for text in picture.figure.texts)

    def test_too_few_for_whiskers_is_said(self):
        results = load(synthetic_wakes.latency(4), synthetic_wakes.condperf(4))
        for picture in latency.draw(results) + wakes.draw(results):
            self.assertIn("n = 4: too few", self.texts(picture))
            self.assertNotIn("Whiskers", self.texts(picture))
        bars = latency.draw(results)[0].figure.axes[0]
        self.assertFalse([text for text in bars.texts if "×" in text.get_text()])
        bars = latency.draw(load(synthetic_wakes.latency(6)))[0].figure.axes[0]
        self.assertTrue([text for text in bars.texts if "×" in text.get_text()])

    def noisy(self, tasks=100):
        """Throughputs that vary by a factor of five with that many tasks."""
        return changed(paper(), times(lambda run: 0.4 + 1.6 * (run["round"] % 2), "throughput"),
                       tasks=tasks)

    def test_wide_intervals_are_pale(self):
        """The whiskers covered the panel, and bold lines through them promised too much."""
        plain = by_tasks.draw(load(paper()), by_tasks.throughput, "throughput")[0]
        self.assertNotIn("Pale", self.texts(plain))
        picture = by_tasks.draw(load(self.noisy()), by_tasks.throughput, "throughput")[0]
        self.assertIn("Pale: the interval is wider than ±25%.", self.texts(picture))
        axes = picture.figure.axes[0]
        self.assertEqual({step.get_alpha() for step in axes.lines if len(step.get_xdata()) == 2
                          and step.get_linewidth() > 0 and step.get_linestyle() == "-"}, {0.5})
        bars = [bar for bar in axes.collections if bar.get_alpha() is not None]
        self.assertTrue(bars)
        self.assertTrue(all(bar.get_alpha() <= 0.5 for bar in bars))
        # No value is outside of the panel, whatever its whisker does.
        self.assertLess(max(wakes.highest(axes)), axes.get_ylim()[1])

    def test_what_is_sure_stays_bold(self):
        raw = changed(paper(tasks=(2, 4, 100)), times(
            lambda run: 0.4 + 1.6 * (run["round"] % 2), "throughput"), tasks=100)
        axes = by_tasks.draw(load(raw), by_tasks.throughput, "throughput")[0].figure.axes[0]
        ours = [step for step in axes.lines if step.get_color() == look.colour("furwock")
                and len(step.get_xdata()) == 2 and step.get_linewidth() > 0
                and step.get_linestyle() == "-"]
        self.assertEqual([step.get_alpha() for step in ours], [None, 0.5])

    def test_no_lock_is_drawn_twice(self):
        results = load(synthetic_share.share(shares=(0, 50), times=[(5, 5)]))
        for _, _, locks in share.groups(results, "threads"):
            self.assertEqual(len(locks), len(set(locks)))

    def test_a_value_lies_between_two_ticks(self):
        """0.25 of a scale on which 0.5 was the last tick."""
        raw = changed(synthetic_wakes.pingpong(), times(0.3, "seconds"), lock="furwock", games=2)
        axes = wakes.games(load(raw))[0].figure.axes[0]
        ticks, (low, high) = axes.yaxis.get_majorticklocs(), axes.get_ylim()
        least = min(wakes.highest(axes))
        self.assertTrue(low <= min(ticks) <= least, (low, ticks, least))
        self.assertLessEqual(4, len(ticks))
        for ends in ((0.75, 1.25), (0.02, 90), (0.5, 2)):
            self.assertLessEqual(3, len(wakes.ticks_between(*ends)))

    def test_names_of_bars_stand_above_them(self):
        axes = between.draw(load(synthetic_between.database()))[0].figure.axes[0]
        heights = {round(bar.get_x() + bar.get_width() / 2, 3): bar.get_height()
                   for bar in axes.patches}
        self.assertEqual(len(axes.texts), len(heights))
        for text in axes.texts:
            self.assertGreaterEqual(text.xy[1], heights[round(text.xy[0], 3)])

    def test_labels_are_whole_and_apart(self):
        """Names of 18 letters, in two columns of panels."""
        raw = paper(tasks=(2, 4))
        for cell in raw["cells"]:
            cell["lock"] = {"nsync": "pthread-rw-writers"}.get(cell["lock"], cell["lock"])
        results = load(raw)
        picture = by_tasks.draw(results, by_tasks.throughput, "throughput")[0]
        look.make_room(picture.figure)
        renderer = picture.figure.canvas.get_renderer()
        left, right = picture.figure.axes[:2]
        for axes, end in ((left, right.yaxis.get_tightbbox(renderer).x0),
                          (right, picture.figure.bbox.x1)):
            for label in axes.side_labels:
                self.assertLessEqual(label.get_window_extent(renderer).x1, end)


class Tables(unittest.TestCase):
    def test_table_1_has_our_fair_lock(self):
        raw = paper(tasks=(2, 8), locks=("furwock", "furwock-fair", "sysv", "futex",
                                         "futex-fair"))
        fair, greedy = tables.improvement(load(raw)).split("<h3>Table ")[1:]
        self.assertIn("<th>furwock-fair</th>", fair)
        self.assertIn("<th>furwock</th>", greedy)
        self.assertNotIn("<td>8</td>", fair + greedy)       # tasks that the paper has not

    def test_without_the_papers_locks_there_is_no_such_section(self):
        results = load(paper(tasks=(2,), locks=("furwock", "pthread", "sysv")))
        self.assertEqual(tables.improvement(results) + tables.improvement_intro(results), "")
        self.assertEqual(improvement.draw(results), [])

    def test_goals_without_results_are_folded(self):
        found = tables.goals_table(load(synthetic.uncontended()))
        before, after = found.split("goals of which these results say nothing")
        self.assertNotIn("not measured", before)
        self.assertIn("not measured", after)


if __name__ == "__main__":
    unittest.main()
