/* SPDX-License-Identifier: MIT */
/*
 * What the real-time locks call below themselves: src/sys/futex_pi.h, src/sys/schedule.h, a little
 * of the C library, and those of their own parts that record and explain.
 */
#include "rt.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "../engine/model.h"
#include "../kernel.h"
#include "robust.h"
#include "rt/internal.h"
#include "rt/scx/user.h"
#include "subject.h"
#include "sys/claim.h"
#include "sys/futex_pi.h"
#include "sys/schedule.h"

int subject_kill(pid_t id, int number);
int subject_open(const char *path, int flags, ...);
int subject_access(const char *path, int mode);
int subject_getcpu(void);

int (*subject_cpu_of)(unsigned thread);
bool subject_looks, subject_claims;

void subject_look(void)
{
    if (subject_looks)
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

/* --- src/sys/futex_pi.h --------------------------------------------------------------------- */

static uint64_t ns_of(const fw_deadline *d)
{
    return d == NULL ? KERNEL_FOREVER
                     : (uint64_t)d->at.tv_sec * 1000000000u + (uint64_t)d->at.tv_nsec;
}

int fw_futex_lock_pi_(uint32_t *word, unsigned flags, const fw_deadline *deadline)
{
    int error;

    (void)flags;
    do
        error = (int)model_op(OP_LOCK_PI, word, 4, 0, 0, ns_of(deadline), 0);
    while (error == -EINTR);
    return error;
}

int fw_futex_trylock_pi_(uint32_t *word, unsigned flags)
{
    int error = (int)model_op(OP_LOCK_PI, word, 4, 1, 0, 0, 0);

    (void)flags;
    return error == -EDEADLK ? -EBUSY : error;
}

int fw_futex_unlock_pi_(uint32_t *word, unsigned flags)
{
    (void)flags;
    return (int)model_op(OP_UNLOCK_PI, word, 4, 0, 0, 0, 0);
}

/* --- src/sys/claim.h ------------------------------------------------------------------------ */

bool fw_claim_(uint32_t cpu, uint64_t *word, uint64_t value, const uint64_t *const *other,
               const uint64_t *seen, unsigned n)
{
    if (!subject_claims || subject_getcpu() != (int)cpu)
        return false;
    return model_op(OP_CLAIM, word, sizeof *word, value, (uint64_t)(uintptr_t)other,
                    (uint64_t)(uintptr_t)seen, n) != 0;
}

/* --- src/sys/schedule.h --------------------------------------------------------------------- */

__thread uint32_t fw_inheriting_;

/* By its own priority, which only it changes. */
int fw_urgency_(void)
{
    return (int)model_threads[model_current].priority;
}

bool subject_is_stale;

int fw_urgency_known_(void)
{
    return subject_is_stale ? 0 : fw_urgency_();
}

enum { ASKS = 1 };

static uint64_t number_of(unsigned thread)
{
    return thread == 0 ? model_current : thread - SUBJECT_FIRST_TID;
}

int fw_schedule_(unsigned thread, int policy, int priority)
{
    (void)policy;
    return (int)model_op(OP_PRIORITY, NULL, 0, (uint64_t)priority, number_of(thread), 0, 0);
}

int fw_scheduled_as_(unsigned thread, int *policy, int *priority)
{
    int answer = (int)model_op(OP_PRIORITY, NULL, 0, 0, number_of(thread), ASKS, 0);

    *policy = answer == 0 ? SCHED_OTHER : SCHED_FIFO;
    *priority = answer;
    return answer < 0 ? answer : 0;
}

/* Nobody can see that a thread has been there. */
void fw_enter_kernel_(void) {}

/* --- The C library -------------------------------------------------------------------------- */

int subject_kill(pid_t id, int number)
{
    (void)number;
    if (model_op(OP_ALIVE, NULL, 0, (uint64_t)id - SUBJECT_FIRST_TID, 0, 0, 0) != 0)
        return 0;
    errno = ESRCH;
    return -1;
}

/* There is no /proc. */
int subject_open(const char *path, int flags, ...)
{
    (void)path;
    (void)flags;
    errno = ENOENT;
    return -1;
}

int subject_access(const char *path, int mode)
{
    (void)path;
    (void)mode;
    errno = ENOENT;
    return -1;
}

int subject_getcpu(void)
{
    return subject_cpu_of(model_current);
}

/* --- Their own parts ------------------------------------------------------------------------ */

_Thread_local bool fw_rt_has_failed_;

void fw_rt_forget_(void) {}

int fw_rt_fail_(int error, const char *format, ...)
{
    (void)format;
    return error;
}

void fw_rt_trace_add_(struct fw_rt_trace *trace, uint32_t kind, uint32_t lock, uint32_t other,
                      uint64_t value)
{
    (void)trace;
    (void)kind;
    (void)lock;
    (void)other;
    (void)value;
}

/* There are no proxies, and no locks that have them (PCP-DU-PF). */
bool fw_rt_scx_read_permit_(struct fw_rt_task *t, uint32_t desc)
{
    (void)t;
    (void)desc;
    return false;
}

void fw_rt_scx_unmark_(struct fw_rt_task *t, uint32_t desc)
{
    (void)t;
    (void)desc;
}
