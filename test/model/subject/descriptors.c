/* SPDX-License-Identifier: MIT */
/* src/sys/descriptors.h, except for sleeping on them: process.h. */
#include "sys/descriptors.h"

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "../engine/model.h"
#include "process.h"

/* Two events for each process: its inbox's, and its engine's.  NULL: no program with loops. */
static uint32_t *events;

static __thread int made;

struct fw_ipc_me_ (*process_agent_of)(unsigned thread);

void process_make(void)
{
    static const struct model_part parts[] = {
        {"inbox A", 0, 4},  {"engine A", 4, 4},  {"inbox B", 8, 4}, {"engine B", 12, 4},
        {"inbox C", 16, 4}, {"engine C", 20, 4}, {NULL, 0, 0}};

    events = model_object("event", 8 * model_thread_count, parts, NULL);
    posted_use(model_object("posted", MODEL_MAX_POSTED * sizeof(struct posted_wait), NULL, NULL));
}

void process_forget(void)
{
    process_agent_of = NULL;
    events = NULL;
    posted_use(NULL);
}

bool process_is_shared(const void *p)
{
    return (const uint32_t *)p >= events && (const uint32_t *)p < events + 2 * model_thread_count;
}

uint64_t process_event(int event)
{
    return (uint64_t)(uintptr_t)&events[event];
}

/* Which event; a process's first one is its inbox's, and 2 * thread is its poll as well. */
int fw_event_make_(void)
{
    return (int)(2 * model_current) + made++ % 2;
}

int fw_poll_make_(void)
{
    return (int)(2 * model_current);
}

int fw_timer_make_(clockid_t clock)
{
    (void)clock;
    return 0; /* of no use: nobody asks for the loop's descriptor */
}

void fw_timer_set_(int timer, const struct timespec *at)
{
    (void)timer, (void)at;
}

void fw_descriptor_close_(int fd)
{
    (void)fd;
}

int fw_poll_add_(int poll, int fd)
{
    (void)poll, (void)fd;
    return 0;
}

void fw_poll_remove_(int poll, int fd)
{
    (void)poll, (void)fd;
}

void fw_event_write_(int event)
{
    if (events == NULL) /* no program of that kind */
        return;
    fw_store32_release(&events[event], 1);
    fw_futex_wake(&events[event], FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
}

bool fw_event_read_(int event)
{
    return fw_load32_acquire(&events[event]) != 0 && fw_xchg32_seq_cst(&events[event], 0) != 0;
}
