#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""tools/vm ends a machine that says nothing when its time is over; here it is not a machine."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
TOOL = Path(__file__).resolve().parents[2] / "tools/vm"


def main():
    build = Path(sys.argv[1])
    if not (build / "test/vm/vm-init").exists():
        print("skipped: vm-init is not built")
        return SKIPPED
    with tempfile.TemporaryDirectory() as room:
        machine = Path(room, "qemu-system-x86_64")
        machine.write_text("#!/bin/sh\nexec sleep 1000\n", encoding="utf-8")
        machine.chmod(0o755)
        done = subprocess.run(
            [TOOL, build, "--tests", "^none$", "--vmlinuz", os.devnull, "--room", room,
             "--minutes", "0"], env={**os.environ, "PATH": room + ":" + os.environ["PATH"]},
            stdout=subprocess.PIPE, text=True, timeout=50, check=False)
    print(done.stdout)
    assert done.returncode == 1, done.returncode
    assert "vm: not done in time" in done.stdout
    return 0


if __name__ == "__main__":
    sys.exit(main())
