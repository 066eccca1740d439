/* SPDX-License-Identifier: MIT */
/*
 * Tier B: how a group finds the scheduler, and how its tasks join it.
 *
 * A page is claimed by a task that writes its thread's id into it, which is left there until
 * somebody else can have it: the slot is free for the scheduler, and there is no such thread.
 */
#include "rt/scx/user.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/sleep.h"
#include "sys/clock.h"
#include "sys/origin.h"
#include "sys/pinned_map.h"

#define OPEN_TRIES 100        /* while the kernel is at what the slot's last task had asked for */
#define ANSWER_NS 2000000000u /* a scheduler that takes longer does not answer */

static size_t whole_pages(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (size + page - 1) / page * page;
}

/* --- The scheduler's memory ------------------------------------------------------------------- */

/* A BPF array by the name of its file; NULL: errno says why. */
static void *map_file(const char *path, size_t size, bool is_written)
{
    int fd = (int)fw_pinned_map_open_(path), error;
    void *memory;

    if (fd < 0) {
        errno = -fd;
        return NULL;
    }
    memory = mmap(NULL, whole_pages(size), is_written ? PROT_READ | PROT_WRITE : PROT_READ,
                  MAP_SHARED, fd, 0);
    error = errno;
    close(fd);
    errno = error;
    return memory != MAP_FAILED ? memory : NULL;
}

static void unmap(struct fw_rt_scx *scx)
{
    fw_rt_scx_unmap_permits_(scx);
    if (scx->pages != NULL)
        munmap(scx->pages, FW_RT_SCX_PAGES * sizeof *scx->pages);
    if (scx->state != NULL)
        munmap((void *)(uintptr_t)scx->state, whole_pages(sizeof *scx->state));
    free(scx);
}

static int map_state(struct fw_rt_scx *scx)
{
    scx->state = map_file(FW_RT_SCX_STATE, sizeof *scx->state, false);
    if (scx->state == NULL && errno == ENOENT)
        return fw_rt_fail_(ENOTSUP, "no scheduler for tier B runs here (furwock rt start)");
    if (scx->state == NULL)
        return fw_rt_fail_(errno == EACCES || errno == EPERM ? EPERM : ENOTSUP, "%s: %s",
                           FW_RT_SCX_STATE, strerror(errno));
    if (scx->state->version != FW_RT_SCX_VERSION)
        return fw_rt_fail_(EPROTO, "the scheduler that runs is of version %u, this library of %u",
                           scx->state->version, FW_RT_SCX_VERSION);
    if (!fw_rt_scx_is_alive_(scx))
        return fw_rt_fail_(ENOTSUP, "the scheduler for tier B has ended (%.*s)",
                           (int)sizeof scx->state->reason, scx->state->reason);
    return 0;
}

static int map_pages(struct fw_rt_scx *scx)
{
    char path[64];

    snprintf(path, sizeof path, FW_RT_SCX_PAGES_OF, (unsigned)scx->user);
    scx->pages = map_file(path, FW_RT_SCX_PAGES * sizeof *scx->pages, true);
    if (scx->pages == NULL)
        return fw_rt_fail_(EPERM, "user %u is granted no priorities (furwock rt start): %s",
                           (unsigned)scx->user, strerror(errno));
    scx->shared = (struct fw_rt_scx_shared *)(void *)&scx->pages[FW_RT_SCX_SHARED];
    return 0;
}

/* --- The group -------------------------------------------------------------------------------- */

static bool has_tasks(struct fw_rt_state *w)
{
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++)
        if (fw_load32_relaxed(&w->task[i].state) == FW_RT_LIVE && fw_rt_is_alive_(&w->task[i]))
            return true;
    return false;
}

/*
 * A group belongs to one user and one scheduler.  Tasks of a scheduler that was go on by
 * themselves, so those of a new one may come only when they are gone: under the state's lock, as
 * claims of records are.
 */
static int bind_group(struct fw_rt_group *group, struct fw_rt_scx *scx)
{
    struct fw_rt_state *w = group->state;
    uint32_t tid = fw_thread_id_();
    struct fw_robust_ r;
    int error = 0;

    fw_rt_state_lock_(w, tid, group->shared, &r);
    if (w->group == 0)
        w->group = ((fw_clock_ns_() ^ (uint64_t)tid << 24) | 1) << 32 | scx->user;
    if ((uint32_t)w->group != scx->user)
        error = fw_rt_fail_(EPERM, "the group belongs to user %u, and this is user %u",
                            (unsigned)w->group, (unsigned)scx->user);
    else if (w->generation != scx->state->generation && has_tasks(w))
        error = fw_rt_fail_(EPROTO, "the group has tasks that began under another scheduler");
    else
        w->generation = scx->state->generation;
    scx->group = w->group;
    fw_rt_state_unlock_(w, tid, group->shared, &r);
    return error;
}

int fw_rt_scx_group_(struct fw_rt_group *group)
{
    struct fw_rt_scx *scx = calloc(1, sizeof *scx);
    int error;

    if (scx == NULL)
        return fw_rt_fail_(ENOMEM, "no memory for a group");
    scx->user = (uint32_t)geteuid();
    error = map_state(scx);
    if (error == 0)
        error = map_pages(scx);
    if (error == 0)
        error = bind_group(group, scx);
    if (error != 0)
        unmap(scx);
    else
        group->scx = scx;
    return error;
}

void fw_rt_scx_ungroup_(struct fw_rt_group *group)
{
    if (group->scx != NULL)
        unmap(group->scx);
    group->scx = NULL;
}

/* --- Tasks ------------------------------------------------------------------------------------ */

/* A page that nobody has; its slot is free.  NULL: there is none. */
static struct fw_rt_scx_page *claim(const struct fw_rt_scx *scx, uint32_t tid)
{
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) {
        uint64_t *word = &scx->pages[i].spare[FW_RT_SCX_CLAIM], seen = fw_load64_relaxed(word);
        struct fw_rt_task_record former = {.tid = (uint32_t)seen};
        if (fw_load32_relaxed(&scx->state->state.task[i].state) != FW_RT_FREE ||
            (seen != 0 && !fw_rt_is_gone_(&former)))
            continue;
        if (!fw_cas64_acquire(word, &seen, tid)) /* 0, dead -> own */
            continue;
        fw_store32_relaxed(&scx->pages[i].op, FW_RT_SCX_NOTHING); /* the dead one may have asked */
        return &scx->pages[i];
    }
    return NULL;
}

static void fill_in(struct fw_rt_task *t)
{
    struct fw_rt_scx_page *page = t->page;
    const struct fw_rt_task_record *own = t->record;

    page->spare[FW_RT_SCX_STARTED] = own->started;
    page->tid = t->tid;
    page->cpu = own->cpu;
    page->base = own->base;
    page->group = t->group->scx->group;
    page->period = own->period;
    page->deadline = own->deadline;
    page->budget = own->budget;
    memcpy(page->name, own->name, sizeof page->name);
    page->jobs = page->misses = page->locked = page->marked = 0;
    page->unlocked = page->unlock_call = page->away = 0;
}

/* The scheduler may know nobody of that user, or see other ids than the thread: no answer. */
static int ask_to_join(struct fw_rt_task *t)
{
    struct fw_rt_scx_page *page = t->page;
    uint64_t until = fw_clock_ns_() + ANSWER_NS;
    uint32_t op = FW_RT_SCX_JOIN;

    fw_store32_release(&page->op, FW_RT_SCX_JOIN);
    while (fw_load32_acquire(&page->op) != FW_RT_SCX_NOTHING) {
        if (!fw_rt_scx_is_alive_(t->group->scx) || fw_clock_ns_() > until) {
            if (fw_cas32_acquire(&page->op, &op, FW_RT_SCX_NOTHING)) /* JOIN -> NOTHING */
                return FW_RT_SCX_ENDED;
            continue;
        }
        sched_yield();
    }
    return (int)fw_load32_relaxed(&page->result);
}

static int explain_join(const struct fw_rt_task *t, int error)
{
    const struct fw_rt_task_record *own = t->record;

    switch (error) {
    case 0:
        return 0;
    case EPERM:
        return fw_rt_fail_(EPERM, "user %u is not granted priority %u on CPU %u (furwock rt start)",
                           (unsigned)t->group->scx->user, own->base, own->cpu);
    case EAGAIN:
        return fw_rt_fail_(EAGAIN, "user %u has as many tasks as it is granted",
                           (unsigned)t->group->scx->user);
    case FW_RT_SCX_ENDED:
        return fw_rt_fail_(EPERM, "the scheduler for tier B %s",
                           fw_rt_scx_is_alive_(t->group->scx) ? "does not answer" : "has ended");
    default:
        return fw_rt_fail_(error == EBUSY ? EAGAIN : error, "the scheduler for tier B refuses: %s",
                           strerror(error));
    }
}

/*
 * The kernel lets timers of threads that are not real-time ones to it be late, by 50 us if nobody
 * says something else: so would be each release, and each end of a sleep.
 */
static void be_punctual(struct fw_rt_task *t)
{
    t->old_slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (t->old_slack > 0)
        prctl(PR_SET_TIMERSLACK, 1ul, 0, 0, 0);
}

static void give_up(struct fw_rt_task *t)
{
    if (t->old_slack > 0)
        prctl(PR_SET_TIMERSLACK, (unsigned long)t->old_slack, 0, 0, 0);
    fw_store64_release(&t->page->spare[FW_RT_SCX_CLAIM], 0);
    t->page = NULL;
}

int fw_rt_scx_join_(struct fw_rt_task *t)
{
    static const struct sched_param usual = {.sched_priority = 0};
    int error;

    /* After the claim of the record: see bind_group. */
    if (t->state->generation != t->group->scx->state->generation)
        return fw_rt_fail_(EPERM, "the group's scheduler has ended, and another one has its tasks");
    if (sched_setscheduler(0, SCHED_OTHER | (t->old_policy & SCHED_RESET_ON_FORK), &usual) != 0)
        return fw_rt_fail_(EPERM, "the thread may not leave its policy: %s", strerror(errno));
    t->page = claim(t->group->scx, t->tid);
    if (t->page == NULL)
        return fw_rt_fail_(EAGAIN, "the scheduler for tier B has %u tasks already", FW_RT_TASKS);
    fill_in(t);
    be_punctual(t);
    error = explain_join(t, ask_to_join(t));
    if (error != 0)
        give_up(t);
    return error;
}

void fw_rt_scx_leave_(struct fw_rt_task *t)
{
    fw_rt_scx_ask_(t, FW_RT_SCX_LEAVE);
    give_up(t);
}

int fw_rt_scx_opened_(struct fw_rt_task *t, uint32_t d)
{
    const struct fw_rt_lock_record *l = &t->state->lock[d];
    struct fw_rt_scx_page *page = t->page;
    int error = 0, tries;

    if (l->protocol == FW_RT_PCP_DU_PF)
        error = fw_rt_scx_need_permits_(t);
    if (error != 0)
        return error;
    if (l->kind == FW_RT_KIND_PIP)
        return fw_rt_fail_(ENOTSUP, "%s is not to be had in tier B",
                           fw_rt_protocol_name((fw_rt_protocol)l->protocol));
    memcpy(page->name, l->name, sizeof page->name);
    page->kind = l->kind;
    page->protocol = l->protocol;
    page->ceiling = l->asked;
    page->group = t->group->scx->group;
    error = fw_rt_scx_ask_(t, FW_RT_SCX_OPEN);
    for (tries = 0; error == EAGAIN && tries < OPEN_TRIES; tries++) { /* of permits only */
        fw_sleep_for_(FW_RECHECK_RT_OPEN_NS);
        error = fw_rt_scx_ask_(t, FW_RT_SCX_OPEN);
    }
    if (error == FW_RT_SCX_ENDED)
        return fw_rt_fail_(ENOTSUP, "the scheduler for tier B has ended");
    if (error == ENOSPC)
        return fw_rt_fail_(ENOSPC, "\"%s\": user %u has as many locks as it may (of %u for all)",
                           l->name, (unsigned)t->group->scx->user, FW_RT_LOCKS);
    if (error != 0)
        return fw_rt_fail_(error, "the scheduler for tier B refuses \"%s\": %s", l->name,
                           strerror(error));
    t->group->scx->desc[d] = (uint8_t)(fw_load32_relaxed(&page->desc) % FW_RT_LOCKS);
    return 0;
}
