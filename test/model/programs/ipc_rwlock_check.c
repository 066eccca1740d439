/* SPDX-License-Identifier: MIT */
/* Contract: ipc_rwlock_check.h. */
#include "ipc_rwlock_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../memory.h"
#include "ipc/rwlock.h"
#include "ipc/share.h"
#include "ipc_calls.h"
#include "ipc_region.h"

static fw_ipc_rwlock *l;
static unsigned together; /* ipc_rwlock_one_process */

static void decode(uint64_t w, unsigned offset, unsigned size, char *text, size_t text_size)
{
    char holder[24];

    if (offset != 0) {
        snprintf(text, text_size, "%" PRIu64, w);
        return;
    }
    region_decode_holder(w, holder, sizeof holder);
    if (size == 4)
        snprintf(holder, sizeof holder, "%08" PRIx64, w);
    snprintf(text, text_size, "%s%s%s%s%s%s%s%s", holder, (w & FW_IPC_WAITERS) != 0 ? " W" : "",
             (w & FW_IPC_DIED) != 0 ? " DIED" : "", (w & IPC_RW_UPGRADABLE) != 0 ? " UP" : "",
             (w & IPC_RW_DRAINING) != 0 ? " DRAINING" : "",
             (w & IPC_RW_RELEASING) != 0 ? " RELEASING" : "",
             (w & IPC_RW_READERS) != 0 ? " READERS" : "",
             (w & IPC_RW_ASLEEP) != 0 ? " ASLEEP" : "");
}

static int repair(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    (void)death;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0); /* it may die, too */
    *shadow(SECOND) = *shadow(FIRST);
    *shadow(OWED) = 0;
    return 0;
}

fw_ipc_rwlock *ipc_rwlock_make(uint64_t generation, uint64_t hint, bool repairs)
{
    static const struct model_part parts[] = {
        {"word", 0, 8},
        {"word", 0, 4},
        {"generation", offsetof(fw_ipc_rwlock, history_.generation_), 8},
        {"hint", offsetof(fw_ipc_rwlock, hint_), 8},
        {NULL, 0, 0}};

    together = 1;
    region_make(model_thread_count, true);
    l = model_object("l", sizeof *l, parts, decode);
    l->history_.generation_ = *shadow(GENERATION) = generation;
    l->hint_ = hint;
    ipc_rwlock_in_use()->on_death(l, repairs ? repair : NULL, NULL);
    return l;
}

void ipc_rwlock_one_process(unsigned threads)
{
    together = threads;
}

/* Whose slot the thread's process has. */
static unsigned process_of(unsigned thread)
{
    return thread < together ? 0 : region_process_of(thread);
}

/* --- Entering --------------------------------------------------------------------------------- */

static void check_sound(unsigned self)
{
    if (*shadow(GIVEN_UP) == 2)
        model_thread_fail("answer", "thread %llu gets what was given up", self, 0);
    if (*shadow(OWED) != 0)
        model_thread_fail("forgotten", "a writer died, and thread %llu is not told", self, 0);
    if (*shadow(FIRST) != *shadow(SECOND))
        model_thread_fail("half changed", "thread %llu sees what a dead writer has left", self, 0);
}

void ipc_rwlock_reads(unsigned self)
{
    report_remark(self, "reads");
    if (*shadow(WRITER) != 0)
        model_thread_fail("exclusion", "thread %llu reads, and thread %llu writes", self,
                          *shadow(WRITER) - 1);
    check_sound(self);
    *shadow(READERS) |= model_bit(self);
}

void ipc_rwlock_reads_upgradable(unsigned self)
{
    report_remark(self, "reads, upgradable");
    if (*shadow(WRITER) != 0 || *shadow(UPPER) != 0)
        model_thread_fail("exclusion", "thread %llu may upgrade beside another", self, 0);
    check_sound(self);
    *shadow(UPPER) = self + 1;
}

void ipc_rwlock_writes(unsigned self, int error)
{
    uint64_t generation = memory_read(self, (uint64_t)(uintptr_t)&l->history_.generation_, 8);

    report_remark(self, error == 0 ? "writes" : "writes, after a death");
    if (*shadow(WRITER) != 0 || *shadow(READERS) != 0 || *shadow(UPPER) != 0)
        model_thread_fail("exclusion", "thread %llu writes, and others are inside: 0x%llx", self,
                          *shadow(READERS));
    *shadow(WRITER) = self + 1;
    if (error == 0)
        check_sound(self);
    if (*shadow(GIVEN_UP) == 2)
        model_thread_fail("answer", "thread %llu gets what was given up", self, 0);
    if (error == EOWNERDEAD && *shadow(DIED_WRITING) == 0)
        model_thread_fail("answer", "thread %llu hears of a death, and no writer died", self, 0);
    if (generation <= *shadow(GENERATION))
        model_thread_fail("generation", "%llu comes after %llu", generation, *shadow(GENERATION));
    *shadow(GENERATION) = generation;
}

void ipc_rwlock_count(void)
{
    ++*shadow(FIRST);
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    ++*shadow(SECOND);
    ++*shadow(SECTIONS);
}

/* --- Hooks ------------------------------------------------------------------------------------ */

enum model_access ipc_rwlock_access(const void *p)
{
    return p == (const void *)&l->history_.journal_ ? ACCESS_DIRECT : region_access(p);
}

void ipc_rwlock_killed(unsigned thread)
{
    *shadow(READERS) &= ~model_bit(thread);
    if (region_tenant_of(l->word_) == thread && ipc_rw_is_written(l->word_))
        *shadow(DIED_WRITING) = 1;
    if (*shadow(UPPER) == thread + 1)
        *shadow(UPPER) = 0;
    if (*shadow(WRITER) != thread + 1)
        return;
    *shadow(WRITER) = 0;
    *shadow(OWED) = 1;
}

/* Others may admit one that lives, and that waits, or say that it does not sleep; no more. */
static void check_record(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)region_slots;
    uint64_t slot = at / FW_IPC_PARTICIPANT_SIZE;
    uint64_t now;

    at %= FW_IPC_PARTICIPANT_SIZE;
    if (slot >= model_thread_count || slot == process_of(thread) ||
        model_is_killed((unsigned)slot) || at < offsetof(struct fw_ipc_participant_, shares) ||
        at >= offsetof(struct fw_ipc_participant_, shares) + sizeof region_slots->shares)
        return;
    now = *(const uint64_t *)(uintptr_t)addr;
    if (fw_ipc_share_state_(now) == FW_IPC_SHARE_NONE || (now ^ before) >> 2 != 0 ||
        fw_ipc_share_state_(now) >= fw_ipc_share_state_(before))
        model_fail("record", "thread %llu changes a record of thread %llu", thread, slot);
}

/* Nobody alive says that it reads or waits. */
static void check_no_records(void)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        for (unsigned r = 0; !model_is_killed(i) && r < FW_IPC_SHARES; r++)
            if (region_slots[i].shares[r] != FW_IPC_SHARE_NONE)
                model_fail("record", "all are done, and thread %llu has left a record: 0x%llx", i,
                           region_slots[i].shares[r]);
}

void ipc_rwlock_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t now = l->word_;
    unsigned owner = region_thread_of(before);

    region_changed(thread, addr, before);
    if (addr != (uint64_t)(uintptr_t)&l->word_) {
        check_record(thread, addr, before);
        return;
    }
    if (owner < MODEL_MAX_THREADS && owner != process_of(thread) &&
        ((now ^ before) & ~(IPC_RW_READERS | FW_IPC_WAITERS)) != 0)
        model_fail("word", "thread %llu changes what thread %llu has", thread, owner);
    else if (before == FW_IPC_ABANDONED)
        model_fail("word", "thread %llu changes what was given up", thread, 0);
    else if (owner >= MODEL_MAX_THREADS && (now & FW_IPC_HOLDER) != (before & FW_IPC_HOLDER) &&
             (now & FW_IPC_HOLDER) != region_id_of(process_of(thread)))
        model_fail("word", "thread %llu takes it, and leaves 0x%llx", thread, now);
}

void ipc_rwlock_finished(void)
{
    check_no_records();
    if (region_thread_of(l->word_) < MODEL_MAX_THREADS || (!region_has_deaths() && l->word_ != 0))
        model_fail("word", "all are done, and the word is 0x%llx", l->word_, 0);
    if (!region_has_deaths() && *shadow(SECOND) != *shadow(SECTIONS))
        model_fail("lost update", "%llu of %llu sections have counted", *shadow(SECOND),
                   *shadow(SECTIONS));
}
