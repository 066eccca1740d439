# SPDX-License-Identifier: MIT
"""The command line."""

import argparse
import os
import signal
import sys
import time

from front import assist, machine
from front.cli import (
    ENDING, EXIT_INTERRUPTED, Parser, add_cpus, positive, use_cpus, whole)

from flex import (
    Trouble, adaptive, fitting, plan as planning, processes, show, showshare, store as storing,
    where)
from flex.engine import Engine
from flex.progress import Progress, describe
from flex.showpaper import PaperShow
from flex.worker import Worker

EPILOG = """\
Plans:
  paper   all of section 4.1: efficiency, tables 1 and 2, figures 1 to 5, fairness
  today   1 to 4 tasks per CPU, critical sections of 0 to 100 us, 1 to 1000 locks
  adaptive    2 to 4 tasks per CPU, critical sections of 1 to 100 us: waiters that poll or sleep
  processes   tables 1 and 2 with 2 to 100 processes: locks that survive their holder, and others
  share   figure 6: read-write locks, 0 to 100 % of the calls for reading, 2, 3, 4 and 100 tasks
  demo    a short version; share-demo, of the plan share

Without a plan, one configuration is measured, that of --tasks, --locks, --lht, --nlht.  Without
LOCK names a plan chooses the locks: those that block, as far as they work in this kind of task.
With --share these are the read-write locks; a mutex may be named beside them.

A run that finds a lock letting two tasks in at once has failed, as has one that hangs: the lock is
left out of that configuration from then on, and the exit status is 1.
"""

DEFAULTS = {"single": {}, "paper": {"seconds": 0.5, "max_rounds": 10,
                                     "probes": ("contention", "waits", "syscalls")},
            "today": {"seconds": 0.25, "max_rounds": 10},
            "adaptive": {"seconds": 0.25, "max_rounds": 10, "probes": ("waits", "syscalls"),
                         "probe_seconds": 0.2},
            "processes": {"seconds": 0.25, "max_rounds": 10, "probes": ()},
            "share": {"seconds": 0.25, "max_rounds": 10},
            "demo": {"seconds": 0.1, "max_rounds": 6, "probes": ("waits",),
                     "probe_seconds": 0.1},
            "share-demo": {"seconds": 0.1, "max_rounds": 6, "probes": ()}}
BUDGETS = {"demo": 74.0, "share-demo": 26.0}
SHARING_PLANS = ("share", "share-demo")


class Interrupted(Exception):
    def __init__(self, number):
        super().__init__(number)
        self.number = number


def time_us(text):
    value = float(text)
    if not 0 <= value <= 1e6:
        raise ValueError
    return value


def percents(text):
    values = [float(part) for part in text.split(",")]
    if not all(0 <= value <= 100 for value in values):
        raise ValueError
    return tuple(dict.fromkeys(values))


def task_counts(text):
    return tuple(dict.fromkeys(whole(part) for part in text.split(",")))


def probes(text):
    names = tuple(text.split(",")) if text not in ("", "none") else ()
    if set(names) - set(planning.PROBES):
        raise argparse.ArgumentTypeError(
            f"{text!r}: there are {', '.join(planning.PROBES)}, and none")
    return names


def make_parser():
    p = Parser(prog="ulockflex", epilog=EPILOG,
               formatter_class=argparse.RawDescriptionHelpFormatter,
               usage="%(prog)s [options] [PLAN] [LOCK ...]",
               description="Throughput, fairness and waiting times of locks, as measured in "
                           "\"Fuss, Futexes and Furwocks\" (2002).")
    p.add_argument("words", nargs="*", metavar="LOCK", help=argparse.SUPPRESS)
    one = p.add_argument_group("one configuration")
    one.add_argument("--tasks", type=task_counts, metavar="N",
                     help="number of tasks (2); N[,N...]: of a plan, only these numbers")
    one.add_argument("--locks", type=whole, metavar="N",
                     help="number of locks, given to the tasks round robin (1)")
    where.add_options(one)
    one.add_argument("--lht", type=time_us, metavar="US", help="mean lock-hold time (1)")
    one.add_argument("--nlht", type=time_us, metavar="US",
                     help="mean time between release and the next lock (9)")
    one.add_argument("--share", type=percents, metavar="LEVEL,...",
                     help="per cent of the lock calls that are for reading, of read-write locks")
    p.add_argument("--kind", choices=("threads", "processes"),
                   help="what tasks are (threads; processes in the plans paper and processes)")
    p.add_argument("--processes", action="store_const", const="processes", dest="kind",
                   help="the same as --kind processes")
    p.add_argument("--pick", choices=("own", "random"),
                   help="each task keeps to its own lock, or picks one at random each time (own; "
                        "random in today's plan)")
    add_cpus(p)
    p.add_argument("--assist", choices=assist.CHOICES,
                   help="turn the assist on or off, or measure all with both, by turns; needs root "
                        "(as it is)")
    p.add_argument("--seconds", type=positive, metavar="S",
                   help="length of one run (longer where there are many tasks, unless it is given)")
    p.add_argument("--rounds", type=whole, metavar="N", help="at least N runs of each lock")
    p.add_argument("--max-rounds", type=whole, metavar="N", help="at most N")
    p.add_argument("--ci", type=positive, metavar="X",
                   help="go on until half the 95%% confidence interval is at most this part of "
                        "the mean (0.05)")
    p.add_argument("--budget", type=positive, metavar="SECONDS",
                   help="time for all; runs get shorter, and what is dropped is told")
    p.add_argument("--probes", type=probes, metavar="LIST",
                   help="what to find out in short runs beside: waits,contention,syscalls or none")
    p.add_argument("--probe-rounds", type=whole, metavar="N", help="in the first N rounds (1)")
    p.add_argument("--probe-seconds", type=positive, metavar="S",
                   help="length of these runs, at most that of the others (0.3)")
    p.add_argument("--seed", type=int, metavar="N", help="same seed, same random times (1)")
    p.add_argument("--timeout", type=positive, metavar="SECONDS",
                   help="a run that takes longer is hung")
    p.add_argument("--json", metavar="FILE", help="write the results there, after every round")
    p.add_argument("--resume", action="store_true", help="go on with the results in that file")
    p.add_argument("--dry-run", action="store_true", help="only tell what would be run")
    p.add_argument("--list", action="store_true", help="list the locks, and those missing")
    p.add_argument("--quiet", action="store_true", help="no progress line")
    return p


def parse(argv):
    parser = make_parser()
    options, unknown = parser.parse_known_intermixed_args(argv)
    if unknown:
        names = sorted({s for a in parser._actions for s in a.option_strings if s != "-h"})
        raise Trouble(f"unknown option {unknown[0]}; there are {' '.join(names)}", 2)
    words = options.words
    options.plan = words.pop(0) if words and words[0] in planning.PLANS else "single"
    options.sharing = options.plan in SHARING_PLANS or options.share is not None
    return options


def check_locks(names, locks, kind, sharing):
    why = {m["lock"]: m["why"] for m in locks.absent(sharing)}
    for name in names:
        if name in planning.PLANS:
            raise Trouble(f"the plan, {name}, has to come before the locks", 2)
        if name in why:
            raise Trouble(f"{name} is not in this build: {why[name]}", 2)
        if locks.known(name, sharing) is None:
            if locks.known(name, True):
                raise Trouble(f"{name} is a read-write lock: give --share, or the plan share", 2)
            raise Trouble(f"unknown lock or plan {name}; plans: {' '.join(planning.PLANS)}; "
                          f"locks: {' '.join(locks.names(sharing))}", 2)
        if not locks.suits(name, kind, sharing):
            raise Trouble(f"{name} works between threads only, not between processes"
                          if kind == "processes" else
                          f"{name} works between processes only: give --processes", 2)
    if len(set(names)) != len(names):
        raise Trouble("a lock is named twice", 2)


PLACE = ("locks", "lht", "nlht", "share", "memory", "regions")


def check_point(options):
    """The options of one configuration have no meaning in a plan, or only some have."""
    if options.plan == "single":
        if len(options.tasks or ()) > 1:
            raise Trouble("--tasks takes several numbers in a plan, not in one configuration", 2)
        return
    taken = ("lht", "nlht", "share") if options.plan == "share" else ()
    for name in PLACE:
        if name not in taken and getattr(options, name) is not None:
            raise Trouble(f"--{name} is for one configuration; the plan {options.plan} sets its "
                          "own", 2)
    if (options.lht is None) != (options.nlht is None):
        raise Trouble("the plan share takes --lht and --nlht together, or neither", 2)


def make_settings(options, old):
    values = dict(old["settings"]) if old else dict(DEFAULTS[options.plan])
    for name in ("seconds", "rounds", "max_rounds", "ci", "probes", "probe_rounds",
                 "probe_seconds", "seed", "pin"):
        given = getattr(options, name)
        if given is None:
            continue
        if old and name in ("seconds", "seed", "pin") and values.get(name, False) != given:
            raise Trouble(f"{options.json} was measured with --{name} {values.get(name)}, "
                          f"not {given}", 2)
        values[name] = given
        if name == "seconds":
            values["exact"] = True
        if name == "rounds" and options.max_rounds is None:
            values["max_rounds"] = max(given, values.get("max_rounds", 0))
        if name == "max_rounds" and options.rounds is None:
            values["rounds"] = min(given, values.get("rounds", planning.Settings.rounds))
    values["probes"] = tuple(values.get("probes", planning.PROBES))
    settings = planning.Settings(**values)
    problem = settings.problem()
    if problem:
        raise Trouble(problem, 2)
    return settings


def make_plan(options, locks, settings):
    kind, names, cpus = options.kind, options.words, machine.cpus()
    if options.plan == "paper":
        return planning.paper_plan(locks, names, kind, settings, cpus)
    if options.plan == "today":
        return planning.today_plan(locks, names, kind, settings, cpus, options.pick or "random")
    if options.plan == adaptive.PLAN:
        return adaptive.plan(locks, names, kind, settings, cpus)
    if options.plan == processes.PLAN:
        return processes.plan(locks, names, settings)
    if options.plan == "demo":
        return planning.demo_plan(locks, names, kind, settings, cpus)
    if options.plan == "share-demo":
        return planning.share_demo_plan(locks, names, kind, settings)
    if options.plan == "share":
        times = [(options.nlht, options.lht)] if options.lht is not None else ()
        return planning.share_plan(locks, names, kind, settings, cpus, options.share or (), times)

    def given(name, default):
        value = getattr(options, name)
        return default if value is None else value

    point = {"tasks": given("tasks", (2,))[0], "locks": given("locks", 1),
             "lht_us": given("lht", 1.0), "nlht_us": given("nlht", 9.0),
             "pick": given("pick", "own"), **where.chosen(options, given("locks", 1))}
    return planning.single(locks, names, kind, point, settings, options.share or (), cpus)


def table_text(options, plan, store):
    if options.plan == "paper":
        text = PaperShow(store, plan, options.kind).text()
    elif options.plan == adaptive.PLAN:
        text = adaptive.Show(store, plan.groups).text()
    elif options.plan == processes.PLAN:
        text = processes.Show(store, plan.groups).text()
    elif options.sharing and len(plan.groups) > 1:
        text = showshare.ShareShow(store, plan).text()
    elif options.sharing:
        text = showshare.single(store, *plan.groups[0])
    elif len(plan.groups) == 1:
        text = show.single(store, *plan.groups[0]) + "\n\n" + show.LEGEND
    else:
        text = show.grid(store, plan.groups)
    parts = [text, show.failures(store), show.missing(store.absent()) if not options.words else "",
             "\n".join(store.document["notes"])]
    return "\n\n".join(part for part in parts if part)


def on_signal(number, _frame):
    raise Interrupted(number)


def catch_signals():
    for number in ENDING:
        signal.signal(number, on_signal)


def ignore_signals():
    """While what was measured is being saved."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def prepare_worker(worker, plan, store, old):
    worker.pin = plan.settings.pin
    if old:
        worker.rate = old["rate"]
    else:
        worker.calibrate()
    store.document["rate"] = worker.rate
    if "syscalls" in plan.settings.probes:
        worker.events, why = machine.syscall_events()
        if why:
            store.note(f"system calls are not counted: {why}")


def run(options, plan, store, engine):
    """Measures, saves, prints.  Returns the exit status."""
    interrupted = trouble = None
    try:
        whole_plan = engine.measure()
        store.document["complete"] = whole_plan
        if not whole_plan:
            store.note("the time was up before every cell had its runs")
    except Interrupted as e:
        interrupted = e.number
        store.note("interrupted")
    except Trouble as e:
        trouble = e
    ignore_signals()
    engine.progress.clear()
    try:
        store.write()
        if engine.switch:
            engine.switch.restore()
    except Trouble as e:
        trouble = trouble or e
    print(table_text(options, plan, store), flush=True)
    if trouble:
        raise trouble
    if store.path:
        print(f"\nresults: {store.path}")
    if interrupted is not None:
        print("ulockflex: interrupted" + (
            "; --resume goes on" if store.path else ""), file=sys.stderr)
        return EXIT_INTERRUPTED + interrupted
    return 1 if store.failures() else 0


def start(options):
    begun = time.monotonic()
    use_cpus(options)
    worker = Worker(timeout=options.timeout)
    info = worker.info()
    locks = planning.Locks(info)
    if options.list:
        print(show.listing(locks, False) + "\n\n" + show.listing(locks, True))
        return 0
    between = options.plan in ("paper", processes.PLAN)
    options.kind = options.kind or ("processes" if between else "threads")
    if options.plan == processes.PLAN and options.kind != "processes":
        raise Trouble("the plan processes is for processes", 2)
    check_point(options)
    check_locks(options.words, locks, options.kind, options.sharing)
    if options.resume and not options.json:
        raise Trouble("--resume needs --json FILE", 2)
    about = machine.describe(info)
    old = None
    if options.json and os.path.exists(options.json) and os.path.getsize(options.json):
        old = storing.read(options.json)  # what is no result file is not overwritten
    if not options.resume:
        old = None
    if old:
        storing.check_resumable(old, options.json, options.plan, about)
        options.assist = options.assist or old.get("assist")
        if not options.assist:
            storing.check_assist(old, options.json, about["assist"])
    plan = make_plan(options, locks, make_settings(options, old))
    if options.tasks and options.plan != "single":
        planning.keep_tasks(plan, options.tasks)
    if options.assist:
        few = adaptive.WITHOUT if options.plan == adaptive.PLAN and not options.words else None
        planning.with_assist(plan, options.assist, few)
    budget = options.budget or BUDGETS.get(options.plan)
    said = fitting.fit(plan, budget) if budget and not old else []
    said += filter(None, [planning.too_short(plan)])
    if not any(names for _, names in plan.groups):
        raise Trouble("no lock here suits this", 2)
    if options.dry_run:
        print("\n".join([describe(plan), *plan.left_out, *said]))
        return 0
    switch = assist.Switch.for_root() if options.assist else None
    store = storing.Store(options.json, plan, locks, about)
    store.document["assist"] = options.assist
    store.check_writable()
    if old:
        store.resume(old)
    for line in plan.left_out + said:
        store.note(line)
        print(f"ulockflex: {line}", file=sys.stderr)
    prepare_worker(worker, plan, store, old)
    deadline = begun + budget if budget else None
    engine = Engine(plan, worker, store, Progress(plan, options.quiet, deadline), deadline,
                    switch=switch)
    return run(options, plan, store, engine)


def main(argv):
    catch_signals()
    try:
        return start(parse(argv))
    except Trouble as e:
        print(f"ulockflex: {e}", file=sys.stderr)
        return e.status
    except Interrupted as e:
        return EXIT_INTERRUPTED + e.number
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except ImportError as e:
        print(f"ulockflex: {e}; install python3-tabulate", file=sys.stderr)
        return 1
