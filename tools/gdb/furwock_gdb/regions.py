# SPDX-License-Identifier: MIT
"""Locks in regions: src/ipc/region/layout.h, and the tables of states in src/ipc."""

import re
import struct

import gdb

from furwock_gdb.program import Corrupt, count, few, read, thread, unpack

MAGIC, FORMAT, PARTICIPANT_SIZE = 0x316b636f77727566, 1, 256
SLOT, WAITERS, DIED = 0xffff, 1 << 31, 1 << 30
HOLDER = SLOT | 0xffffffff << 32
AGENT = 0x6b656570


def mapped_from(address):
    """Where the mapping of an address, or the file of which it is a part, begins; None."""
    try:
        lines = gdb.execute("info proc mappings", to_string=True).splitlines()
    except gdb.error:
        return None
    starts = {}
    for line in lines:
        found = re.match(r"\s*0x(\w+)\s+0x(\w+)\s+0x\w+\s+0x(\w+)\s+(?:[-rwxsp]+\s+)?(\S.*)?$",
                         line)
        if found is None:
            continue
        start, end, offset = (int(found.group(i), 16) for i in (1, 2, 3))
        if start <= address < end:
            return starts.get((found.group(4), start - offset), start)
        starts.setdefault((found.group(4), start - offset), start)
    return None


class Region:
    """The region around an object: its participants, by slot."""

    def __init__(self, address):
        self.base, self.participants = None, []
        lowest = mapped_from(address) if address is not None else None
        if lowest is None:
            return
        for base in (lowest, *range(address & ~4095, max(lowest, address - (32 << 20)), -4096)):
            if self.is_at(base, address):
                break

    def is_at(self, base, address):
        try:
            magic, form = unpack(base, "QI")
            if magic != MAGIC or form != FORMAT:
                return False
            size, = unpack(base + 24, "Q")
            at, n = unpack(base + 40, "II")
            used, = unpack(base + 80, "I")
            if address - base >= size or n > 4096 or at + n * PARTICIPANT_SIZE > size:
                return False
            slots = read(base + at, min(used, n) * PARTICIPANT_SIZE)
        except gdb.MemoryError:
            return False
        self.base = base
        self.participants = list(struct.iter_unpack("<QQ40xQ8xIIQ40s128s", slots))
        return True

    def person(self, process, number):
        if process == gdb.selected_inferior().pid:
            return thread(number)
        return f"thread {number} of process {process}"

    def holder(self, word):
        """Whom the word names: slot and generation."""
        slot, generation = (word & SLOT) - 1, word >> 32
        if slot < 0 or word & SLOT == SLOT:
            raise Corrupt
        if not self.participants:
            return f"participant {slot + 1}.{generation} of the region"
        if slot >= len(self.participants):
            raise Corrupt
        life, ids, _, how, _, introduced, former, _ = self.participants[slot]
        if life >> 32 == generation and introduced == generation:
            text = self.person(ids >> 32, ids & 0xffffffff)
            if how == AGENT:
                text = f"a task of process {ids >> 32}"
            return text + ("" if self.lives(life) else ", which died")
        if life >> 32 == generation and self.lives(life):
            return f"thread {life & 0x3fffffff} of a process"
        for entry in struct.unpack("<5Q", former):
            if entry and entry & 0xfffff == generation & 0xfffff:
                return f"thread {entry >> 20 & 0x3fffff} of process {entry >> 42}, which died"
        return "a thread that died"

    @staticmethod
    def lives(life):
        return life & 0x3fffffff != 0 and not life & DIED

    def present(self):
        for participant in self.participants:
            life, introduced = participant[0], participant[5]
            if self.lives(life) and introduced == life >> 32:
                yield participant

    def waiters(self, lock):
        if not self.participants:
            return ""
        who = [self.person(m[1] >> 32, m[1] & 0xffffffff) for m in self.present()
               if m[2] == lock.address - self.base and m[3] != AGENT]
        return f", {count(len(who), 'waiter')} [{few(who)}]" if who else ""

    def readers(self, lock):
        """The threads that have a share: src/ipc/share.h."""
        who = []
        for m in self.present():
            share = m[0] >> 32 << 32 | (lock.address - self.base) >> 3 << 2 | 1
            if share in struct.unpack("<16Q", m[7]):
                who.append(self.person(m[1] >> 32, m[1] & 0xffffffff))
        return who


def sleepers(word, region, lock):
    known = region.waiters(lock)
    return known or (", threads may wait" if word & WAITERS and not region.participants else "")


def ipc_mutex(lock):
    word, region = lock["word_"], Region(lock.address)
    if word == SLOT:
        return "given up, not recoverable"
    if word == 0:
        return "unlocked" + region.waiters(lock)
    return ("locked by " + region.holder(word) + (", inconsistent" if word & DIED else "") +
            sleepers(word, region, lock))


def ipc_rwlock(lock):
    word, region = lock["word_"], Region(lock.address)
    if word == SLOT:
        return "given up, not recoverable"
    if word & ~(HOLDER | 0x3f << 16 | WAITERS | DIED):
        raise Corrupt
    readers = region.readers(lock)
    parts = []
    if word:
        phase = word & (7 << 16 | DIED)
        how = {0: "locked for writing by ", DIED: "locked for writing, inconsistent, by ",
               1 << 16: "locked upgradable by ", 2 << 16: "closed for ",
               4 << 16: "being released by "}.get(phase)
        if how is None:
            raise Corrupt
        parts.append(how + region.holder(word))
    if readers:
        parts.append(f"locked by {count(len(readers), 'reader')} [{few(readers)}]")
    if not parts:
        parts.append("unlocked" if region.participants else "not locked for writing")
    return ", ".join(parts) + sleepers(word, region, lock)


def ipc_cond(lock):
    word, region = lock["word_"], Region(lock.address)
    return (region.waiters(lock).lstrip(", ") or
            ("threads may wait" if word & 1 and not region.participants else "no waiters"))


def ipc_sem(lock):
    word, region = lock["word_"], Region(lock.address)
    if not word >> 63:
        return "not made"
    if word & 0x7fffffff > lock["made_"] & 0x7fffffff:
        raise Corrupt
    return (f"value {word & 0x7fffffff} of {lock['made_'] & 0x7fffffff}" +
            sleepers(word, region, lock))


def ipc_permits(lock):
    made, region = lock["made_"], Region(lock.address)
    if made == 0:
        return "not made"
    if made > 0xffff or lock.address is None:
        raise Corrupt
    held = [w for w in unpack(lock.address + 64, f"{made}Q") if w]
    who = [region.holder(w) for w in held]
    return (f"{made - len(held)} of {count(made, 'permit')} free" +
            (f", held by {few(who)}" if who else "") + sleepers(lock["queue_"], region, lock))


def ipc_barrier(lock):
    word, made, region = lock["round_"], lock["made_"], Region(lock.address)
    parties = made & 0xffffffff
    if made == 0:
        return "not made"
    if not made >> 63 or not 0 < parties <= 4096 or lock.address is None:
        raise Corrupt
    arrived = sum(1 for w in unpack(lock.address + lock.value.type.sizeof, f"{parties}Q")
                  if w & SLOT not in (0, SLOT) and w >> 20 & 0xfff == word >> 52 and
                  w >> 16 & 15 == word & 15)
    return (f"{arrived} of {parties} have arrived, round {word & 0x3fffffff}" +
            (", broken" if word & DIED else "") + sleepers(word, region, lock))


def ipc_once(lock):
    word, region = lock["word_"], Region(lock.address)
    if word == SLOT:
        return "done"
    if word & ~(HOLDER | WAITERS | DIED):
        raise Corrupt
    if word & HOLDER == 0:
        return "not begun" + (", a thread died over it" if word & DIED else "")
    return region.holder(word) + " initialises" + sleepers(word, region, lock)


KINDS = {"fw_" + kind.__name__: kind for kind in (
    ipc_mutex, ipc_rwlock, ipc_cond, ipc_sem, ipc_permits, ipc_barrier, ipc_once)}
