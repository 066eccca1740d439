# SPDX-License-Identifier: MIT
"""Whether the assist is on (bpf/running/), and how to turn it on and off: `furwock assist`."""

import os
import signal
import subprocess

from front import Trouble, signals

PIN = "/run/furwock/assist/page"
ON, OFF, UNKNOWN = "on", "off", "unknown"
BOTH = "both"                   # by turns
CHOICES = (ON, OFF, BOTH)
START, STOP = "start", "stop"
SECONDS = 60.0                  # to load a program into the kernel, on a busy machine


def state(pin=PIN):
    """on: programs of this user find the page.  unknown: they may not look, or not read it."""
    try:
        os.stat(pin)
    except PermissionError:
        return UNKNOWN
    except OSError:
        return OFF
    return ON if os.access(pin, os.R_OK | os.W_OK) else UNKNOWN    # a frozen map is opened for both


def find():
    """The program furwock: $FURWOCK, or the one that was built with this package."""
    here = os.path.dirname(os.path.realpath(__file__))
    build = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    return os.environ.get("FURWOCK") or os.path.join(build, "command", "furwock")


class Switch:
    """Turns the assist on and off, and back at last.

        switch = Switch.for_root()
        try:
            switch.turn(ON)
            ...
        finally:
            switch.restore()
    """

    def __init__(self, program=None, read=state):
        self.program = program or find()
        self.read = read
        self.now = read()
        self.before = self.now

    @classmethod
    def for_root(cls):
        """A switch, or Trouble for users who would find out in the middle."""
        if os.geteuid() != 0:
            raise Trouble("--assist puts a program into the kernel, or removes it: it needs root",
                          2)
        return cls()

    def turn(self, wanted):
        if wanted in (None, self.now):
            return
        word = START if wanted == ON else STOP
        try:
            status, said = self.run(word)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Trouble(f"{self.program} assist {word}: {error}") from None
        self.now = self.read()
        if status != 0 or self.now != wanted:
            said = said.strip().splitlines()
            raise Trouble(f"{self.program} assist {word}: "
                          + (said[-1] if said else f"the assist is {self.now} nevertheless"))

    def run(self, word):
        """Its exit status and what it complained of.  An interrupt, that of the terminal included,
        lets it come to its end: it would leave something half done."""
        child = None
        try:
            with signals.held() as mask:
                child = subprocess.Popen(
                    [self.program, "assist", word], stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                    start_new_session=True,
                    preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask))
            said = child.communicate(timeout=SECONDS)[1]
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise
        except BaseException:
            if child is not None:
                child.communicate()
            raise
        return child.returncode, said

    def restore(self):
        """As it was found; also after an interrupt, wherever that came."""
        self.now = self.read()
        if self.before != UNKNOWN:
            self.turn(self.before)
