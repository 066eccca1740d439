/* SPDX-License-Identifier: MIT */
/*
 * What is done about holders that died.  Contract: recover.h.
 *
 * Functions are registered per process, in a list: a registration is rare, and a look-up follows a
 * death.  A forked child inherits the registrations, as it inherits the region.
 */
#include "ipc/recover.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <furwock/mutex.h>

#include "ipc/region/journal.h"
#include "sys/thread.h"

struct repair {
    struct repair *next;
    const void *lock;
    int (*call)(void *, const fw_ipc_death *);
    void *arg;
};

static struct repair *repairs;
static fw_mutex repairs_lock = FW_MUTEX_INIT;

/* In a forked child nobody changes the list. */
static void after_fork(void)
{
    fw_mutex_init(&repairs_lock);
}

static struct repair **find(const void *lock)
{
    struct repair **at = &repairs;

    while (*at != NULL && (*at)->lock != lock)
        at = &(*at)->next;
    return at;
}

static void drop(struct repair **at)
{
    struct repair *old = *at;

    *at = old->next;
    free(old);
}

int fw_ipc_on_death_(const void *lock, int (*call)(void *, const fw_ipc_death *), void *arg)
{
    static bool is_watching;
    struct repair *made = call != NULL ? malloc(sizeof *made) : NULL;
    struct repair **at;

    if (call != NULL && made == NULL)
        return ENOMEM;
    fw_mutex_lock(&repairs_lock);
    if (!is_watching)
        fw_at_fork_(after_fork);
    is_watching = true;
    at = find(lock);
    if (*at != NULL)
        drop(at);
    if (made != NULL) {
        *made = (struct repair){repairs, lock, call, arg};
        repairs = made;
    }
    fw_mutex_unlock(&repairs_lock);
    return 0;
}

void fw_ipc_forget_repairs_(const struct fw_ipc_mapping_ *mapping)
{
    struct repair **at = &repairs;

    fw_mutex_lock(&repairs_lock);
    while (*at != NULL) {
        if ((uintptr_t)(*at)->lock - mapping->base < mapping->size)
            drop(at);
        else
            at = &(*at)->next;
    }
    fw_mutex_unlock(&repairs_lock);
}

int fw_ipc_death_of_(const fw_ipc_history *history, fw_ipc_death *death)
{
    uint64_t ids = fw_load64_relaxed(&history->dead_);

    *death = (fw_ipc_death){.process = (pid_t)(ids >> 32),
                            .thread = (pid_t)(uint32_t)ids,
                            .generation = fw_load64_relaxed(&history->dead_generation_)};
    return death->generation != 0 ? 0 : ENOENT;
}

bool fw_ipc_can_recover_(const void *lock, const fw_ipc_history *history)
{
    bool is_registered;

    if (fw_load64_relaxed(&history->journal_) != 0)
        return true;
    fw_mutex_lock(&repairs_lock);
    is_registered = *find(lock) != NULL;
    fw_mutex_unlock(&repairs_lock);
    return is_registered;
}

/*
 * If the dead holder did not get as far as raising the generation, it never returned from lock, and
 * nobody has seen its number: that of the holder before stands for it.
 */
static void note_death(const struct fw_ipc_me_ *me, fw_ipc_history *history, uint64_t dead)
{
    uint64_t generation = fw_load64_relaxed(&history->generation_);

    fw_store64_relaxed(&history->dead_, fw_ipc_ids_(me->mapping, dead));
    fw_store64_relaxed(&history->dead_generation_, generation != 0 ? generation : 1);
}

/* True: the data are sound. */
static bool undo_journal(const struct fw_ipc_me_ *me, const void *lock, fw_ipc_history *history)
{
    uint64_t journal = fw_load64_relaxed(&history->journal_);
    int error = fw_ipc_journal_undo_at_(me->mapping, journal, lock);

    if (error == ENOENT) /* the dead holder was about to attach or detach it */
        fw_store64_relaxed(&history->journal_, 0);
    return error == 0;
}

int fw_ipc_recover_(const struct fw_ipc_me_ *me, const void *lock, fw_ipc_history *history,
                    uint64_t dead)
{
    struct repair repair = {.call = NULL};
    struct repair *registered;
    bool is_sound = false;
    fw_ipc_death death;

    if (dead != 0)
        note_death(me, history, dead);  /* F:ipc-names-successor */
    fw_ipc_history_begin_(history, me); /* F:ipc-successor-same-generation */
    if (fw_load64_relaxed(&history->journal_) != 0)
        is_sound = undo_journal(me, lock, history); /* F:ipc-journal-sound-early */
    fw_mutex_lock(&repairs_lock);
    registered = *find(lock);
    if (registered != NULL)
        repair = *registered;
    fw_mutex_unlock(&repairs_lock);
    if (repair.call != NULL) {
        fw_ipc_death_of_(history, &death);
        is_sound = repair.call(repair.arg, &death) == 0; /* F:ipc-repairs-nothing */
    }
    return is_sound ? 0 : EOWNERDEAD;
}
