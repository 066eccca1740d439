#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the real-time scheduler's scenarios in a virtual machine, if a kernel for it is there.

Nothing is fetched: `make test-vm-rt` does that, and runs all of the tests.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def main():
    build, source = Path(sys.argv[1]), Path(__file__).resolve().parents[2]
    kernels = sorted((source / "build/vm/packages").glob("*/**/vmlinuz*"))
    if shutil.which("qemu-system-x86_64") is None:
        skip("there is no qemu-system-x86_64 (tools/setup vm)")
    if not kernels:
        skip("no kernel has been fetched (make test-vm-rt)")
    with subprocess.Popen(
            [source / "tools/vm", build, "--labels", "^scx$", "--tests", "^scx_traces$",
             "--vmlinuz", kernels[-1], "--cache", build / "vm-quick", "--minutes", "1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True) as done:
        try:
            said, _ = done.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)  # the machine, too
            skip("the machine is too slow for it (make test-vm-rt)")
    print(said)
    if "0 passed, 1 skipped, 0 failed" in said:
        skip("that kernel has no sched_ext")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
