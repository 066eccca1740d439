/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>
#include <unistd.h>

#include "sys/panic.h"
#include "sys/thread.h"

/* One write, so that lines of several threads do not mix.  If it fails, abort speaks for itself. */
static _Noreturn void say_and_abort(const char *line, int length)
{
    fw_system_call_(SYS_write, STDERR_FILENO, (long)(intptr_t)line, length, 0, 0, 0);
    abort();
}

static const char *name_of(uint32_t id, char *buffer, size_t size)
{
    if (id == 0)
        return "nobody";
    if (fw_id_is_task_(id))
        snprintf(buffer, size, "task %u", (id >> FW_ID_SHIFT) - FW_ID_ALIAS);
    else
        snprintf(buffer, size, "%d", fw_id_number_(id));
    return buffer;
}

_Noreturn void fw_panic_(const char *what, const void *lock, uint32_t caller, uint32_t owner)
{
    char line[200];
    char caller_name[16];
    char owner_name[16];
    int length = snprintf(line, sizeof line, "furwock: %s: lock %p, caller %s, owner %s\n", what,
                          lock, name_of(caller, caller_name, sizeof caller_name),
                          name_of(owner, owner_name, sizeof owner_name));
    say_and_abort(line, length);
}

_Noreturn void fw_panic_task_(const char *what, uint32_t task)
{
    char line[200];
    char name[16];
    int length =
        snprintf(line, sizeof line, "furwock: %s: %s (%#x)\n", what,
                 fw_id_is_task_(task) ? name_of(task, name, sizeof name) : "no task", task);
    say_and_abort(line, length);
}

_Noreturn void fw_panic_object_(const char *what, const void *object, size_t n)
{
    char line[200];
    int length = snprintf(line, sizeof line, "furwock: %s: %p, %zu bytes\n", what, object, n);
    say_and_abort(line, length);
}

/* What a call that is right can only fail by, where we know. */
static const char *cause_of(int error)
{
    switch (error) {
    case EFAULT:
        return " (no memory is there: it was unmapped, or its file was cut short)";
    case ENOMEM:
        return " (the system is out of memory)";
    case EPERM:
    case EACCES:
    case ENOSYS:
        return " (a filter of system calls, or a kernel without this one)";
    default:
        return "";
    }
}

_Noreturn void fw_panic_errno_(const char *what, int error)
{
    char line[200];
    int length = snprintf(line, sizeof line, "furwock: %s: unexpected error %d%s\n", what, error,
                          cause_of(error < 0 ? -error : error));
    say_and_abort(line, length);
}
