/* SPDX-License-Identifier: MIT */
/* What an object in a region is like: by the words that its library reads (src/ipc/). */
#include <stdlib.h>
#include <time.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/journal.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>

#include "show.h"

#define CORRUPT "corrupt"

const char *const show_kinds[SHOW_KINDS] = {
    [FW_REGION_DATA] = "data",       [FW_REGION_MUTEX] = "mutex", [FW_REGION_RWLOCK] = "rwlock",
    [FW_REGION_COND] = "cond",       [FW_REGION_SEM] = "sem",     [FW_REGION_PERMITS] = "permits",
    [FW_REGION_BARRIER] = "barrier", [FW_REGION_ONCE] = "once",   [FW_REGION_JOURNAL] = "journal"};

bool show_is_full(const struct show_threads *list)
{
    return list->count == SHOW_LISTED;
}

void show_add(struct show_threads *list, struct show_thread t)
{
    struct show_thread *all;

    if (show_is_full(list)) {
        list->more++;
        return;
    }
    all = realloc(list->all, (list->count + 1) * sizeof *all);
    if (all == NULL)
        abort();
    all[list->count] = t;
    list->all = all;
    list->count++;
}

uint64_t show_age(uint64_t since)
{
    struct timespec now;
    uint64_t ns;

    clock_gettime(CLOCK_MONOTONIC, &now);
    ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return since < ns ? ns - since : 0;
}

static void number(struct show_object *o, const char *key, uint64_t value)
{
    o->numbers[o->number_count++] = (struct show_number){key, value};
}

/* Enters a thread; false where nobody can have that id, for which it is looked at if listed. */
static bool enter(struct show_object *o, const struct region *r, uint64_t holder, const char *as,
                  int64_t n)
{
    struct show_thread t = {.as = as, .number = n};

    if (show_is_full(&o->inside)) {
        o->inside.more++;
        return true;
    }
    t.who = region_thread(r, holder & FW_IPC_HOLDER);
    if (t.who.life == REGION_CORRUPT) {
        o->state = CORRUPT;
        return false;
    }
    show_add(&o->inside, t);
    return true;
}

static bool is_dead(const struct show_object *o)
{
    return o->inside.count != 0 && o->inside.all[0].who.life == REGION_DEAD;
}

/* The owner history of a mutex or read-write lock; `is_held`: also since when it is held. */
static void show_history(struct show_object *o, const fw_ipc_history *p, bool is_held,
                         uint32_t flags)
{
    uint64_t dead = fw_load64_relaxed(&p->dead_), since = fw_load64_relaxed(&p->since_);

    number(o, "generation", fw_load64_relaxed(&p->generation_));
    if (is_held && (flags & FW_REGION_STAMP) != 0 && since != 0 && o->inside.count != 0) {
        o->inside.all[0].has_ns = true;
        o->inside.all[0].ns = show_age(since);
    }
    if (dead != 0) {
        o->died = (struct show_thread){.as = "died", .number = -1};
        o->died.who =
            (struct region_thread){(uint32_t)(dead >> 32), (uint32_t)dead, REGION_DEAD, false};
        o->died_generation = fw_load64_relaxed(&p->dead_generation_);
    }
}

static void mutex(struct show_object *o, const struct region *r, const fw_ipc_mutex *m)
{
    uint64_t w = fw_load64_acquire(&m->word_);
    struct fw_ipc_word_ is = fw_ipc_mutex_word_(w);
    bool is_held = w != 0 && !is.is_unusable;

    o->state = w == 0 ? "free" : !is_held ? "abandoned" : "held";
    if (is_held && (!is.is_possible || !enter(o, r, w, "holds", -1)))
        o->state = CORRUPT;
    else if (is_held && is_dead(o))
        o->state = "left by a dead holder";
    else if (is.is_unrepaired)
        o->state = "held, to be repaired";
    show_history(o, &m->history_, is_held, r->plan.flags);
}

static const char *rw_role(uint64_t w)
{
    if ((w & IPC_RW_UPGRADABLE) != 0)
        return "reads, upgradable";
    if ((w & IPC_RW_DRAINING) != 0)
        return "waits for readers to leave";
    return (w & IPC_RW_RELEASING) != 0 ? "admits readers" : "writes";
}

static void readers(struct show_object *o, const struct region *r, const fw_ipc_rwlock *l)
{
    for (uint32_t slot = 0; slot < r->mapping.participant_count; slot++) {
        const struct fw_ipc_participant_ *m = &r->mapping.participants[slot];
        uint64_t tenant = region_tenant(r, slot);
        for (unsigned i = 0; tenant != 0 && i < FW_IPC_SHARES; i++) {
            uint64_t share = fw_load64_relaxed(&m->shares[i]);
            if (fw_ipc_share_state_(share) == FW_IPC_SHARE_HELD &&
                ((share ^ tenant) & FW_IPC_SLOT_GENERATION_) == 0 &&
                (uint32_t)(share & ~UINT64_C(3)) == fw_ipc_share_key_(&r->mapping, l) &&
                region_thread(r, tenant).life != REGION_DEAD)
                enter(o, r, tenant, "reads", -1);
        }
    }
}

static void rwlock(struct show_object *o, const struct region *r, const fw_ipc_rwlock *l)
{
    uint64_t w = fw_load64_acquire(&l->word_);
    struct fw_ipc_word_ is = fw_ipc_rwlock_word_(w);
    bool is_held = w != 0 && !is.is_unusable;

    if (is_held && (!is.is_possible || !enter(o, r, w, rw_role(w), -1))) {
        o->state = CORRUPT;
        show_history(o, &l->history_, false, r->plan.flags);
        return;
    }
    show_history(o, &l->history_, is_held && ipc_rw_is_written(w), r->plan.flags);
    o->state = !is_held           ? "abandoned"
               : is_dead(o)       ? "left by a dead holder"
               : is.is_unrepaired ? "held, to be repaired"
                                  : "held";
    readers(o, r, l);
    if (w == 0)
        o->state = o->inside.count != 0 ? "held" : "free";
}

static void sem(struct show_object *o, const fw_ipc_sem *s)
{
    uint32_t made = fw_load32_relaxed(&s->made_);
    uint64_t most = made != 0 ? made & FW_IPC_SEM_MAX : FW_IPC_SEM_MAX;
    uint64_t value = fw_load64_relaxed(&s->word_) & FW_IPC_SEM_MAX;

    o->state = value > most ? CORRUPT : value != 0 ? "has permits" : "empty";
    number(o, "value", value);
    number(o, "maximum", most);
}

static void permits(struct show_object *o, const struct region *r, const fw_ipc_permits *u)
{
    const uint64_t *unit = (const uint64_t *)(u + 1);
    uint64_t count = fw_load64_relaxed(&u->made_), free_ones = 0;

    if (count > (o->size - sizeof *u) / sizeof *unit) {
        o->state = CORRUPT;
        return;
    }
    o->state = count == 0 ? "not initialised" : "";
    for (uint64_t i = 0; i < count; i++) {
        uint64_t w = fw_load64_acquire(&unit[i]);
        if (w == 0)
            free_ones++;
        else
            enter(o, r, w, "has permit", (int64_t)i);
    }
    number(o, "permits", count);
    number(o, "free", free_ones);
}

static void barrier(struct show_object *o, const struct region *r, const fw_ipc_barrier *b)
{
    uint64_t made = fw_load64_relaxed(&b->made_), w = fw_load64_acquire(&b->round_);
    uint64_t parties = parties_of(made), vacant = 0;

    if (parties > (o->size - sizeof *b) / sizeof(uint64_t)) {
        o->state = CORRUPT;
        return;
    }
    o->state = made == 0 ? "not initialised" : has_failed(w) ? "failed" : "";
    for (uint64_t i = 0; i < parties; i++) {
        uint64_t slot = fw_load64_acquire(&barrier_slots(b)[i]);
        if (is_vacant(slot, w))
            vacant++;
        else if (!is_left(slot))
            enter(o, r, slot, has_arrived(slot, w) ? "has arrived, party" : "is awaited, party",
                  (int64_t)i);
    }
    number(o, "round", round_of(w));
    number(o, "parties", parties);
    number(o, "vacant", vacant);
    number(o, "goes_on", goes_on(made));
}

static void once(struct show_object *o, const struct region *r, const fw_ipc_once *f)
{
    uint64_t w = fw_load64_acquire(&f->word_);

    o->state = "not begun";
    if (w == FW_IPC_ONCE_DONE_)
        o->state = "done";
    else if ((w & FW_IPC_HOLDER) != 0 && enter(o, r, w, "initialises", -1))
        o->state = is_dead(o) ? "left by a dead initialiser" : "begun";
}

static void journal(struct show_object *o, const fw_ipc_journal *j)
{
    uint64_t used = fw_load64_relaxed(&j->used_), capacity = fw_load64_relaxed(&j->capacity_);

    o->state = used > capacity || capacity > o->size ? CORRUPT
               : used == 0                           ? "empty"
                                                     : "has records";
    number(o, "used", used);
    number(o, "capacity", capacity);
}

/* The least that an object of the kind takes. */
static size_t least(uint32_t kind)
{
    static const size_t sizes[SHOW_KINDS] = {
        [FW_REGION_MUTEX] = sizeof(fw_ipc_mutex),     [FW_REGION_RWLOCK] = sizeof(fw_ipc_rwlock),
        [FW_REGION_SEM] = sizeof(fw_ipc_sem),         [FW_REGION_PERMITS] = sizeof(fw_ipc_permits),
        [FW_REGION_BARRIER] = sizeof(fw_ipc_barrier), [FW_REGION_ONCE] = sizeof(fw_ipc_once),
        [FW_REGION_JOURNAL] = sizeof(fw_ipc_journal)};

    return sizes[kind];
}

void show_object(struct show_object *o, const struct region *r, uint32_t kind)
{
    const void *object = fw_ipc_address_(&r->mapping, o->at, o->size);

    o->kind = show_kinds[kind];
    o->state = "";
    if (object == NULL || o->at % sizeof(uint64_t) != 0 || o->size < least(kind)) {
        o->state = CORRUPT;
        return;
    }
    switch (kind) {
    case FW_REGION_MUTEX:
        mutex(o, r, object);
        break;
    case FW_REGION_RWLOCK:
        rwlock(o, r, object);
        break;
    case FW_REGION_SEM:
        sem(o, object);
        break;
    case FW_REGION_PERMITS:
        permits(o, r, object);
        break;
    case FW_REGION_BARRIER:
        barrier(o, r, object);
        break;
    case FW_REGION_ONCE:
        once(o, r, object);
        break;
    case FW_REGION_JOURNAL:
        journal(o, object);
        break;
    default: /* data, and what waits on a condition variable are the waiters */
        break;
    }
}
