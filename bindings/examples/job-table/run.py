#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Workers in C, Python and Rust share a job table, and are killed at random.

    run.py [--kills N] [--seconds S] [--need LANGUAGES] [--python P] [--library L] [--seed N]

After every kill the table is audited, and all other workers have to go on.  A process in each
language is killed while it has the table's mutex, and has left a wrong count: the others repair it.
At the end every job must be done, each round of it once.  A language whose tools or library are
missing is left out, with the reason, unless it is needed.  Exits with 77 if none is there.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LANGUAGES = ("c", "python", "rust")
PATIENCE_S = 60  # only a hang takes as long
PR_SET_PDEATHSIG = 1


class Missing(Exception):
    """Why a language is left out."""


@dataclass
class Worker:
    """A process that works, in a slot."""

    language: str
    slot: int
    process: subprocess.Popen[bytes]
    steps: int  # of its slot, when it was started


@dataclass
class Table:
    """The region, and the programs."""

    name: str
    programs: dict[str, list[str]]
    workers: list[Worker] = field(default_factory=list)
    audits: int = 0

    def call(self, language: str, command: str) -> str:
        done = subprocess.run([*self.programs[language], command, self.name], check=False,
                              stdout=subprocess.PIPE, timeout=PATIENCE_S, text=True)
        if done.returncode != 0:
            sys.exit(f"{command} by {language} has failed")
        return done.stdout

    def audit(self, language: str | None = None) -> tuple[dict[str, int], list[int]]:
        """The numbers of the table, and the steps of each slot."""
        text = self.call(language or next(iter(self.programs)), "audit")
        self.audits += 1
        numbers, _, steps = text.partition("steps")
        words = numbers.split()
        return dict(zip(words[::2], map(int, words[1::2]))), [int(word) for word in steps.split()]

    def start(self, language: str, slot: int) -> None:
        steps = self.audit()[1][slot]
        process = subprocess.Popen([*self.programs[language], "work", self.name, str(slot)],
                                   preexec_fn=die_with_parent)
        self.workers.append(Worker(language, slot, process, steps))

    def expect_progress(self, of: list[Worker], count: int = 1) -> None:
        """Each of these workers does that many further jobs."""
        before = self.audit()[1]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            now = self.audit()[1]
            slow = [w for w in of if now[w.slot] < max(before[w.slot], w.steps) + count]
            if not slow:
                return
            for worker in self.workers:
                if worker.process.poll() is not None:
                    sys.exit(f"a worker in {worker.language} has ended by itself")
            if time.monotonic() > deadline:
                sys.exit(f"a worker in {slow[0].language} hangs")
            time.sleep(0.002)

    def kill(self, victim: Worker) -> None:
        victim.process.kill()
        if victim.process.wait() != -signal.SIGKILL:
            sys.exit(f"a worker in {victim.language} has ended before it was killed")
        self.workers.remove(victim)

    def kill_holder(self, language: str) -> None:
        """A process that has the table's mutex, and has left a wrong count."""
        with subprocess.Popen([*self.programs[language], "hold", self.name],
                              stdout=subprocess.PIPE, preexec_fn=die_with_parent) as holder:
            if holder.stdout is None or holder.stdout.readline() != b"held\n":
                sys.exit(f"the holder in {language} has failed")
            holder.kill()
        for other in self.programs:  # one of them, or a worker, repairs
            self.audit(other)

    def end(self) -> dict[str, int]:
        """No more rounds: all jobs are done, and the workers end."""
        self.call(next(iter(self.programs)), "close")
        for worker in self.workers:
            if worker.process.wait(timeout=PATIENCE_S) != 0:
                sys.exit(f"a worker in {worker.language} has failed")
        for language in self.programs:
            numbers = self.audit(language)[0]
            if numbers["ready"] or numbers["running"]:
                sys.exit(f"jobs are left over: {numbers}")
        return numbers


def die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


# --- The programs -------------------------------------------------------------------------------

def program_in_c(options: argparse.Namespace, scratch: Path) -> list[str]:
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise Missing("no C compiler")
    found = options.library or ROOT / "build/release/src/libfurwock.a"
    if not found.exists():
        raise Missing(f"no {found}: make build, or --library")
    target = scratch / "job_table"
    build = subprocess.run([compiler, "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-I",
                            str(ROOT / "include"), str(HERE / "job_table.c"), str(found),
                            "-pthread", "-o", str(target)], check=False)
    if build.returncode != 0:
        sys.exit("job_table.c does not build")
    return [str(target)]


def program_in_python(options: argparse.Namespace, _scratch: Path) -> list[str]:
    test = subprocess.run([options.python, "-c", "import furwock"], check=False,
                          stderr=subprocess.DEVNULL)
    if test.returncode != 0:
        raise Missing(f"{options.python} has no furwock: pip install bindings/python")
    return [options.python, str(HERE / "job_table.py")]


def program_in_rust(_options: argparse.Namespace, _scratch: Path) -> list[str]:
    cargo = shutil.which("cargo")
    if cargo is None:
        raise Missing("no cargo")
    workspace = ROOT / "bindings/rust"
    build = subprocess.run([cargo, "build", "--quiet", "--package", "furwock-job-table"],
                           cwd=workspace, check=False)
    if build.returncode != 0:
        raise Missing("cargo build has failed (no crates?)")
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "build/rust")
    return [str(Path(target) / "debug/job-table")]


def programs(options: argparse.Namespace, scratch: Path) -> dict[str, list[str]]:
    makers = {"c": program_in_c, "python": program_in_python, "rust": program_in_rust}
    found = {}
    for language, make in makers.items():
        try:
            found[language] = make(options, scratch)
        except Missing as why:
            if language in options.need:
                sys.exit(f"{language} is needed: {why}")
            print(f"skipped: {language}: {why}")
    return found


# --- The storm ----------------------------------------------------------------------------------

def storm(table: Table, options: argparse.Namespace) -> dict[str, int]:
    """How many were killed, by language."""
    chance = random.Random(options.seed)
    killed = dict.fromkeys(table.programs, 0)
    end = time.monotonic() + options.seconds
    while sum(killed.values()) < options.kills:
        if time.monotonic() > end and all(killed.values()):
            print(f"{options.seconds:g} s are over")
            break
        language = min(killed, key=lambda name: killed[name])
        victim = chance.choice([w for w in table.workers if w.language == language])
        table.expect_progress([victim])  # it works
        time.sleep(chance.random() * 0.005)  # and at any moment:
        table.kill(victim)
        table.expect_progress(table.workers, 2)  # before another one can help
        table.start(language, victim.slot)
        killed[language] += 1
    return killed


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=48, help="how many (default: 48)")
    parser.add_argument("--seconds", type=float, default=12,
                        help="end earlier, when each language had one (default: 12)")
    parser.add_argument("--need", type=lambda text: text.split(","), default=[],
                        help="languages that must not be left out, such as c,python,rust")
    parser.add_argument("--python", default=sys.executable, help="one that has furwock")
    parser.add_argument("--library", type=Path, help="libfurwock.a")
    parser.add_argument("--seed", type=int, default=os.getpid())
    options = parser.parse_args()
    if options.kills < 1 or options.seconds <= 0:
        parser.error("--kills and --seconds are above 0")
    if not set(options.need) <= set(LANGUAGES):
        parser.error(f"--need is a list of {', '.join(LANGUAGES)}")
    return options


def main() -> int:
    options = parse()
    with tempfile.TemporaryDirectory() as scratch:
        found = programs(options, Path(scratch))
        if not found:
            return 77
        table = Table(f"/furwock-job-table-{os.getpid()}", found)
        try:
            table.call(next(iter(found)), "create")
            for slot, language in enumerate([*found, *found]):
                table.start(language, slot)
            killed = storm(table, options)
            for language in found:
                table.kill_holder(language)
                killed[language] += 1
            numbers = table.end()
        finally:
            for worker in table.workers:
                worker.process.kill()
                worker.process.wait()
            Path("/dev/shm" + table.name).unlink(missing_ok=True)
    if numbers["deaths"] < len(found):
        sys.exit("a death with the table's mutex was not reported")
    text = ", ".join(f"{count} in {language}" for language, count in killed.items())
    print(f"{sum(killed.values())} workers were killed ({text}; --seed {options.seed}), "
          f"{numbers['deaths']} of them with the table's mutex; {numbers['put_back']} jobs were "
          f"put back.\n{numbers['rounds'] + numbers['done']} rounds of {numbers['done']} jobs are "
          f"done, each once; {table.audits} audits found nothing wrong.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
