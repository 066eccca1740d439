# SPDX-License-Identifier: MIT
"""One run of one lock, in a process of its own: ulockflex-run."""

import json
import os
import signal
import subprocess

from flex import Trouble, turns

NAME = "ulockflex-run"
FAILED, USAGE, VIOLATED = 1, 2, 3  # its exit statuses, beside 0

# A run that takes this much longer than it should is hung.  A task that waits when the time is up
# gets the lock once more, and many tasks may thus end some seconds late on a busy machine.
SLACK_SECONDS = 15
SLACK_SECONDS_PER_TASK = 0.02
KILL_SECONDS = 5
CALIBRATIONS = 3
TRIES = 3  # other programs may keep all tasks off the CPUs for a short run


class Failure(Exception):
    """A run without a result; `what` says why in a few words."""

    def __init__(self, what, run=None, passing=False):
        super().__init__(what)
        self.what = what
        self.run = run          # what was printed nevertheless
        self.passing = passing  # the machine may be to blame rather than the lock


class Worker:
    def __init__(self, path=None, timeout=None):
        self.path = path or os.environ.get("ULOCKFLEX_RUN") or self._beside()
        self.timeout = timeout
        self.rate = None
        self.pin = False
        self.events = None

    @staticmethod
    def _beside():
        here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
        return os.path.join(here, NAME)

    def _ask(self, option):
        try:
            done = subprocess.run([self.path, option], stdout=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, check=True, timeout=60)
            return json.loads(done.stdout)
        except OSError as e:
            raise Trouble(f"cannot start {self.path}: {e.strerror}; build it with: make") from e
        except (subprocess.SubprocessError, ValueError) as e:
            raise Trouble(f"{self.path} {option} failed: {e}") from e

    def info(self):
        """Locks there and missing, compiler, C library."""
        return self._ask("--list")

    def calibrate(self):
        """Steps of work in a nanosecond: the most of some tries, as disturbances make it fewer."""
        self.rate = max(self._ask("--calibrate")["rate"] for _ in range(CALIBRATIONS))

    def command(self, lock, config, seconds, seed, probe=None):
        line = [self.path, "--lock", lock, "--kind", config.kind, "--tasks", str(config.tasks),
                "--locks", str(config.locks), "--pick", config.pick,
                "--lht", repr(config.lht_us), "--nlht", repr(config.nlht_us),
                "--seconds", repr(seconds), "--seed", str(seed),
                "--rate", repr(self.rate), "--parent", str(os.getpid())]
        for name in ("memory", "regions"):
            if getattr(config, name) is not None:
                line += [f"--{name}", str(getattr(config, name))]
        if config.share is not None:
            line += ["--share", repr(config.share)]
        if self.pin:
            line.append("--pin")
        if probe is not None:
            line += ["--probe", probe]
        if probe == "syscalls":
            line += ["--events", self.events]
        return line

    def patience(self, config, seconds):
        return (self.timeout or seconds + turns.warm_seconds(config.tasks, seconds)
                + SLACK_SECONDS + config.tasks * SLACK_SECONDS_PER_TASK)

    def run(self, lock, config, seconds, seed, probe=None):
        """The worker's JSON object as a dictionary, or Failure."""
        for _ in range(TRIES - 1):
            try:
                return self._try(lock, config, seconds, seed, probe)
            except Failure as e:
                if not e.passing:
                    raise
        return self._try(lock, config, seconds, seed, probe)

    def _try(self, lock, config, seconds, seed, probe):
        patience = self.patience(config, seconds)
        child = subprocess.Popen(self.command(lock, config, seconds, seed, probe),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            out, err = child.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            _end(child)
            raise Failure(f"hung: killed after {patience:.0f} s") from None
        except BaseException:  # an interrupt: leave no process behind
            _end(child)
            raise
        return _evaluate(child.returncode, out, err)


def _end(child):
    """Kills the worker; its tasks end with it."""
    child.kill()
    try:
        child.communicate(timeout=KILL_SECONDS)
    except subprocess.TimeoutExpired:
        pass


def _last_line(text):
    lines = text.strip().splitlines()
    return lines[-1].replace(NAME + ": ", "", 1) if lines else ""


def _evaluate(status, out, err):
    if status < 0:
        what = f"crashed: {signal.Signals(-status).name}"
        said = _last_line(err)
        raise Failure(what + (f" ({said})" if said else ""))
    if status not in (0, VIOLATED):
        raise Failure(_last_line(err) or f"ended with status {status}")
    try:
        run = json.loads(out)
    except ValueError:
        raise Failure("printed no result") from None
    if run["integrity"] != 0:
        raise Failure(f"integrity violated {run['integrity']} times", run)
    if run["late"] != 0:    # what was measured is a run of fewer tasks
        raise Failure(f"{run['late']} of the tasks had not started when measuring began", run,
                      passing=True)
    if run["iterations"] == 0:
        raise Failure("no iteration in the whole run", run, passing=True)
    return run
