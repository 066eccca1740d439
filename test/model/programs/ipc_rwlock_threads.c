/* SPDX-License-Identifier: MIT */
#include "ipc_rwlock_threads.h"

#include <errno.h>

#include "../engine/report.h"
#include "ipc_calls.h"
#include "ipc_rwlock_check.h"
#include "script.h"

static fw_ipc_rwlock *l;

void ipc_rwlock_threads_make(fw_ipc_rwlock *lock)
{
    l = lock;
}

void ipc_rwlock_pass(void)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

void ipc_rwlock_section(unsigned self, int error, int (*consistent)(void *of), void *of)
{
    ipc_rwlock_writes(self, error);
    if (error == EOWNERDEAD) {
        *shadow(SECOND) = *shadow(FIRST);
        if (consistent(of) != 0)
            model_thread_fail("answer", "the writer may not say that the data are sound", 0, 0);
        *shadow(OWED) = 0;
    }
    ipc_rwlock_count();
    *shadow(WRITER) = 0;
}

/* Not taken: may that be? */
static void check_refusal(unsigned self, bool is_timed, int error)
{
    bool ok = error == ETIMEDOUT ? is_timed : error == EOWNERDEAD && *shadow(DIED_WRITING) != 0;

    report_remark(self, "is refused");
    if (!ok)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

void ipc_rwlock_thread_reads(unsigned self, bool dies)
{
    int error = ipc_rwlock_in_use()->read(l, &script_blocking, NULL);

    if (error != 0) {
        check_refusal(self, false, error);
        return;
    }
    ipc_rwlock_reads(self);
    ipc_rwlock_pass();
    if (dies)
        model_thread_exit();
    *shadow(READERS) &= ~model_bit(self);
    if (ipc_rwlock_in_use()->end_read(l) != 0)
        model_thread_fail("answer", "thread %llu may not end what it reads", self, 0);
}

static int say_consistent(void *nothing)
{
    (void)nothing;
    return ipc_rwlock_in_use()->consistent(l);
}

static void write_and_end(unsigned self, int error)
{
    ipc_rwlock_section(self, error, say_consistent, NULL);
    if (ipc_rwlock_in_use()->end_write(l) != 0)
        model_thread_fail("answer", "thread %llu may not end what it writes", self, 0);
    report_remark(self, "has ended writing");
}

void ipc_rwlock_thread_writes(unsigned self, const fw_deadline *deadline)
{
    int error = ipc_rwlock_in_use()->write(l, &script_blocking, deadline);

    if (error == 0 || error == EOWNERDEAD)
        write_and_end(self, error);
    else
        check_refusal(self, deadline != NULL, error);
}

void ipc_rwlock_thread_reads_upgradable(unsigned self, bool upgrades)
{
    int error = ipc_rwlock_in_use()->up(l, &script_blocking, NULL);

    if (error != 0) {
        check_refusal(self, false, error);
        return;
    }
    ipc_rwlock_reads_upgradable(self);
    ipc_rwlock_pass();
    *shadow(UPPER) = 0;
    if (upgrades && ipc_rwlock_in_use()->upgrade(l, NULL) == 0)
        write_and_end(self, 0);
    else if (upgrades || ipc_rwlock_in_use()->end_up(l) != 0)
        model_thread_fail("answer", "thread %llu may not go on from what it reads", self, 0);
}
