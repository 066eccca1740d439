# SPDX-License-Identifier: MIT
"""Locks for threads: the files *_word.h and the tables of states in src/thread."""

import struct

import gdb

from furwock_gdb.program import Corrupt, ID_HELD, count, few, identity, queue, read, unpack


def mutex_word(word):
    half, waiters = word & 0xffffffff, word >> 42
    if half == 0:
        text = "unlocked"
    elif half & 1 << 31:
        text = "being handed to a waiter"
    else:
        text = "locked by " + identity(half)
    return text + (f", {count(waiters, 'waiter')}" if waiters else "") + (
        ", operations wait" if word & 1 << 40 else "")


def mutex(lock):
    return mutex_word(lock["state_"])


def rwlock_waiters(lock):
    waiting, kinds = lock["queue_"], []
    for n, what in ((waiting >> 3 & 1, "to upgrade"), (waiting >> 40, "to write"),
                    (waiting >> 8 & 0xffffff, "to read")):
        if n:
            kinds.append(f"{n} {what}")
    if not kinds:
        return ""
    who = []
    try:
        for node in queue(lock.address) or ():
            who.append(identity(unpack(node + 44, "I")[0]))  # struct rw_waiter
    except (Corrupt, gdb.MemoryError):
        pass
    return ", waiting: " + ", ".join(kinds) + (f" [{few(who)}]" if who else "")


def rwlock(lock):
    word = lock["state_"]
    owner, readers = word >> 32, word >> 8 & 0xffffff
    if word & 3 == 3 or word & 1 and readers or word & 0xc0:
        raise Corrupt
    if word & 1:
        text = "locked for writing by " + identity(owner)
    elif word & 2:
        text = "locked upgradable by " + identity(owner)
        text += f", and by {count(readers, 'reader')}" if readers else ""
    elif readers:
        text = f"locked by {count(readers, 'reader')}"
        text += f", one is {identity(owner)}" if owner else ""
    elif owner:
        raise Corrupt
    else:
        text = "unlocked"
    return text + rwlock_waiters(lock)


def cond(lock):
    if lock["waiters_"] > 3:
        raise Corrupt
    if not lock["waiters_"] & 1:
        return "no waiters"
    waiters = queue(lock.address)
    return "threads may wait" if waiters is None else count(len(waiters), "waiter")


def permits(word):
    waiters = word >> 32 & 0xfffff
    return (f", {count(waiters, 'waiter')}" if waiters else "") + (
        ", operations wait" if word & 1 << 56 else "")


def sem(lock):
    word, limit = lock["state_"], 0x7fffffff ^ lock["limit_"]
    value = word & 0x7fffffff
    if value > limit:
        raise Corrupt
    return f"value {value}" + (f" of {limit}" if lock["limit_"] else "") + permits(word)


def event(lock):
    word, kind = lock["state_"], lock["kind_"]
    if kind > 1 or kind == 1 and word & 0x7fffffff > 1:
        raise Corrupt
    text = ("automatic, " if kind else "") + ("set" if word & 1 else "not set")
    if kind:
        return text + permits(word)
    waiters = word >> 32 & 0x7fffffff
    return text + (f", {count(waiters, 'waiter')}" if waiters else "") + (
        ", operations wait" if word >> 63 else "")


def latch(lock):
    word = lock["state_"]
    left = word & 0x3fffffff
    return (f"count {left}" if left else "open") + (
        ", threads wait" if left and word & 1 << 31 else "") + (
        ", operations wait" if word & 1 << 30 else "")


def barrier(lock):
    word, parties = lock["state_"], lock["parties_"]
    awaited, inside = word & 0x3fffff, word >> 22 & 0x3fffff
    if parties == 0 or parties > 0x3fffff or awaited > parties:
        raise Corrupt
    return (f"{parties - awaited} of {parties} have arrived, round {word >> 47}, "
            f"{count(inside, 'thread')} inside" + (", being destroyed" if word & 1 << 44 else ""))


def brlock(lock):
    owner, lines, counters = lock["owner_"], lock["lines_"], lock["counters_"]
    if lines == 0:
        raise Corrupt
    writers, kept, stripes = unpack(lines, "QII")
    if stripes == 0 or stripes > 64 or counters > 1 << 16 or owner & 0xf8:
        raise Corrupt
    writer = owner & ~6
    words = struct.unpack(f"<{16 * (stripes + counters)}I", read(lines + 64,
                                                                64 * (stripes + counters)))[::16]
    readers = sum(w >> 1 for w in words[:stripes]) + sum(words[stripes:])
    readers &= 0x7fffffff
    kept >>= 1
    if writer and readers:
        text = f"locked by {count(readers, 'reader')}, closed by {identity(writer)}"
    elif writer:
        text = "locked for writing by " + identity(writer)
    else:
        text = f"locked by {count(readers, 'reader')}" if readers else "unlocked"
    return (text + (f", {count(kept, 'reader')} kept out" if kept else "") +
            (f", {count(writers >> 42, 'writer')} behind" if writers >> 42 else ""))


def once(lock):
    word = lock["state_"]
    if word & 3 == 3 or word >> 31:
        raise Corrupt
    if word & 2:
        return "done"
    if not word & 1:
        return "not begun"
    text = identity(word & ~0xff | ID_HELD)
    return f"{text} initialises" + (", threads wait" if word & 0x80 else "")


KINDS = {"fw_" + kind.__name__: kind for kind in (
    mutex, rwlock, cond, sem, event, latch, barrier, brlock, once)}
