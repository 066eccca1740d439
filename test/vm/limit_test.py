#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/vm: what it says beforehand, how far it is, and of bad circumstances; without a machine.

One that says nothing is ended when it has timed out.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
TOOL = Path(__file__).resolve().parents[2] / "tools/vm"


QUIET = "exec sleep 1000"
ONE_TEST = "echo 'vm: one: ended 0, 3 s'; echo 'vm: done'"


def vm(build, folder, programs, *words):
    """tools/vm with these programs, {name: script}, before those of the system."""
    for name, script in programs.items():
        program = Path(folder, name)
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
    done = subprocess.run([TOOL, build, "--tests", "^none$", "--cache", folder + "/cache", *words],
                          env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]},
                          stdout=subprocess.PIPE, text=True, timeout=50, check=False)
    print(done.stdout)
    return done.returncode, done.stdout


def main():
    build = Path(sys.argv[1])
    if not (build / "test/vm/vm-init").exists():
        print("skipped: vm-init is not built")
        return SKIPPED
    here = ("--vmlinuz", os.devnull)
    with tempfile.TemporaryDirectory() as folder:
        status, said = vm(build, folder, {"qemu-system-x86_64": QUIET}, *here, "--minutes", "0")
        if status == SKIPPED:  # too little memory, say
            return SKIPPED
        assert status == 1, status
        assert "vm: not done in time: 0 of 0 tests" in said

        status, said = vm(build, folder, {"qemu-system-x86_64": ONE_TEST}, *here)
        assert "vm: one: ended 0, 3 s  [1 of 0, " in said

        status, said = vm(build, folder, {"qemu-system-x86_64": "exit 1"}, "--plan")
        assert status == 0, status
        assert "are downloaded into" in said and "emulated in software" in said

        status, said = vm(build, folder, {"apt-get": "exit 1"})
        assert status == SKIPPED, status
        assert "apt-get indextargets names no mirror of Debian" in said
        status, said = vm(build, folder, {"apt-get": "echo http://localhost:1/debian Debian"})
        assert status == SKIPPED, status
        assert "http://localhost:1/debian does not answer: is there a network?" in said
    return 0


if __name__ == "__main__":
    sys.exit(main())
