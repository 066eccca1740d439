#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The job table in Python.

    job_table.py create|work|hold|close|audit REGION [SLOT]
"""

from __future__ import annotations

import re
import signal
import sys
import time
from pathlib import Path

import furwock

LAYOUT = {name: int(number) for name, number in
          re.findall(r"^#define JOB_TABLE_(\w+) (\d+)",
                     Path(__file__).with_name("job_table.h").read_text(encoding="ascii"), re.M)}
READY, RUNNING, DONE = (LAYOUT[name] for name in ("READY", "RUNNING", "DONE"))
COUNTS, STEPS, JOBS, SLOTS = (LAYOUT[name] for name in ("COUNTS", "STEPS", "JOBS", "SLOTS"))
CLOSED, DEATHS, PUT_BACK = (LAYOUT[name] for name in ("CLOSED", "DEATHS", "PUT_BACK"))
PAUSE = LAYOUT["WORK_US"] / 1e6


def word(round_: int, slot: int, state: int) -> int:
    return round_ << LAYOUT["ROUND_SHIFT"] | slot << LAYOUT["SLOT_SHIFT"] | state


class Table:
    """A process's view of the table; `with table:` holds its mutex, and repairs after a death."""

    def __init__(self, name: str, create: bool) -> None:
        self.region = furwock.Region(name, size=LAYOUT["REGION_SIZE"], create=create)
        self.mutex = furwock.Mutex(self.region, name="jobs")
        self.slots = [furwock.Mutex(self.region, name=f"slot {i}") for i in range(SLOTS)]
        size = LAYOUT["WORDS"] * 8
        self.words = self.region.data("jobs.data", size, create=create).cast("Q")

    def __enter__(self) -> Table:
        grant = self.mutex.acquire()
        if grant.owner_died:  # the repair
            self.words[COUNTS:COUNTS + 3] = memoryview(self.counted()).cast("Q")
            self.words[DEATHS] += 1
            grant.consistent()
        return self

    def __exit__(self, *exc: object) -> None:
        self.mutex.release()

    @staticmethod
    def place(job: int) -> int:
        return LAYOUT["JOBS_AT"] + 2 * job

    def state(self, job: int) -> int:
        return self.words[self.place(job)] & 0xff

    def slot(self, job: int) -> int:
        return self.words[self.place(job)] >> LAYOUT["SLOT_SHIFT"] & 0xff

    def round(self, job: int) -> int:
        return self.words[self.place(job)] >> LAYOUT["ROUND_SHIFT"]

    def result(self, job: int) -> int:
        return job * LAYOUT["FACTOR"] + self.round(job)

    def counted(self) -> bytes:
        counts = [0, 0, 0]
        for job in range(JOBS):
            counts[self.state(job)] += 1  # IndexError: a job in no state
        return b"".join(count.to_bytes(8, sys.byteorder) for count in counts)

    def set(self, job: int, now: int) -> None:
        self.words[COUNTS + self.state(job)] -= 1
        self.words[self.place(job)] = now  # in one piece
        self.words[COUNTS + self.state(job)] += 1

    def find(self, state: int) -> int | None:
        return next((job for job in range(JOBS) if self.state(job) == state), None)

    def check_result(self, job: int) -> None:
        if self.words[self.place(job) + 1] != self.result(job):
            raise ValueError(f"job {job} has a wrong result")

    # --- A worker ---------------------------------------------------------------------------

    def take_slot(self, slot: int) -> bool:
        grant = self.slots[slot].acquire(blocking=False)
        if grant and grant.owner_died:
            grant.consistent()
        return bool(grant)

    def put_back(self, slot: int) -> None:
        """For whoever holds that slot: its last worker is dead."""
        for job in range(JOBS):
            if self.state(job) == RUNNING and self.slot(job) == slot:
                self.set(job, word(self.round(job), 0, READY))
                self.words[PUT_BACK] += 1

    def put_back_of_the_dead(self, my_slot: int) -> None:
        for slot in range(SLOTS):
            if slot != my_slot and self.take_slot(slot):
                self.put_back(slot)
                self.slots[slot].release()

    def begin(self, slot: int) -> tuple[int, int] | None:
        """A job to run, and its word; None: there is none now."""
        job = self.find(READY)
        if job is None and not self.words[CLOSED]:
            job = self.find(DONE)
            if job is not None:
                self.check_result(job)
                self.set(job, word(self.round(job) + 1, 0, READY))
        if job is None:
            self.put_back_of_the_dead(slot)
            return None
        mine = word(self.round(job), slot, RUNNING)
        self.set(job, mine)
        return job, mine

    def end(self, job: int, mine: int, slot: int) -> None:
        if self.words[self.place(job)] != mine:
            raise ValueError("a job was taken from a living worker")
        self.words[self.place(job) + 1] = self.result(job)
        self.set(job, word(self.round(job), slot, DONE))
        self.words[STEPS + slot] += 1

    def work(self, slot: int) -> None:
        with self:
            if not self.take_slot(slot):
                raise ValueError("the slot is taken")
            self.put_back(slot)
        while True:
            with self:
                if self.words[CLOSED] and self.words[COUNTS + DONE] == JOBS:
                    return
                begun = self.begin(slot)
            time.sleep(PAUSE)
            if begun is not None:
                with self:
                    self.end(*begun, slot)

    def hold(self) -> None:
        """Leaves a wrong count behind: for whoever kills this process."""
        with self:
            self.words[COUNTS + DONE] += 1000
            print("held", flush=True)
            signal.pause()

    # --- The others -------------------------------------------------------------------------

    def audit(self) -> None:
        """Every job is in one state, each count is right, and each result."""
        with self:
            if self.words[COUNTS:COUNTS + 3].tobytes() != self.counted():
                raise ValueError("the counts are wrong")
            for job in range(JOBS):
                if self.state(job) == DONE:
                    self.check_result(job)
            rounds = sum(self.round(job) for job in range(JOBS))
            ready, running, done = self.words[COUNTS:COUNTS + 3]
            steps = " ".join(str(n) for n in self.words[STEPS:STEPS + SLOTS])
            print(f"rounds {rounds} deaths {self.words[DEATHS]} put_back {self.words[PUT_BACK]} "
                  f"ready {ready} running {running} done {done} steps {steps}")


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    command, name = sys.argv[1:3]
    table = Table(name, create=command == "create")
    if command == "create":
        with table:
            table.words[COUNTS:COUNTS + 3] = memoryview(table.counted()).cast("Q")
    elif command == "work" and len(sys.argv) == 4:
        table.work(int(sys.argv[3]) % SLOTS)
    elif command == "close":
        with table:
            table.words[CLOSED] = 1
    elif command == "hold":
        table.hold()
    elif command == "audit":
        table.audit()
    else:
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
