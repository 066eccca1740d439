/* SPDX-License-Identifier: MIT */
/*
 * Registers of a thread that runs, by ptrace: contract in who.h.
 *
 * The thread is seized, which does not stop it, then interrupted, read and left.  If this process
 * is killed in between, the kernel lets the thread go on.  A signal that arrives at the same time
 * is delivered as it would have been.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "core_parts.h"
#include "who.h"

enum { PATIENCE_MS = 200 /* for a thread that cannot be interrupted */, PAUSE_US = 20 };

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Until it has stopped: its status; 0: it has not. */
static int await_stop(pid_t tid)
{
    uint64_t end = now_ns() + PATIENCE_MS * UINT64_C(1000000);
    const struct timespec pause = {0, PAUSE_US * 1000};
    int status;

    for (;;) {
        pid_t found = waitpid(tid, &status, __WALL | WNOHANG);
        if (found == tid)
            return WIFSTOPPED(status) ? status : 0;
        if (found < 0 || now_ns() > end)
            return 0;
        nanosleep(&pause, NULL);
    }
}

/* The signal that it stopped for, if it is one that is about to be delivered. */
static int signal_of(int status)
{
    return status >> 16 == 0 ? WSTOPSIG(status) : 0;
}

static bool read_registers(pid_t tid, unsigned machine, struct target_call *call)
{
    uint64_t registers[CORE_REGISTERS] = {0};
    struct iovec into = {registers, sizeof registers};

    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &into) != 0)
        return false;
    core_decode_registers(machine, registers, call);
    return true;
}

bool who_stop(pid_t tid, unsigned machine, struct target_call *call, uint64_t *ns)
{
    uint64_t began;
    bool is_read;
    int status;

    if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0)
        return false;
    began = now_ns();
    if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) != 0)
        return false; /* it has ended */
    status = await_stop(tid);
    if (status == 0)
        return false; /* seized still, and let go when this process ends */
    is_read = read_registers(tid, machine, call);
    ptrace(PTRACE_DETACH, tid, 0, signal_of(status));
    *ns = now_ns() - began;
    return is_read;
}
