# SPDX-License-Identifier: MIT
"""The program that is looked at: its memory, its threads, what the library keeps beside locks."""

import struct

import gdb

FEW = 8  # of holders and waiters that are listed

ID_HELD, ID_SHIFT, ID_ALIAS = 1, 8, 1 << 22  # sys/thread.h
NAMES, NAME_SIZE = 1024, 40  # furwock/name.h


class Corrupt(Exception):
    """The word is none that the lock can have."""


def read(address, size):
    """Bytes of the program; gdb.MemoryError."""
    return bytes(gdb.selected_inferior().read_memory(address, size))


def unpack(address, layout):
    return struct.unpack("<" + layout, read(address, struct.calcsize("<" + layout)))


def symbol(name, local=None):
    """
    The address of a variable of the library, also of one without debug information; None.  Of an
    alias gdb sees the declaration only: then `local` is what stands behind it, if it is that.
    """
    for spelling in (name, local) if local else (name,):
        try:
            address = int(gdb.parse_and_eval("&" + spelling))
            if gdb.execute(f"info symbol {address}", to_string=True).startswith(name + " "):
                return address
        except gdb.error:
            pass
    return None


def name_of(address):
    """What fw_name has called it: ' "name"', or nothing."""
    table = symbol("fw_names_")
    if address is None or table is None:
        return ""
    size = 8 + NAME_SIZE
    try:
        entries = read(table, NAMES * size)
    except gdb.MemoryError:
        return ""
    key = struct.pack("<Q", address)
    at = entries.find(key)
    while at >= 0 and at % size != 0:
        at = entries.find(key, at + 1)
    text = entries[at + 8:at + size].split(b"\0")[0] if at >= 0 else b""
    return f' "{text.decode(errors="replace")}"' if text else ""


def thread(number):
    """A thread of the kernel's, and which of gdb's it is."""
    threads = gdb.selected_inferior().threads()
    for known in threads:
        if known.ptid[1] == number:
            name = f' "{known.name}"' if known.name else ""  # a core file has none
            return f"thread {number} (gdb thread {known.num}{name})"
    return f"thread {number}" + (" (not in this process)" if threads else "")


def identity(word):
    """An owner of a lock for threads: sys/thread.h."""
    number = word >> ID_SHIFT
    if word & ((1 << ID_SHIFT) - 1) != ID_HELD or number >= 2 * ID_ALIAS:
        raise Corrupt
    if number == ID_ALIAS:
        alias = symbol("fw_aliased_number_")
        if alias is None:
            return "a thread from before the fork"
        number = unpack(alias, "I")[0]
    if number == 0:
        return "a thread that is not known yet"
    return thread(number) if number < ID_ALIAS else f"task {number - ID_ALIAS}"


def count(n, what):
    return f"{n} {what}" + ("" if n == 1 else "s")


def few(all_of_them):
    listed = ", ".join(all_of_them[:FEW])
    return listed + (f" and {len(all_of_them) - FEW} more" if len(all_of_them) > FEW else "")


def queue(address):
    """Nodes that wait for an object, in their order: core/waitqueue.h; None: not known."""
    table = symbol("fw_waitqueues_", "buckets")
    if address is None or table is None:
        return None
    mixed = address * 0x9e3779b97f4a7c15 & (1 << 64) - 1
    node = unpack(table + (mixed >> 54) * 64 + (mixed >> 32 & 3) * 8, "Q")[0]
    found = []
    for _ in range(10000):  # a queue that was written over may be a ring
        if node == 0:
            break
        following, _, of, next_object = unpack(node, "QQQQ")
        if of == address:
            found.append(node)
        node = following if of == address else next_object
    return found


class Lock:
    """The fields of a lock, as unsigned numbers, and where it lies."""

    def __init__(self, value):
        self.value = value
        self.address = None if value.address is None else int(value.address)

    def __getitem__(self, field):
        value = self.value[field]
        return int(value) & (1 << 8 * value.type.sizeof) - 1
