# SPDX-License-Identifier: MIT
"""The command line of a benchmark, and the file in which its results end."""

import argparse
import json
import os
import signal
import sys
import tempfile

from front import Trouble

EXIT_INTERRUPTED = 128          # and the signal's number, as a shell has it
INTERRUPTED = EXIT_INTERRUPTED + signal.SIGINT
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SECONDS_BELOW = 1e9
COUNT_MOST = 1000000


class Parser(argparse.ArgumentParser):
    """What it does not understand is a Trouble: one line, status 2."""

    def __init__(self, **how):
        super().__init__(allow_abbrev=False, **how)

    def error(self, message):
        raise Trouble(message, 2)


def positive(text):
    """A type of option: seconds, say."""
    value = float(text)
    if not 0 < value < SECONDS_BELOW:
        raise ValueError
    return value


def up_to(most):
    """The type of an option that is a whole number from 1 to `most`."""
    def whole(text):
        value = int(text)
        if not 0 < value <= most:
            raise ValueError
        return value
    return whole


whole = up_to(COUNT_MOST)


PIN = "FURWOCK_BENCH_PIN"       # in the environment of what is run: common/pin.h


def add_cpus(parser):
    """The options that all benchmarks have; use_cpus() obeys them."""
    parser.add_argument("--cpus", type=whole, metavar="N",
                        help="use the first N CPUs only (all that there are)")
    parser.add_argument("--pin", action="store_true", default=None,
                        help="each task stays on one CPU, in turns; else the kernel may move them")


def use_cpus(options):
    """From now on, for this program and all that it starts; Trouble where there are fewer."""
    there = sorted(os.sched_getaffinity(0))
    os.environ.pop(PIN, None)
    if options.pin:
        os.environ[PIN] = "1"
    if options.cpus is None:
        return
    if options.cpus > len(there):
        raise Trouble(f"--cpus {options.cpus}: there are {len(there)}", 2)
    os.sched_setaffinity(0, there[:options.cpus])


def among(given, there, what):
    """The names that were given, once each; all, where none were; Trouble for one unknown."""
    for name in given:
        if name not in there:
            raise Trouble(f"unknown {what} {name}; there are: {' '.join(there)}", 2)
    return list(dict.fromkeys(given)) or list(there)


def _interrupt(_number, _frame):
    raise KeyboardInterrupt


def end_like_interrupt():
    """From now on a KeyboardInterrupt also comes where the program is asked to end."""
    for number in ENDING[1:]:
        signal.signal(number, _interrupt)


def check_folder(path):
    """Trouble now, rather than when the measuring is done; None: there is no such file."""
    if path and not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise Trouble(f"cannot write {path}: no such directory", 2)


def write_json(path, document):
    """The old file stays whole until the new one is; None: nothing is written."""
    if path is None:
        return
    try:
        folder, stem = os.path.split(os.path.realpath(path))
        descriptor, name = tempfile.mkstemp(prefix=f".{stem}.", dir=folder)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        raise Trouble(f"cannot write {path}: {error.strerror}", 2) from None


def program(name, conduct):
    """The exit status of `conduct()`; what ends it early is one line on stderr."""
    end_like_interrupt()
    try:
        return conduct()
    except Trouble as trouble:
        print(f"{name}: {trouble}", file=sys.stderr)
        return trouble.status
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        print(f"{name}: {error.filename or ''}: {error.strerror}", file=sys.stderr)
        return 2
