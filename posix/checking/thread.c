/* SPDX-License-Identifier: MIT */
/*
 * What threads hold: their records, from a thread's first lock to its end, and across a fork.
 * Contract: check.h.
 *
 * is_used   meaning                       left by
 * --------  ----------------------------  -----------------------------------
 * 0         free                          a thread that has none: CAS to 1
 * 1         a thread's, until its end     that thread; a forked child, if it is not the child's: 0
 */
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "sys/clock.h"
#include "sys/environment.h"
#include "sys/fork.h"
#include "sys/thread.h"

enum { LOST = 256 };

__thread struct fw_check_thread_ *fw_check_me_;
uint32_t fw_check_epoch_ = 1;
uint64_t fw_check_hold_ns_;

static struct fw_check_thread_ threads[FW_CHECK_THREADS];
static uint32_t most_used; /* records beyond this one were never used */
static pthread_key_t key;
static uint32_t has_key;

/* Of a forked child: what threads of its parent held that are not here. */
static struct {
    const void *object, *site;
    uint32_t thread;
} lost[LOST];
static uint32_t lost_count;

static struct fw_check_thread_ *claim(void)
{
    for (uint32_t i = 0; i < FW_CHECK_THREADS; i++) {
        uint32_t is_used = 0;
        uint32_t most = fw_load32_relaxed(&most_used);

        if (fw_load32_relaxed(&threads[i].is_used) == 0 &&
            fw_cas32_acquire(&threads[i].is_used, &is_used, 1)) { /* free -> used */
            while (most <= i && !fw_cas32_relaxed(&most_used, &most, i + 1))
                ;
            return &threads[i];
        }
    }
    return NULL;
}

static void start(struct fw_check_thread_ *t)
{
    t->count = t->beyond = t->is_busy = t->ended = t->inherited = 0;
    t->hash = 0;
    t->epoch = 0; /* of none: nothing is in the cache */
    t->thread = (uint32_t)fw_id_number_(fw_self_());
    t->is_armed = 0;
}

/* To be told of the thread's end; by the C library, which may allocate, and may lock. */
static void arm(struct fw_check_thread_ *t)
{
    if (fw_load32_relaxed(&has_key) == 0)
        return;
    t->is_armed = 1;
    t->is_busy = 1;
    pthread_setspecific(key, t);
    t->is_busy = 0;
}

struct fw_check_thread_ *fw_check_thread_here_(void)
{
    struct fw_check_thread_ *t = fw_check_me_;
    struct fw_check_ *file;

    if (t == NULL) {
        t = claim();
        if (t == NULL) {
            file = fw_check_file_();
            if (file != NULL)
                fw_add64_release(&file->lost_threads, 1);
            return NULL;
        }
        start(t);
        fw_check_me_ = t;
    }
    if (t->is_busy)
        return NULL;
    if (!t->is_armed)
        arm(t);
    return t;
}

struct fw_check_held_ *fw_check_find_(struct fw_check_thread_ *t, const void *object)
{
    for (uint32_t i = t->count; i-- > 0;)
        if (t->held[i].object == object)
            return &t->held[i];
    return NULL;
}

/* The chain from entry `i` on has changed. */
static void hash_again(struct fw_check_thread_ *t, uint32_t i)
{
    if (i < t->count)
        t->hash = t->held[i].before;
    for (; i < t->count; i++) {
        t->held[i].before = t->hash;
        t->hash = fw_check_mix_(t->hash, t->held[i].mark);
    }
}

void fw_check_drop_(struct fw_check_thread_ *t, struct fw_check_held_ *h)
{
    uint32_t i = (uint32_t)(h - t->held);
    uint64_t before = h->before;

    t->inherited -= i < t->inherited;
    memmove(h, h + 1, (t->count - i - 1) * sizeof *h);
    t->count--;
    if (i < t->count)
        h->before = before;
    t->hash = before;
    hash_again(t, i);
}

void fw_check_mark_(struct fw_check_thread_ *t, struct fw_check_held_ *h, uint32_t mark)
{
    h->mark = mark;
    hash_again(t, (uint32_t)(h - t->held));
}

void fw_check_rename_(struct fw_check_thread_ *t)
{
    bool is_other = false;

    for (uint32_t i = 0; i < t->count; i++) {
        struct fw_check_held_ *h = &t->held[i];
        uint32_t node = h->mark >> 1;

        if (h->object == NULL || fw_check_nodes_[node].is_split == 0)
            continue;
        node = fw_check_node_(h->object, node, h->site, true);
        fw_store32_relaxed(fw_check_number_(h->object), node);
        h->mark = node << 1 | (h->mark & 1);
        is_other = true;
    }
    if (is_other)
        hash_again(t, 0);
}

const struct fw_check_held_ *fw_check_holder_(const void *object, uint32_t *thread)
{
    uint32_t most = fw_load32_relaxed(&most_used);

    for (uint32_t i = 0; i < most; i++) {
        struct fw_check_held_ *h = threads[i].is_used ? fw_check_find_(&threads[i], object) : NULL;

        if (h != NULL) {
            *thread = threads[i].thread;
            return h;
        }
    }
    return NULL;
}

void fw_check_take_from_(const void *object)
{
    uint32_t thread;
    struct fw_check_held_ *h =
        (struct fw_check_held_ *)(uintptr_t)fw_check_holder_(object, &thread);
    uint64_t expected = (uintptr_t)object;

    if (h != NULL) /* held -> unlocked by another (CK3) */
        fw_cas64_relaxed((fw_word_ *)&h->object, &expected, 0);
}

/* --- Ends ------------------------------------------------------------------------------------- */

/*
 * Other destructors of the thread's data may release what it holds: so this one is called again, as
 * often as the C library does that, and only the last time counts.
 */
static void end_thread(void *record)
{
    struct fw_check_thread_ *t = record;

    if (++t->ended < PTHREAD_DESTRUCTOR_ITERATIONS && t->count != 0) {
        pthread_setspecific(key, t);
        return;
    }
    for (uint32_t i = 0; i < t->count && !t->is_busy; i++)
        if (t->held[i].object != NULL)
            fw_check_report_one_(FW_CHECK_EXIT, t->held[i].object, NULL, 0, &t->held[i]);
    t->count = 0;
    fw_check_me_ = NULL;
    fw_store32_release(&t->is_used, 0);
}

static void lose(const struct fw_check_thread_ *t)
{
    uint32_t count = t->count < FW_CHECK_DEPTH ? t->count : FW_CHECK_DEPTH;

    for (uint32_t i = 0; i < count && lost_count < LOST; i++) {
        if (t->held[i].object == NULL)
            continue;
        lost[lost_count].object = t->held[i].object;
        lost[lost_count].site = t->held[i].site;
        lost[lost_count++].thread = t->thread;
    }
}

/* Those that a child of fork does not hold. */
static void leave(struct fw_check_thread_ *t)
{
    for (uint32_t i = t->count; i-- > 0;)
        if (fw_check_node_of_(t->held[i].mark)->is_left_by_fork)
            fw_check_drop_(t, &t->held[i]);
}

static void become_child(void)
{
    for (uint32_t i = 0; i < most_used; i++) {
        struct fw_check_thread_ *t = &threads[i];

        if (t == fw_check_me_) {
            leave(t);
            t->inherited = t->count;
        }
        if (t == fw_check_me_ || t->is_used == 0)
            continue;
        lose(t);
        t->count = 0;
        t->is_used = 0;
    }
}

bool fw_check_is_lost_(const void *object, uint32_t *thread, const void **site)
{
    for (uint32_t i = 0; i < lost_count; i++) {
        if (lost[i].object != object)
            continue;
        *thread = lost[i].thread;
        *site = lost[i].site;
        return true;
    }
    return false;
}

void fw_check_is_found_(const void *object)
{
    for (uint32_t i = 0; i < lost_count; i++)
        if (lost[i].object == object)
            lost[i].object = NULL;
}

static uint64_t milliseconds(const char *text)
{
    uint64_t ms = 0;

    for (; text != NULL && *text >= '0' && *text <= '9' && ms < 1000000000; text++)
        ms = ms * 10 + (uint64_t)(*text - '0');
    return ms * 1000000;
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    fw_check_hold_ns_ = milliseconds(fw_environment_(environment, "FURWOCK_CHECK_HOLD="));
    fw_at_fork_(become_child);
    if (pthread_key_create(&key, end_thread) == 0)
        fw_store32_release(&has_key, 1);
}
