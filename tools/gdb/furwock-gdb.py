# SPDX-License-Identifier: MIT
"""What gdb loads: beside libfurwock.so, or because it was told to (source furwock-gdb.py).

The modules lie beside this file, or where they are installed: PREFIX/share/furwock/gdb.
"""

import pathlib
import sys


def load():
    here = pathlib.Path(__file__).resolve()
    for directory in (here.parent, *(parent / "furwock/gdb" for parent in here.parents)):
        if (directory / "furwock_gdb").is_dir():
            break
    else:
        print(f"{here}: the directory furwock/gdb is not installed")
        return
    leaves_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(directory))
    try:
        from furwock_gdb import printers
    finally:
        sys.path.remove(str(directory))
        sys.dont_write_bytecode = leaves_bytecode
    printers.register()


load()
