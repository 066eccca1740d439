/* SPDX-License-Identifier: MIT */
/* How often the system is asked whether a thread is still there.  Contract: participant.h. */
#include "ipc/region/participant.h"

#include "sys/clock.h"

/*
 * To ask the system about a thread takes ten system calls, so a call asks about some slots, and the
 * next call, of any thread, goes on where it stopped.  (Two calls at once may ask about the same.)
 * How many: FW_IPC_ASKED_AT_ONCE, and beyond them one for each QUESTION_NS that has gone by since
 * the last such question, up to all.  So a region in which threads have died can be used, however
 * late, and one that is rightly full costs at most a hundredth of a CPU, however often threads try.
 */
#define QUESTION_NS UINT64_C(10000000)

/* On a clock that all time namespaces share; if it is set, all questions are free. */
static uint64_t time_now(void)
{
    struct timespec now;

    fw_clock_get_(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

bool fw_ipc_may_ask_another_(const struct fw_ipc_mapping_ *mapping)
{
    uint64_t now = time_now(), most = mapping->participant_count * QUESTION_NS;
    uint64_t until = fw_load64_relaxed(&mapping->head->asked_until), from;

    do {
        from = until > now || now - until > most ? now - most : until;
        if (now - from < QUESTION_NS)
            return false;
    } while (!fw_cas64_relaxed(&mapping->head->asked_until, &until, from + QUESTION_NS));
    return true;
}

/* The clock that is kept in a slot: 2^20 ns, which is about a millisecond, modulo 2^32. */
enum { ASKED_SHIFT = 20 };

bool fw_ipc_was_asked_about_(const struct fw_ipc_mapping_ *mapping, uint64_t holder, uint64_t ns)
{
    struct fw_ipc_participant_ *m = fw_ipc_participant_of_(mapping, holder);
    uint32_t now, before;

    if (ns >> ASKED_SHIFT == 0)
        return false;
    now = (uint32_t)(fw_clock_ns_() >> ASKED_SHIFT);
    before = fw_load32_relaxed(&m->asked_at);
    if (now - before < ns >> ASKED_SHIFT)
        return true;
    return !fw_cas32_relaxed(&m->asked_at, &before, now); /* earlier -> now */
}
