# SPDX-License-Identifier: MIT
"""The printers: one for each kind of lock."""

import struct

import gdb
import gdb.printing

from furwock_gdb import regions, threads
from furwock_gdb.program import Corrupt, Lock, name_of

KINDS = {**threads.KINDS, **regions.KINDS}


class Printer:
    """One lock; never fails: a debugger is used where words are wrong."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value

    def to_string(self):
        what = self.kind
        try:
            lock = Lock(self.value)
            what += name_of(lock.address)
            return f"{what}: {KINDS[self.kind](lock)}"
        except Corrupt:
            return f"{what}: corrupt {self.value.format_string(format='x', raw=True)}"
        except (gdb.error, ArithmeticError, LookupError, ValueError, struct.error) as error:
            return f"{what}: cannot be read ({error})"


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("furwock")
    for kind in KINDS:
        printers.add_printer(kind, f"^{kind}$", lambda value, kind=kind: Printer(kind, value))
    gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)
