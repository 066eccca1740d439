# SPDX-License-Identifier: MIT
"""Run a test program with and without a library loaded before it, and compare."""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from fwpreload import preloaded

PASS, LATE = "pass", "late"
TAIL_BYTES = 2000  # of what a program said, for the report


@dataclass
class Case:
    """A program of a suite.  `words`: what its exit statuses mean; 0 is always PASS."""
    name: str
    command: list
    cwd: Path
    words: dict
    environment: dict = field(default_factory=dict)


@dataclass
class Outcome:
    word: str
    seconds: float
    said: str


@dataclass
class Comparison:
    """`differs`: each time that it was tried, and not merely once."""
    case: Case
    alone: Outcome
    ours: Outcome
    differs: bool
    unsteady: bool = False


def run(case, limit, library=None):
    environment = dict(os.environ, LC_ALL="C", **case.environment)
    environment.pop("LD_PRELOAD", None)
    if library is not None:
        environment.update(preloaded(library))
    begun = time.monotonic()
    with subprocess.Popen(case.command, cwd=case.cwd, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as program:
        try:
            said, _ = program.communicate(timeout=limit)
            word = _word(case, program.returncode)
        except subprocess.TimeoutExpired:
            _end(program)
            said, _ = program.communicate()
            word = LATE
        _end(program)
    said = said.decode(errors="replace")
    # The C library's tests have an alarm of their own.
    if re.search(r"^(Timed out:|error: .*timed out)", said, re.MULTILINE):
        word = LATE
    return Outcome(word, time.monotonic() - begun, said[-TAIL_BYTES:])


def _end(program):
    """Whatever the program has started goes with it: its session, since some make groups."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            if int(fields[3]) == program.pid:
                os.kill(int(entry.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass


def _word(case, status):
    if status == 0:
        return PASS
    if status < 0:
        return signal.Signals(-status).name
    return case.words.get(status, f"status {status}")


def compare(case, limit, library, rounds):
    """Once each; where the two differ, up to `rounds` times more, alternately, to tell what the
    library does from what this machine happens to do."""
    alone = run(case, limit)
    if library is None:
        return Comparison(case, alone, alone, False)
    ours = run(case, limit, library)
    if ours.word == alone.word:
        return Comparison(case, alone, ours, False)
    again = [(run(case, limit).word, run(case, limit, library).word) for _ in range(rounds)]
    alones = {alone.word, *(pair[0] for pair in again)}
    theirs = {ours.word, *(pair[1] for pair in again)}
    differs = not alones & theirs
    return Comparison(case, alone, ours, differs, not differs)
