# SPDX-License-Identifier: MIT
"""The machine that is measured on."""

import datetime
import os
import platform
import subprocess

from front import assist

TRACEPOINTS = ("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id",
               "/sys/kernel/tracing/events/syscalls/sys_enter_membarrier/id")
READ = " && ".join("cat " + path for path in TRACEPOINTS)
MOUNT_AND_READ = "mount -t tracefs none /sys/kernel/tracing && " + READ


def cpus():
    """CPUs that this program may use."""
    return len(os.sched_getaffinity(0))


def _output(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _cpuinfo(key):
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
            for line in f:
                name, _, value = line.partition(":")
                if name.strip() == key:
                    return value.strip()
    except OSError:
        pass
    return None


def _virtual():
    """The hypervisor's name; "none" on bare metal; None where nobody can tell."""
    said = _output(["systemd-detect-virt", "--vm"])
    if said is not None:
        return said
    flags = _cpuinfo("flags")
    if flags is None:
        return None
    return "unknown hypervisor" if "hypervisor" in flags.split() else "none"


def describe(worker_info):
    """The `machine` object of a result file."""
    return {"cpu": _cpuinfo("model name") or platform.machine(),
            "cpus": cpus(),
            "kernel": platform.release(),
            "libc": "glibc " + worker_info["libc"],
            "compiler": worker_info["compiler"],
            "virtual": _virtual(),
            "assist": assist.state(),
            "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds")}


def same(a, b):
    """Whether results from both may stand in one file."""
    return all(a.get(k) == b.get(k) for k in ("cpu", "cpus", "kernel", "libc"))


def syscall_events():
    """Ids of the tracepoints that count system calls, and membarrier (not everywhere), as text with
    commas, and None; or None and the reason why not.

    Where tracefs is not mounted, root may mount it in a mount namespace of its own, which leaves
    nothing behind.
    """
    if os.path.exists(TRACEPOINTS[0]):
        said = _output(["sh", "-c", READ])
    elif os.geteuid() == 0:
        said = _output(["unshare", "--mount", "sh", "-c", MOUNT_AND_READ])
    else:
        said = None
    ids = (said or "").split()
    if ids and all(one.isdigit() for one in ids):
        return ",".join(ids), None
    if os.geteuid() != 0:
        return None, "the tracepoint raw_syscalls:sys_enter is for root"
    return None, "no tracepoint raw_syscalls:sys_enter here"
