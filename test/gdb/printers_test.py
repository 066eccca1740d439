#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gdb shows who holds furwock's locks and who waits: in a program, and in its core file."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PRINTERS = HERE.parents[1] / "tools/gdb/furwock-gdb.py"
SKIP = 77
SECONDS = 600  # only a hang takes as long


def gdb(*commands, step="live", core=""):
    words = ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off"]
    for command in commands:
        words += ["-ex", command]
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                          env={**os.environ, "FURWOCK_STEP": step, "FURWOCK_CORE": core}).stdout


def expect_well(output):
    if "\nall is well" not in "\n" + output:
        print(output)
        sys.exit(1)


def skip(why):
    print(why)
    sys.exit(SKIP)


def main(program):
    if shutil.which("gdb") is None:
        skip("gdb is not installed")
    if "3." not in gdb("python import sys; print(sys.version)"):
        skip("gdb has no Python")
    with tempfile.TemporaryDirectory() as directory:
        core = os.path.join(directory, "core")
        load = ["set startup-with-shell off", "set disable-randomization off",
                f"source {PRINTERS}", f"file {program}"]
        output = gdb(*load, "break debugger_looks", "run",
                     f"source {HERE}/in_gdb.py", "kill", core=core)
        if "ptrace" in output and "not permitted" in output:
            skip("no process may look into another one here")
        expect_well(output)
        expect_well(gdb(*load, f"core-file {core}", f"source {HERE}/in_gdb.py", step="core"))


main(sys.argv[1])
