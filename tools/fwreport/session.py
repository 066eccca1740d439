# SPDX-License-Identifier: MIT
"""Runs the benchmarks one after the other, keeps what they measured, and reports it."""

import ctypes
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from collections import namedtuple

PR_SET_PDEATHSIG = 1
SKIPPED = 77                    # what it needs is not here, as the benchmark has said
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


# path: of the result; words: the command, None where it was not built; seconds: about, or None;
# decides: it knows itself whether a result is complete; plans: it has --dry-run
Step = namedtuple("Step", "title path words seconds decides plans",
                  defaults=(None, False, False))
PLAINLY = ("tdbtorture", "dropin")      # have no --dry-run
LEFT_OUT = re.compile(r"left out|dropped|not measured|instead of")
UNCONTENDED_SECONDS = 0.1       # a round
REFUSED = 2


class Stopped(Exception):
    """The user has had enough; what was measured stays."""


class Trouble(Exception):
    """One line for the user."""


def find(build, name):
    """The program in the build directory, or None."""
    for path in sorted(pathlib.Path(build).glob(f"bench/**/{name}")):
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def uncontended(build, path, rounds):
    """The step that measures the cost of a lock that nobody else wants."""
    program = find(build, "uncontended")
    return Step("what locks and others cost while nobody else wants them", path,
                program and [program, "--json", path, "--rounds", str(rounds)],
                rounds * UNCONTENDED_SECONDS)


def experiment(build, name, path, seconds, title, *words):
    """The step that runs a benchmark in which locks take turns: condperf, pingpong, latency.

    A result that is there already is gone on with."""
    program = find(build, name)
    if _size(path):
        words = (*words, "--resume")
    return Step(title, path, program and [program, *words, "--json", path,
                                          "--budget", f"{max(1, seconds):.0f}"],
                max(1, seconds), plans=name not in PLAINLY)


def ulockflex(build, plan, path, seconds, title, kind="threads", *more):
    """The step that measures a plan, going on with an earlier result."""
    program = find(build, "ulockflex")
    words = [program, plan, "--kind", kind, "--json", path, "--budget", f"{seconds:g}",
             *more]
    if path.exists():
        words.append("--resume")
    return Step(title, path, program and words, seconds, decides=True, plans=True)


def _begin():
    """In the child: SIGINT ends it, also if this program was started with SIGINT ignored, as by a
    shell in the background; and nothing is left behind when this program is killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(words, output):
    """Runs a benchmark, its progress on this terminal, its table in the file `output`.

    Returns its exit status.  It has a process group of its own and gets each signal once, from
    here: so it can end its tasks and write its result, whether Ctrl-C or `kill` stopped this
    program.  Raises Stopped then.
    """
    told = []

    def forward(number, _frame):
        told.append(number)
        child.send_signal(signal.SIGINT)

    with open(output, "w", encoding="utf-8") as file:
        signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)     # until there is a child to tell
        try:
            child = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL,
                                     stdout=file, process_group=0, preexec_fn=_begin)
            before = {number: signal.signal(number, forward) for number in FORWARDED}
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
        try:
            status = child.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    if told:
        raise Stopped
    return status


def _is_done(step):
    """Whether an earlier call has measured that to its end, on as many CPUs."""
    if step.words is None or step.decides:
        return False
    try:
        found = json.loads(step.path.read_text(encoding="utf-8"))
        return (found["complete"] is True
                and found["machine"]["cpus"] == len(os.sched_getaffinity(0)))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _size(path):
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _spent(step):
    """Seconds that an earlier call has spent on it."""
    try:
        return float(json.loads(step.path.read_text(encoding="utf-8")).get("seconds", 0))
    except (OSError, ValueError, TypeError, AttributeError):
        return 0.0


def remaining(steps):
    """About how many seconds all of it takes from now on."""
    return sum(max(0.0, step.seconds - _spent(step)) for step in steps
               if step.words is not None and not _is_done(step))


def forecast(steps):
    """What the budgets leave out, before anything is measured: [(title, lines)]."""
    told = []
    for step in steps:
        if not step.plans or step.words is None or _is_done(step):
            continue
        try:
            done = subprocess.run([*map(str, step.words), "--dry-run"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                  errors="replace", check=False)
        except OSError:
            continue            # which measure() tells
        lines = list(filter(LEFT_OUT.search, done.stdout.splitlines()))
        if lines:
            told.append((step.title, lines))
    return told


def announce(steps):
    """Says how long it takes, and what does not fit."""
    print(f"This takes about {_duration(remaining(steps))}; Ctrl-C ends it early, and the same "
          "command goes on.", flush=True)
    told = forecast(steps)
    for title, lines in told:
        print(f"\nLeft out of {title}:")
        for line in lines:
            print(f"  {line}")
    if told:
        print("\nThat and more fits with more --minutes.", flush=True)


def _duration(seconds):
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"


def _anew(step):
    """What is there is of other options: it makes place, and the step begins anew."""
    step.path.replace(step.path.with_suffix(".before"))
    print(f"{step.path.name} was measured with other options: now {step.path.stem}.before",
          flush=True)
    return run([word for word in step.words if word != "--resume"],
               step.path.with_suffix(".txt"))


def measure(steps):
    """Runs the steps: (results that are there, whether the user stopped it).

    A step that fails is told, and the others are run nevertheless; what is done already is not run.
    """
    for number, step in enumerate(steps, 1):
        about = f", about {_duration(remaining([step]))}" if step.seconds else ""
        print(f"\n== {number} of {len(steps)}: {step.title}{about}", flush=True)
        if _is_done(step):
            print("measured before, at these sources: kept", flush=True)
            continue
        if step.words is None:
            print("not built here, left out", file=sys.stderr)
            continue
        try:
            status = run(step.words, step.path.with_suffix(".txt"))
            if status == REFUSED and "--resume" in step.words and not step.decides:
                status = _anew(step)
        except Stopped:
            print("\nstopped: reporting what was measured so far", flush=True)
            return [s.path for s in steps if s.path.exists()], True
        except OSError as error:
            raise Trouble(f"{error.filename}: {error.strerror}") from None
        if status == SKIPPED:
            print("left out", file=sys.stderr)
        elif status != 0:
            print(f"{step.words[0].name} ended with status {status}", file=sys.stderr)
    return [s.path for s in steps if s.path.exists()], False


def add_cpus(parser):
    """The benchmarks have the option, too; here it is for all that are started."""
    parser.add_argument("--cpus", metavar="N", type=int,
                        help="use the first N CPUs only (default: all that there are)")


def use_cpus(options):
    there = sorted(os.sched_getaffinity(0))
    if options.cpus is None:
        return
    if not 1 <= options.cpus <= len(there):
        raise Trouble(f"--cpus takes a number from 1 to {len(there)}, not {options.cpus}")
    os.sched_setaffinity(0, there[:options.cpus])


def _made(path):
    """(commit, whether the sources were as committed) of a result, or of what was built."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    found = found.get("made", found) if isinstance(found, dict) else {}
    return found.get("commit"), found.get("clean")


def set_aside(directory, names, build):
    """Earlier results of other sources than those that were built make place, and that is said:
    they are not gone on with, nor shown beside those of today."""
    now = _made(pathlib.Path(build) / "bench" / "common" / "made.json")
    for path in (directory / name for name in names):
        if path.exists() and now and _made(path) != now:
            path.replace(path.with_suffix(".before"))
            print(f"{path.name} is of other sources than these: now {path.stem}.before")


def fresh(directory, names, keep=False):
    """Makes the directory; without `keep`, earlier results in it go."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name in names:
            if not keep:
                (directory / name).unlink(missing_ok=True)
    except OSError as error:
        raise Trouble(f"{error.filename or directory}: {error.strerror}") from None
    return [directory / name for name in names]


def _usable(paths):
    from . import results
    for path in paths:
        try:
            results.load([path])
            yield path
        except results.BadInput as error:
            print(f"left out: {error}", file=sys.stderr)


def show(paths, directory, command, full):
    """Prints the table (or the full summary), draws the page, and says where it is."""
    from . import compact, page, results, summary
    usable = list(_usable(paths))
    if not usable:
        raise Trouble("nothing was measured")
    loaded = results.load(usable)
    text = summary.text(loaded)
    try:
        (directory / "summary.txt").write_text(text, encoding="utf-8")
        print("\n" + (text if full else compact.text(loaded)), flush=True)
        print("\nDrawing:", end="", flush=True)
        path, pictures = page.build(loaded, directory, command,
                                    lambda name: print("", name, end="", flush=True))
        print()
    except OSError as error:
        raise Trouble(f"{error.filename or directory}: {error.strerror}") from None
    print(f"\nThe page:       {path}")
    print(f"The pictures:   {directory}/*.png ({len(pictures)})")
    print(f"In plain text:  {directory}/summary.txt")


def conduct(name, body):
    """Runs body() for the program `name`; its troubles are one line; returns the exit status."""
    try:
        return 130 if body() else 0
    except Trouble as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{name}: stopped; the results are kept", file=sys.stderr)
        return 130
    except ImportError as error:
        print(f"{name}: {error}; run tools/setup {name}", file=sys.stderr)
        return 2
