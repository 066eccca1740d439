# SPDX-License-Identifier: MIT
"""Runs the benchmarks one after the other, keeps what they measured, and reports it."""

import ctypes
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PR_SET_PDEATHSIG = 1
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(Exception):
    """The user has had enough; what was measured stays."""


class Trouble(Exception):
    """One line for the user."""


def find(build, name):
    """The program in the build directory."""
    for path in sorted(pathlib.Path(build).glob(f"**/{name}")):
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise Trouble(f"no program {name} under {build}; build it first: make build")


def _end_with_parent():
    """In the child: so that nothing is left behind when this program is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(words, env=None):
    """Runs a benchmark on this terminal; returns its exit status.

    It has a process group of its own and gets each signal once, from here: so it can end its
    tasks and write its file, whether Ctrl-C or `kill` stopped this program.  Raises Stopped then.
    """
    child = subprocess.Popen([str(word) for word in words], env={**os.environ, **(env or {})},
                             process_group=0, preexec_fn=_end_with_parent,
                             stdin=subprocess.DEVNULL)
    told = []

    def forward(number, _frame):
        told.append(number)
        child.send_signal(signal.SIGINT)

    before = {number: signal.signal(number, forward) for number in FORWARDED}
    try:
        status = child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if told:
        raise Stopped
    return status


def measure(steps):
    """Runs steps [(title, words, env, path of the result)]; the results that are there.

    A step that fails is told, and the others are run nevertheless.
    """
    stopped = False
    for title, words, env, path in steps:
        print(f"\n== {title}", flush=True)
        try:
            status = run(words, env)
        except Stopped:
            print("\nstopped: reporting what was measured so far", flush=True)
            stopped = True
            break
        except OSError as error:
            raise Trouble(f"{words[0]}: {error.strerror}") from None
        if status != 0:
            print(f"{pathlib.Path(words[0]).name} ended with status {status}", file=sys.stderr)
    return [path for _, _, _, path in steps if path.exists()], stopped


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


def show(paths, directory, full):
    """Prints the table (or the full summary), draws the page, and says where it is."""
    from . import compact, page, results, summary
    usable = []
    for path in paths:
        try:
            results.load([path])
            usable.append(path)
        except results.BadInput as error:
            print(f"left out: {error}", file=sys.stderr)
    if not usable:
        raise Trouble("nothing was measured")
    loaded = results.load(usable)
    if full:
        print("\n" + summary.text(loaded))
        (directory / "summary.txt").write_text(summary.text(loaded), encoding="utf-8")
    else:
        print("\n" + "\n".join(summary.machine_lines(loaded)) + "\n")
        print(compact.table(loaded) + "\n" + compact.explanation(loaded))
        for line in summary.warnings(loaded):
            print(line)
    print("\ndrawing ...", flush=True)
    try:
        path, pictures = page.build(loaded, directory, "tools/report " + " ".join(
            p.name for p in usable) + " -o .")
    except OSError as error:
        raise Trouble(f"{error.filename or directory}: {error.strerror}") from None
    print(f"The page:      {path}\nThe pictures:  {directory}/*.png ({len(pictures)})")


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
        print(f"{name}: {error}; run tools/setup", file=sys.stderr)
        return 2
