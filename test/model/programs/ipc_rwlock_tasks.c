/* SPDX-License-Identifier: MIT */
/* Contract: ipc_rwlock_tasks.h. */
#include "ipc_rwlock_tasks.h"

#include <errno.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "../subject/process.h"
#include "core/sleep.h"
#include "core/waitqueue.h"
#include "ipc/rwlock_task.h"
#include "ipc/wait.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "ipc_rwlock_check.h"

/* What a process knows of the lock: its own memory, so accesses to it are no steps. */
struct process {
    struct fw_rw_records_ records;
    uint64_t inside, waits; /* tasks */
    uint64_t expected;      /* while some wait: their record's lower half */
};

/* What is to be waited for. */
struct look {
    const uint32_t *word;
    uint32_t expected;
    uint64_t holder;
};

/* A queue of a loop. */
struct queue {
    const uint32_t *word; /* as it was armed last */
    bool was_told;        /* AWI2 */
    bool is_late;
};

static fw_ipc_rwlock *l;
static struct process *processes;
static struct ipc_rwlock_tasks script;

static unsigned process_of(unsigned self)
{
    return script.are_together && self == 1 ? 0 : self;
}

struct fw_ipc_me_ ipc_rwlock_tasks_agent(unsigned self)
{
    unsigned n = process_of(self);

    return (struct fw_ipc_me_){.mapping = region_mapping,
                               .participant = &region_slots[n],
                               .id = UINT64_C(1) << 32 | (n + 1)};
}

static struct process *mine(unsigned self)
{
    return &processes[process_of(self)];
}

void ipc_rwlock_tasks_make(fw_ipc_rwlock *lock, const struct ipc_rwlock_tasks *how)
{
    l = lock;
    script = *how;
    processes =
        model_object("process", model_thread_count * (unsigned)sizeof *processes, NULL, NULL);
    for (unsigned i = 0; i < model_thread_count; i++)
        processes[i].records.mapping = region_mapping;
    process_agent_of = ipc_rwlock_tasks_agent;
    if (how->are_together)
        ipc_rwlock_one_process(2);
}

void ipc_rwlock_tasks_begin(void)
{
    struct fw_robust_ debt;

    fw_ipc_debt_begin_(&debt, region_mapping); /* AGT2 */
}

/* The lock of the process's table. */
static struct fw_waitqueue_ *enter_table(void)
{
    return script.are_together ? fw_waitqueue_lock_(l) : NULL;
}

static void leave_table(struct fw_waitqueue_ *table)
{
    if (table != NULL)
        fw_waitqueue_unlock_(table);
}

static void pass(void)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

static void wake_all(const uint32_t *word)
{
    if (word != NULL)
        fw_ipc_wake_(word, FW_FUTEX_ALL);
}

/* --- Loops ---------------------------------------------------------------------------------- */

static void pass_wake_on(struct queue *q)
{
    if (q->was_told)
        fw_ipc_wake_(q->word, 1);
    q->was_told = false;
}

/* False: there is none that lives. */
static bool watch_life(fw_futex_any *words, unsigned *n, uint64_t holder, uint64_t agent)
{
    const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(region_mapping, holder);
    uint64_t life;

    if (m == NULL || holder == agent)
        return true;
    life = fw_load64_acquire(&m->life);
    if (life >> 32 != holder >> 32 || (life & FW_ROBUST_OWNER) == 0)
        return false;
    words[(*n)++] = (fw_futex_any){fw_ipc_life_half_(m), (uint32_t)life, FW_FUTEX_SHARED};
    return true;
}

/* A look has failed.  ETIMEDOUT: the deadline is over, if there is one. */
static int sleep_in(struct queue *q, const struct process *p, const struct look *look,
                    uint64_t agent, const fw_deadline *deadline)
{
    static const fw_deadline interval = {{KERNEL_BOOT_NS / 1000000000 + 1, 0}, CLOCK_MONOTONIC};
    fw_futex_any words[4] = {{look->word, look->expected, FW_FUTEX_SHARED}};
    unsigned n = 1, deaths;
    int answer;

    if (look->word != q->word)
        pass_wake_on(q);
    q->was_told = false;
    q->word = look->word;
    if (p == &processes[model_current] && p->waits != 0 && look->expected != (uint32_t)p->expected)
        words[n++] = (fw_futex_any){fw_ipc_share_half_(p->records.waits.at), (uint32_t)p->expected,
                                    FW_FUTEX_SHARED};
    deaths = n;
    if (q->is_late && !watch_life(words, &n, look->holder, agent))
        return 0;
    if (q->is_late)
        words[n++] = (fw_futex_any){&region_mapping->head->alarm, 0, FW_FUTEX_SHARED};
    answer = fw_sleep_any_(words, n, deadline != NULL ? deadline : &interval);
    if (answer == -ETIMEDOUT && deadline != NULL)
        return ETIMEDOUT;
    q->was_told = answer != -ETIMEDOUT;
    q->is_late = q->is_late || answer == -ETIMEDOUT;
    for (unsigned i = deaths; answer >= (int)deaths && i < n; i++)
        wake_all(words[i].word);
    return 0;
}

/* --- Reading -------------------------------------------------------------------------------- */

/* In the table: no task waits any more. */
static const uint32_t *end_waiting(struct process *p)
{
    bool is_for_nobody = ipc_rwlock_in_use()->task_withdraw(&p->records);

    p->waits = 0;
    return is_for_nobody && p->inside == 0 ? ipc_rwlock_in_use()->task_leave(l, &p->records) : NULL;
}

/* All that wait come in, and one that does not if it is new.  False: the lock is closed. */
static bool come_in(unsigned self, struct process *p, bool is_new, uint64_t *now)
{
    struct fw_waitqueue_ *table = enter_table();
    enum fw_rw_entry_ entry = ipc_rwlock_in_use()->task_enter(l, &p->records, now);
    bool is_in = entry == FW_RW_INSIDE_ || entry == FW_RW_ADMITTED_;

    if (entry == FW_RW_FULL_)
        model_thread_fail("answer", "thread %llu finds no record", self, 0);
    if (is_in) {
        p->inside += p->waits + is_new;
        ipc_rwlock_reads(process_of(self));
        end_waiting(p);
    }
    leave_table(table);
    return is_in;
}

static int announce(struct process *p, uint64_t now, struct look *look)
{
    struct fw_waitqueue_ *table = enter_table();
    int error = ipc_rwlock_in_use()->task_announce(l, &p->records, now, &look->expected);

    if (error == EBUSY)
        look->word = fw_ipc_share_half_(p->records.waits.at);
    p->expected = look->expected;
    look->holder = ipc_rw_holder(now);
    leave_table(table);
    return error;
}

/* 0: in; EBUSY: they wait; else none of them comes in. */
static int attempt_to_read(unsigned self, struct process *p, bool is_new, struct look *look)
{
    struct fw_ipc_me_ agent = ipc_rwlock_tasks_agent(self);
    struct fw_waitqueue_ *table;
    const uint32_t *sleeper;
    uint64_t now;
    int error = 0;

    while (error == 0) {
        if (come_in(self, p, is_new, &now))
            return 0;
        error = ipc_rwlock_in_use()->recover(l, &agent, NULL, now);
        if (error == EBUSY)
            error = announce(p, now, look);
    }
    if (error == EBUSY) {
        p->waits += is_new;
        return EBUSY;
    }
    report_remark(self, "is refused");
    if (error != EOWNERDEAD || *shadow(DIED_WRITING) == 0 || script.has_repair)
        model_thread_fail("answer", "a task of thread %llu is answered %llu", self,
                          (uint64_t)error);
    table = enter_table();
    sleeper = end_waiting(p);
    leave_table(table);
    wake_all(sleeper);
    return error;
}

/* n tasks leave. */
static void leave(unsigned self, struct process *p, uint64_t n)
{
    struct fw_waitqueue_ *table = enter_table();
    const uint32_t *sleeper = NULL;

    p->inside -= n;
    if (n != 0 && p->inside == 0) {
        *shadow(READERS) &= ~model_bit(process_of(self));
        sleeper = ipc_rwlock_in_use()->task_leave(l, &p->records);
    }
    leave_table(table);
    wake_all(sleeper);
}

void ipc_rwlock_tasks_leave(unsigned self)
{
    leave(self, mine(self), mine(self)->inside);
}

/* Those that have asked come in, and leave.  EBUSY: not yet. */
static int serve(unsigned self, struct process *p, struct look *look)
{
    uint64_t n = p->waits;
    int error = n != 0 ? attempt_to_read(self, p, false, look) : 0;

    if (error == 0 && n != 0) {
        pass();
        leave(self, p, n);
    }
    return error;
}

void ipc_rwlock_tasks_serve(unsigned self, const fw_deadline *deadline)
{
    struct process *p = mine(self);
    struct queue q = {.is_late = script.are_late};
    struct look look;

    while (serve(self, p, &look) == EBUSY)
        if (sleep_in(&q, p, &look, ipc_rwlock_tasks_agent(self).id, deadline) == ETIMEDOUT)
            return;
    pass_wake_on(&q);
}

void ipc_rwlock_tasks_ask(unsigned self)
{
    struct process *p = mine(self);
    uint64_t n = p->waits + 1;
    struct look look;

    if (attempt_to_read(self, p, true, &look) == 0) {
        pass();
        leave(self, p, n);
    }
}

void ipc_rwlock_tasks_hold(unsigned self)
{
    struct process *p = mine(self);
    struct queue q = {.is_late = script.are_late};
    bool is_new = true;
    struct look look;

    while (attempt_to_read(self, p, is_new, &look) == EBUSY) {
        is_new = false;
        sleep_in(&q, p, &look, ipc_rwlock_tasks_agent(self).id, NULL);
    }
    pass_wake_on(&q);
    pass();
}

void ipc_rwlock_tasks_drop(unsigned self)
{
    struct process *p = mine(self);
    struct fw_waitqueue_ *table = enter_table();
    const uint32_t *sleeper = p->waits != 0 ? end_waiting(p) : NULL;

    leave_table(table);
    wake_all(sleeper);
}

/* --- Writing -------------------------------------------------------------------------------- */

/* As close_it in region_rwlock.c. */
static int close_it(const struct fw_ipc_me_ *agent, const struct queue *q, bool *is_closing,
                    struct look *look)
{
    uint64_t phase = IPC_RW_DRAINING | (q->was_told ? FW_IPC_WAITERS : 0);
    uint64_t now;
    int error;

    do {
        now = fw_load64_relaxed(&l->word_);
        error = ipc_rwlock_in_use()->close(l, agent, NULL, phase, &now);
    } while (error == EBUSY && !ipc_rwlock_in_use()->task_announce_writer(l, &now));
    *look = (struct look){ipc_rw_half(l), (uint32_t)now, ipc_rw_holder(now)};
    *is_closing = error == 0 && (now & IPC_RW_DRAINING) != 0;
    return error;
}

/* As drain there. */
static int drain(const struct fw_ipc_me_ *agent, struct look *look)
{
    struct fw_ipc_rw_reader_ reader;
    int error = ipc_rwlock_in_use()->task_drain(l, agent, &reader);

    if (error == EBUSY)
        *look = (struct look){reader.word, reader.expected, reader.holder};
    else if (error == 0)
        ipc_rwlock_in_use()->begin(l, agent);
    return error;
}

int ipc_rwlock_tasks_write(unsigned self, const fw_deadline *deadline, bool now)
{
    const struct fw_ipc_me_ agent = ipc_rwlock_tasks_agent(self);
    struct queue q = {.is_late = script.are_late};
    struct process *p = mine(self);
    bool is_closing = false;
    struct look look;
    int error;

    do {
        error = 0;
        if (process_of(self) == self)
            serve(self, p, &look);
        if (!is_closing)
            error = close_it(&agent, &q, &is_closing, &look);
        if (is_closing)
            error = drain(&agent, &look);
        if (error != EBUSY) {
            pass_wake_on(&q);
            return error;
        }
    } while (!now && sleep_in(&q, p, &look, agent.id, deadline) != ETIMEDOUT);
    if (is_closing)
        ipc_rwlock_in_use()->task_give_up(l, &agent);
    pass_wake_on(&q);
    return ETIMEDOUT;
}
