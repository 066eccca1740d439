#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every option of every command, and every variable of the environment, seen to do what it says.

The options are those of each command's --help, the variables those that the libraries ask for.
Each has a row below: a function that runs it and sees its effect, or, where that takes what this
machine may not have, the test that does so.  What has no row fails.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FURWOCK, WAITS, HOT, FENCES = (None,) * 4
CPU = min(os.sched_getaffinity(0))
OWN = ("--help", "--usage", "--version")

ROWS = {}

# Where another test sees whether what they print has arrived; or they print nothing.
PRINT_ELSEWHERE = {
    ("show",): "test/command/region_test.py",
    ("compare",): "test/command/compare_test.py",
    ("who",): "test/command/who_more_test.py",
    ("rt",): "its verbs",
    ("rt", "run"): "test_measurements_that_cannot_be_written",
    ("rt", "trace"): "test/command/rt_trace_test.py",
    ("rt", "start"): "nothing",
    ("rt", "stop"): "nothing",
}


def row(*keys):
    def add(function):
        for key in keys:
            ROWS[key] = function
        return function
    return add


def elsewhere(key, path, test, option=None):
    """Another test sees to it: there it is, and it names the option."""
    def look(_):
        text = (TOP / path).read_text(encoding="utf-8")
        at = text.index(f"def {test}(")
        body = re.split(r"\n    def |\nclass |\ndef ", text[at:])[0]
        assert (option or key.split()[-1]) in body, f"{test} of {path} has no {key}"
    ROWS[key] = look


def run(*words, status=0, env=None, **more):
    done = subprocess.run([FURWOCK, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=900, check=False,
                          env={**os.environ, **(env or {})}, **more)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def to_full(*words):
    with open("/dev/full", "w", encoding="ascii") as full:
        return subprocess.run([FURWOCK, *words], stdin=subprocess.DEVNULL, stdout=full, text=True,
                              stderr=subprocess.PIPE, timeout=900, check=False)


# --- What there is ---------------------------------------------------------------------------

def commands():
    """("run",), ("rt", "trace") ...: those that have no others below them."""
    below = re.findall(r"^  ([a-z]+) {3,}", run("--help").stdout.split("Subcommands:")[1], re.M)
    assert len(below) >= 7, below
    for name in below:
        verbs = run(name, "--help").stdout.partition("Verbs, each")[2]
        found = re.findall(r"^  ([a-z]+) {3,}", verbs, re.M)
        yield (name,)
        yield from ((name, verb) for verb in found)


def options_of(*words):
    return re.findall(r"^ {2,6}(?:-., )? {0,4}(--[a-z-]+)", run(*words, "--help").stdout, re.M)


def variables():
    """Those that the sources ask the environment for."""
    for folder in ("src", "posix", "rt", "atomic", "command", "assist"):
        for path in (TOP / folder).rglob("*.c"):
            text = path.read_text(encoding="utf-8")
            yield from re.findall(r'(?:getenv|fw_environment_)\([^;"]*"(FURWOCK_[A-Z_]+)', text)


# --- furwock run -----------------------------------------------------------------------------

@row("run --policy", "FURWOCK_POLICY")
def policy(case):
    for value, seen in (("fair", "handed"), ("greedy", "snatched")):
        case.assertIn(seen, run("run", f"--policy={value}", WAITS).stdout)
        case.assertIn(seen, run("run", WAITS, env={"FURWOCK_POLICY": value}).stdout)


@row("run --stat", "FURWOCK_STAT")
def stat(case):
    path = case.folder / "table"
    case.assertRegex(run("run", "--stat", HOT, status=3).stderr, r"100 %  in ")
    case.assertEqual(run("run", f"--stat={path}", HOT, status=3).stderr, "")
    case.assertIn("waits for locks", path.read_text())
    said = run("run", "--stat", "sh", "-c", "echo $FURWOCK_STAT; ls $FURWOCK_STAT").stdout
    case.assertRegex(said, r"^/.*/furwock-stat-.*\n[0-9]+\.[0-9]\n")


elsewhere("run --observe", "test/posix/stat/stat_test.py", "test_the_hot_lock_is_found",
          "--observe")

for option_, test_ in (("rounds", "test_figures"), ("policy", "test_figures"),
                       ("json", "test_figures"), ("any-status", "test_a_program_that_fails")):
    elsewhere(f"compare --{option_}", "test/command/compare_test.py", test_)

for option_, test_ in (("check", "findings"), ("suppress", "suppress"),
                       ("hold", "test_a_bad_time")):
    elsewhere(f"run --{option_}", "test/posix/check/check_test.py", test_)
elsewhere("FURWOCK_DEBUGINFOD", "test/command/debuginfod_test.py",
          "test_only_where_it_is_asked_for")
elsewhere("FURWOCK_CHECK_HOLD", "test/posix/check/check_test.py",
          "test_the_environment_may_say_how_long")


@row("run --json")
def run_json(case):
    path = case.folder / "figures"
    whole = json.loads(run("run", "--json", HOT, status=3).stderr)
    case.assertEqual((whole["format"], whole["status"]), ("furwock-stat-1", 3))
    run("run", f"--json={path}", HOT, status=3)
    case.assertEqual(json.loads(path.read_text())["format"], "furwock-stat-1")


@row("run --environment")
def environment(case):
    lines = run("run", "--environment", "--policy=fair", WAITS).stdout.splitlines()
    case.assertTrue(lines[0].startswith("LD_PRELOAD="))
    case.assertEqual([line for line in lines[1:] if "LD_LIBRARY_PATH=" not in line],
                     ["FURWOCK_POLICY=fair"])
    env = dict(line.strip('"').split("=", 1) for line in lines)
    done = subprocess.run([WAITS], env={**os.environ, **env}, stdout=subprocess.PIPE, text=True,
                          timeout=900, check=True)
    case.assertIn("handed", done.stdout)
    for option in ("--stat", "--live", "--json", "--no-wait"):
        case.assertIn("--environment", run("run", "--environment", option, status=125).stderr)


@row("FURWOCK_FENCES")
def fences(_):
    if FENCES:
        subprocess.run([FENCES], stdout=subprocess.DEVNULL, timeout=900, check=True)


elsewhere("run --no-wait", "test/posix/stat/stat_test.py", "test_processes_that_go_on")
elsewhere("run --live", "test/posix/stat/stat_test.py", "test_every_second")


# --- JSON, in place of a table ---------------------------------------------------------------

@row("doctor --json")
def doctor(case):
    done = subprocess.run([FURWOCK, "doctor", "--json"], stdout=subprocess.PIPE, timeout=900,
                          check=False)
    whole = json.loads(done.stdout)
    case.assertEqual((whole["format"], whole["status"]), ("furwock-doctor-1", done.returncode))


@row("kernel --json", "kernel --anybody")
def kernel(case):
    """Where the module can be loaded: test/kmod/command.c."""
    there = pathlib.Path("/sys/module/furwock").exists()
    whole = json.loads(run("kernel", "status", "--json", status=0 if there else 3).stdout)
    case.assertEqual(whole["state"], "loaded" if there else "not loaded")
    case.assertIn("--anybody", run("kernel", "status", "--anybody", status=2).stderr)


@row("regions --json")
def regions(case):
    json.loads(run("regions", "--json").stdout)
    case.assertNotIn("{", run("regions").stdout)


@row("calibrate --json", "calibrate --seconds", "calibrate --cpus")
def calibrate(case):
    path = case.folder / "result"
    words = ("calibrate", "--seconds=0.1", f"--cpus={CPU}")
    run(*words, f"--json={path}")
    whole = json.loads(path.read_text())
    case.assertEqual(json.loads(run(*words, "--json=-").stdout)["format"], whole["format"])
    case.assertIn(str(CPU), json.dumps(whole))
    run("calibrate", "--seconds=none", status=2)
    run("calibrate", "--cpus=none", status=2)


for option_, test_ in (("--pid", "test_lost_owner"), ("--core", "test_core_of_the_kernel"),
                       ("--stop", "test_stop_shows_who_runs"), ("--brief", "test_brief_text"),
                       ("--json", "test_stop_shows_who_runs")):
    elsewhere(f"who {option_}", "test/command/who_more_test.py", test_)
elsewhere("show --json", "test/command/region_test.py", "test_the_dead_are_known")
elsewhere("assist --json", "test/command/assist_test.py", "test_json")
elsewhere("assist --anybody", "test/command/assist_test.py", "test_who_may_read")
elsewhere("assist --group", "test/command/assist_test.py", "test_who_may_read")
elsewhere("assist --all", "test/command/assist_test.py", "test_all")


# --- Real-time sets --------------------------------------------------------------------------

def task_set(case):
    path = case.folder / "set.json"
    path.write_text(json.dumps({"format": "furwock-taskset-1", "locks": ["q"], "tasks": [
        {"name": "high", "cpu": CPU, "priority": 30, "period_us": 20000, "execution_us": 100,
         "sections": [{"lock": "q", "us": 20}]},
        {"name": "low", "cpu": CPU, "priority": 10, "period_us": 70000, "execution_us": 600,
         "sections": [{"lock": "q", "us": 300}]}]}), encoding="utf-8")
    return str(path)


def blocked(case, *words):
    whole = json.loads(run("rt", "analyze", "--json", *words, task_set(case)).stdout)
    return {name: analysis["tasks"] for analysis in whole["analyses"]
            for name in analysis["protocols"]}


@row("rt analyze --json", "rt analyze --protocol", "rt analyze --section-cost",
     "rt analyze --wake-cost", "rt analyze --tier")
def analyze(case):
    plain = blocked(case)
    case.assertGreater(len(plain), 1)
    one = blocked(case, "--protocol=PCP")
    case.assertEqual(list(one), ["PCP"])
    case.assertIn("PCP: schedulable", run("rt", "analyze", "--protocol=PCP", task_set(case)).stdout)
    case.assertEqual(one["PCP"], plain["PCP"])
    case.assertEqual(set(plain) - set(blocked(case, "--tier=A")), {"PCP-DU-PF"})
    case.assertEqual(set(plain) - set(blocked(case, "--tier=B")), {"PIP"})
    for option in ("--section-cost=50", "--wake-cost=50"):
        case.assertNotEqual(blocked(case, "--protocol=PCP", option), one)
    run("rt", "analyze", "--tier=C", task_set(case), status=2)
    run("rt", "analyze", "--tier=B", "--tick=none", task_set(case), status=2)


def rt_run(case, *words):
    done = subprocess.run([FURWOCK, "rt", "run", "--jobs=20", *words, task_set(case)], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=900,
                          stderr=subprocess.PIPE, check=False)
    if not done.stdout:
        case.skipTest(done.stderr.strip())
    return done.stdout


@row("rt run --json", "rt run --jobs", "rt run --protocol", "rt run --tier",
     "rt run --section-cost", "rt run --wake-cost")
def rt_runs(case):
    words = ("--json", "--protocol=PCP", "--tier=A")
    whole = json.loads(rt_run(case, *words))
    jobs = sum(task["jobs"] for task in whole["tasks"])
    case.assertTrue(20 <= jobs < 200, jobs)
    case.assertIn("PCP", json.dumps(whole))
    limits = [task["limit_us"] for task in whole["tasks"]]
    for option in ("--section-cost=500", "--wake-cost=500"):
        more = json.loads(rt_run(case, *words, option))
        case.assertNotEqual([task["limit_us"] for task in more["tasks"]], limits)
    case.assertIn("tier A", rt_run(case, "--protocol=PCP", "--tier=A"))
    run("rt", "run", "--tier=C", task_set(case), status=2)


# --- furwock top, record and report ----------------------------------------------------------

WAITS_OPTIONS = "test/command/waits/options_test.py"
for option_, test_ in (("all", "test_top_which_processes"), ("comm", "test_top_which_processes"),
                       ("pid", "test_top_which_processes"), ("count", "test_top_how_often"),
                       ("once", "test_top_how_often"), ("interval", "test_top_how_often"),
                       ("json", "test_top_how_often"), ("samples", "test_top_how_much"),
                       ("locks", "test_top_how_much"), ("places", "test_top_how_much"),
                       ("frames", "test_top_length_of_stacks"), ("sort", "test_top_order")):
    elsewhere(f"top --{option_}", WAITS_OPTIONS, test_, f"--{option_}")
for option_ in ("all", "comm", "output", "pid", "samples", "seconds"):
    elsewhere(f"record --{option_}", WAITS_OPTIONS, "test_record", f"--{option_}")
for option_, test_ in (("locks", "test_report_how_much"), ("places", "test_report_how_much"),
                       ("frames", "test_report_length_of_stacks"), ("sort", "test_report_order")):
    elsewhere(f"report --{option_}", WAITS_OPTIONS, test_, f"--{option_}")
for option_, test_ in (("flame", "test_flame_graph"), ("folded", "test_folded_stacks"),
                       ("json", "lock"), ("lock", "test_one_lock_only"), ("page", "test_page"),
                       ("stacks", "test_folded_stacks"), ("trace", "test_trace")):
    elsewhere(f"report --{option_}", "test/command/waits/report_test.py", test_, f"--{option_}")


@row("FURWOCK_LOOP_ENGINE")
def loop_engine(_):
    """No command has a loop: a test in C opens some."""
    text = (TOP / "test/await/unit/engine_test.c").read_text(encoding="utf-8")
    assert 'setenv("FURWOCK_LOOP_ENGINE", arg, 1)' in text


elsewhere("rt analyze --tick", "test/command/rt_run_test.py", "test_tier_b")
elsewhere("rt run --max-noise", "test/command/rt_noise_test.py", "test_noise")
elsewhere("rt run --stall", "test/command/rt_noise_test.py", "test_stall")
elsewhere("rt start --user", "test/command/rt_test.py", "test_bad_grants")
elsewhere("rt status --json", "test/command/rt_test.py", "test_json")
elsewhere("rt trace --no-switches", "test/command/rt_trace_test.py", "test_what_tasks_tell")
elsewhere("rt trace --output", "test/command/rt_trace_test.py", "traced", '"-o"')


@row("FURWOCK_RT_TRACE")
def trace(case):
    """Its folder is told to the program, and there is no trace of a program without tasks."""
    said = run("rt", "trace", "-n", "-o", str(case.folder / "trace"), "sh", "-c",
               "echo $FURWOCK_RT_TRACE", status=125)
    case.assertRegex(said.stdout, "^/.")


# --- All of them -----------------------------------------------------------------------------

class Options(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_each_has_a_row_and_each_row_is_one(self):
        found = set(variables())
        for command in commands():
            found |= {f"{' '.join(command)} {option}" for option in options_of(*command)
                      if option not in OWN}
        self.assertEqual(sorted(found ^ set(ROWS)), [])

    def test_variables_are_documented(self):
        documents = (TOP / "doc").rglob("*.md")
        manual = "".join(path.read_text(encoding="utf-8") for path in documents)
        for name in variables():
            self.assertRegex(manual, rf"\b{name}\b")

    def test_each_command_says_what_it_is(self):
        for command in commands():
            text = run(*command, "--help").stdout
            self.assertTrue(text.startswith(f"Usage: furwock {' '.join(command)}"), text[:60])
            self.assertIn("--help", run(*command, "--usage").stdout)
            self.assertRegex(run(*command, "--version").stdout, r"^furwock [0-9.]+\n$")

    def test_measurements_that_cannot_be_written(self):
        """A set that runs; where none can, it is refused, with the same status."""
        for option in ("--json", "--tier=A"):
            done = to_full("rt", "run", "--jobs=20", "--protocol=PCP", option, task_set(self))
            self.assertEqual(done.returncode, 1, done.stderr)

    def test_output_that_cannot_be_written(self):
        with_output = [(*command, option) for command in commands() for option in OWN]
        with_output += [(option,) for option in OWN] + [("help",), ("help", "run")]
        with_output += [("doctor",), ("doctor", "--json"), ("regions",), ("regions", "--json"),
                        ("assist", "status"), ("assist", "--json", "status"), ("kernel", "status"),
                        ("kernel", "status", "--json"), ("rt", "status"),
                        ("rt", "status", "--json"), ("run", "--environment"),
                        ("rt", "analyze", task_set(self)),
                        ("rt", "analyze", "--json", task_set(self)),
                        ("calibrate", "--seconds=0.1"),
                        ("calibrate", "--seconds=0.1", "--json=-")]
        for words in with_output:
            done = to_full(*words)
            runs = words[0] == "run" or words == ("help", "run") or words[:2] == ("rt", "trace")
            self.assertEqual(done.returncode, 125 if runs else 1, words)
            self.assertRegex(done.stderr.splitlines()[-1], r"^furwock.*cannot write", words)
        printed = {word for words in with_output for word in words if not word.startswith("-")}
        for command in commands():
            if command not in PRINT_ELSEWHERE:
                self.assertIn(command[-1], printed)


for function_ in set(ROWS.values()):
    keys_ = [key for key, value in ROWS.items() if value is function_]
    name_ = "test_" + re.sub(r"[^a-zA-Z]+", "_", " ".join(keys_))
    setattr(Options, name_, (lambda row_: lambda self: row_(self))(function_))

if __name__ == "__main__":
    FURWOCK, WAITS, HOT, FENCES = sys.argv[1:5]
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
