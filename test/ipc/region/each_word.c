/* SPDX-License-Identifier: MIT */
/*
 * Each word of a region in turn is written over with several values; then somebody joins, or has
 * joined and holds what there is, and makes every call, with a deadline where there is one; or the
 * word is written to and fro all the while.  Each call comes back, with whatever answer, and nobody
 * crashes.  (While somebody waits: words.c.)
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc.h>

#include "ipc/region/head.h"
#include "processes.h"

enum { SIZE = FW_REGION_MIN_SIZE, UNITS = 2, PARTIES = 2, JOURNAL = 64, DATA = 64 };

/* A minute is for what hangs. */
enum { SOON_US = 500, HANGS_S = 60, AT_ONCE = 16, WORDS_MOST = 512 };

static struct fw_ipc_plan_ plan;
static char *image; /* what is written over, in a copy for each trial */
static uint32_t words[WORDS_MOST], word_count;

/* --- The region, and all that lies in it --- */

struct things {
    fw_region *region;
    fw_ipc_mutex *mutex;
    fw_ipc_rwlock *rwlock;
    fw_ipc_cond *cond;
    fw_ipc_sem *sem;
    fw_ipc_permits *units;
    fw_ipc_barrier *barrier;
    fw_ipc_once *once;
    fw_ipc_journal *journal, *own;
    char *data;
};

static int find(struct things *t, unsigned flags)
{
    fw_region *r = t->region;
    void *data;
    int error = fw_region_mutex_with_journal(r, "mutex", JOURNAL, flags, &t->mutex, &t->own);

    error |= fw_region_rwlock(r, "rwlock", flags, &t->rwlock);
    error |= fw_region_cond(r, "cond", flags, &t->cond);
    error |= fw_region_sem(r, "sem", 1, 3, flags, &t->sem);
    error |= fw_region_permits(r, "units", UNITS, flags, &t->units);
    error |= fw_region_barrier(r, "barrier", PARTIES, FW_IPC_BARRIER_FAIL, flags, &t->barrier);
    error |= fw_region_once(r, "once", flags, &t->once);
    error |= fw_region_journal(r, "journal", JOURNAL, flags, &t->journal);
    error |= fw_region_object(r, "data", FW_REGION_DATA, DATA, flags, &data);
    t->data = error == 0 ? data : NULL;
    return error;
}

static int end_within(void *is_to_end)
{
    return is_to_end != NULL ? raise(SIGKILL) : 0;
}

static void hold_all(struct things *t)
{
    fw_deadline d = in_us(SOON_US);

    (void)!fw_ipc_mutex_timedlock(t->mutex, &d);
    if (fw_ipc_journal_record(t->own, t->data, 16) == 0)
        t->data[0] ^= 1;
    if (fw_ipc_rwlock_timedwrlock(t->rwlock, &d) == 0)
        fw_ipc_rwlock_journal(t->rwlock, t->journal);
    if (fw_ipc_journal_record(t->journal, t->data + 32, 16) == 0)
        t->data[32] ^= 1;
    (void)!fw_ipc_permits_timedwait(t->units, &d);
    fw_ipc_barrier_join(t->barrier);
}

static void prepare(void *leaves_holder)
{
    struct things t;

    CHECK(fw_region_adopt(image, SIZE, FW_REGION_CREATE, &t.region) == 0);
    CHECK(find(&t, FW_REGION_CREATE) == 0);
    if (leaves_holder == NULL) {
        CHECK(fw_region_leave(t.region) == 0);
        return;
    }
    hold_all(&t);
    fw_ipc_once_call(t.once, end_within, leaves_holder);
}

/* --- Every call --- */

static void use_mutex(struct things *t, const fw_deadline *d)
{
    fw_ipc_death death;
    int error = fw_ipc_mutex_timedlock(t->mutex, d);

    (void)!fw_ipc_mutex_trylock(t->mutex);
    fw_ipc_mutex_death(t->mutex, &death);
    fw_ipc_mutex_generation(t->mutex);
    if (error == 0 || error == EOWNERDEAD || error == EDEADLK) {
        if (fw_ipc_journal_record(t->own, t->data, 8) == 0 && t->data != NULL)
            t->data[0] ^= 1;
        fw_ipc_journal_undo(t->own);
        if (fw_ipc_cond_timedwait(t->cond, t->mutex, d) != EPERM)
            fw_ipc_mutex_consistent(t->mutex);
        fw_ipc_mutex_journal(t->mutex, t->journal);
        fw_ipc_mutex_journal(t->mutex, t->own);
    }
    fw_ipc_cond_signal(t->cond);
    fw_ipc_cond_broadcast(t->cond);
    fw_ipc_mutex_unlock(t->mutex);
}

static void use_rwlock(struct things *t, const fw_deadline *d)
{
    fw_ipc_rwlock *l = t->rwlock;
    fw_ipc_death death;

    fw_ipc_rwlock_death(l, &death);
    fw_ipc_rwlock_held_by_me(l);
    fw_ipc_rwlock_unlock(l);
    if (fw_ipc_rwlock_timedrdlock(l, d) == 0)
        fw_ipc_rwlock_rdunlock(l);
    if (fw_ipc_rwlock_tryrdlock(l) == 0)
        fw_ipc_rwlock_unlock(l);
    if (fw_ipc_rwlock_trywrlock(l) == EOWNERDEAD)
        fw_ipc_rwlock_consistent(l);
    fw_ipc_rwlock_unlock(l);
    if (fw_ipc_rwlock_timedwrlock(l, d) == EOWNERDEAD)
        fw_ipc_rwlock_consistent(l);
    fw_ipc_rwlock_downgrade_upgradable(l);
    fw_ipc_rwlock_unlock(l);
    if (fw_ipc_rwlock_upgradable_timedlock(l, d) == 0 && fw_ipc_rwlock_timedupgrade(l, d) == 0)
        fw_ipc_rwlock_downgrade(l);
    fw_ipc_rwlock_unlock(l);
    fw_ipc_rwlock_unlock(l);
}

static void use_counts(struct things *t, const fw_deadline *d)
{
    uint32_t unit = 0;

    (void)!fw_ipc_sem_timedwait(t->sem, d);
    (void)!fw_ipc_sem_trywait(t->sem);
    fw_ipc_sem_post_n(t->sem, 2);
    fw_ipc_sem_value(t->sem);
    fw_ipc_permits_post(t->units);
    for (unsigned i = 0; i <= UNITS; i++)
        (void)!fw_ipc_permits_timedwait(t->units, d);
    fw_ipc_permits_value(t->units);
    fw_ipc_permits_held_by_me(t->units);
    fw_ipc_permits_give(t->units, unit);
    (void)!fw_ipc_permits_trywait(t->units);
    fw_ipc_permits_post(t->units);
}

static void use_barrier(struct things *t, const fw_deadline *d)
{
    fw_ipc_death death;

    for (unsigned i = 0; i < 2; i++) {
        fw_ipc_barrier_timedwait(t->barrier, d);
        fw_ipc_barrier_death(t->barrier, &death);
        fw_ipc_barrier_reset(t->barrier);
        fw_ipc_barrier_join(t->barrier);
        fw_ipc_barrier_leave(t->barrier);
    }
}

/* What was not found is not used. */
static void use_all(struct things *t)
{
    fw_deadline d = in_us(SOON_US);
    void *object;

    if (t->mutex != NULL && t->own != NULL && t->cond != NULL && t->journal != NULL)
        use_mutex(t, &d);
    if (t->rwlock != NULL)
        use_rwlock(t, &d);
    if (t->sem != NULL && t->units != NULL)
        use_counts(t, &d);
    if (t->barrier != NULL)
        use_barrier(t, &d);
    if (t->once != NULL)
        fw_ipc_once_call(t->once, end_within, NULL);
    if (t->journal != NULL) {
        fw_ipc_journal_undo(t->journal);
        fw_ipc_journal_commit(t->journal);
    }
    (void)!fw_region_object(t->region, "new", FW_REGION_DATA, 100, FW_REGION_CREATE, &object);
    (void)!fw_region_object(t->region, "none", FW_REGION_DATA, 100, 0, &object);
}

/* --- Trials --- */

/* When it is written over.  (TO_AND_FRO: by another thread, which sanitizers complain of.) */
enum mode { BEFORE, LATE, TO_AND_FRO, MODES };

static const char *const mode_names[MODES] = {"", ", with a holder", ", to and fro"};

struct trial {
    unsigned word, value; /* the first of IN_A_ROW; then: the one under way */
    enum mode mode;
};

enum { VALUES = 20, IN_A_ROW = 5, TURNS = 2 };

static uint64_t value_for(unsigned n, uint64_t before)
{
    const uint64_t values[VALUES] = {0,
                                     UINT64_MAX,
                                     before ^ 1,
                                     before ^ 2,
                                     before ^ 4,
                                     before ^ UINT64_C(1) << 16,
                                     before ^ UINT64_C(1) << 29,
                                     before ^ UINT64_C(1) << 30,
                                     before ^ UINT64_C(1) << 31,
                                     before ^ UINT64_C(1) << 62,
                                     before ^ UINT64_C(1) << 63,
                                     before + (UINT64_C(1) << 32),
                                     before - 1,
                                     UINT32_MAX,
                                     INT32_MAX,
                                     UINT64_MAX << 32,
                                     UINT64_C(1) << 32 | 2,
                                     UINT64_C(2) << 32 | 2,
                                     SIZE - 8,
                                     plan.objects_at};

    return values[n];
}

/* Somebody else, between any two looks of the calls: what was checked may be another then. */
struct writer {
    uint64_t *word, values[2];
    uint32_t is_over;
    pthread_t thread;
};

static void *write_to_and_fro(void *arg)
{
    struct writer *w = arg;

    for (unsigned i = 0; fw_load32_acquire(&w->is_over) == 0; i++)
        fw_store64_relaxed(w->word, w->values[i % 2]);
    fw_store64_relaxed(w->word, w->values[0]);
    return NULL;
}

static void use_while_written(struct things *things, uint64_t *word, unsigned value)
{
    struct writer w = {.word = word, .values = {*word, value_for(value, *word)}};

    CHECK(pthread_create(&w.thread, NULL, write_to_and_fro, &w) == 0);
    for (unsigned i = 0; i < TURNS; i++) {
        if (find(things, 0) == 0)
            hold_all(things);
        use_all(things);
    }
    fw_store32_release(&w.is_over, 1);
    CHECK(pthread_join(w.thread, NULL) == 0);
}

static void one(const struct trial *t)
{
    char what[120], *base = share(SIZE);
    struct things things = {0};
    uint64_t *word = (uint64_t *)(void *)(base + words[t->word]);
    int error;

    snprintf(what, sizeof what, "word at %u, value %u%s", words[t->word], t->value,
             mode_names[t->mode]);
    limit(HANGS_S, what);
    memcpy(base, image, SIZE);
    if (t->mode == BEFORE)
        fw_store64_release(word, value_for(t->value, *word));
    error = fw_region_adopt(base, SIZE, FW_REGION_CREATE, &things.region);
    CHECK(error != EMFILE && error != EBUSY);
    if (error != 0)
        return;
    find(&things, 0);
    if (t->mode == TO_AND_FRO)
        use_while_written(&things, word, t->value);
    if (t->mode == LATE) {
        hold_all(&things);
        fw_store64_release(word, value_for(t->value, *word));
    }
    use_all(&things);
    fw_region_leave(things.region);
    use_all(&things);
    fw_region_close(things.region);
}

/* Each value in a region of its own; a process for each would cost more than the trial. */
static void several(void *arg)
{
    struct trial *t = arg;

    for (unsigned end = t->value + IN_A_ROW; t->value != end; t->value++)
        one(t);
}

static bool next(struct trial *t)
{
    t->value += IN_A_ROW;
    if (!is_constrained && !is_brief() && t->mode != TO_AND_FRO && t->value < VALUES)
        return true;
    t->mode = (t->mode + 1) % (is_constrained ? TO_AND_FRO : MODES);
    t->word += t->mode == BEFORE;
    t->value = is_brief() && t->mode != TO_AND_FRO ? t->word * IN_A_ROW % VALUES : 0;
    return t->word != word_count;
}

static void await(pid_t child, const struct trial *t)
{
    int status;

    if (child == 0)
        return;
    CHECK(waitpid(child, &status, 0) == child);
    if (status != 0)
        fail("word at %u, value %u%s: status 0x%x", words[t->word], t->value, mode_names[t->mode],
             (unsigned)status);
}

static unsigned all_trials(void)
{
    struct trial *trials = share(AT_ONCE * sizeof *trials);
    pid_t children[AT_ONCE] = {0};
    struct trial t = {0};
    unsigned n = 0;

    do {
        unsigned i = n++ % AT_ONCE;
        await(children[i], &trials[i]);
        trials[i] = t;
        children[i] = start(several, &trials[i]);
    } while (next(&t));
    for (unsigned i = 0; i < AT_ONCE; i++)
        await(children[i], &trials[i]);
    munmap(trials, AT_ONCE * sizeof *trials);
    return n * IN_A_ROW;
}

/* --- Which words --- */

static void add_words(uint64_t at, uint64_t size)
{
    for (uint64_t i = 0; i < size / 8; i++) {
        CHECK(word_count < WORDS_MOST);
        words[word_count++] = (uint32_t)(at + 8 * i);
    }
}

/* All of the head, of two slots, and of the objects; of an entry, all but most of its name. */
static void choose_words(void)
{
    struct fw_ipc_entry_ e;

    word_count = 0;
    add_words(0, sizeof(struct fw_ipc_head_));
    add_words(plan.participants_at, 2 * FW_IPC_PARTICIPANT_SIZE);
    for (uint32_t i = 0; i < plan.entry_count; i++) {
        const struct fw_ipc_entry_ *there = (struct fw_ipc_entry_ *)(image + plan.entries_at) + i;
        if (there->state == 0)
            continue;
        e = *there;
        add_words(plan.entries_at + i * sizeof e, offsetof(struct fw_ipc_entry_, name) + 8);
        add_words(e.at, e.size < 256 ? e.size : 256);
    }
}

int main(void)
{
    unsigned n = 0;

    CHECK(fw_ipc_plan_(SIZE, 0, &plan) == 0);
    for (unsigned i = 0; i < 2; i++) { /* nobody holds anything; one that died holds all */
        pid_t maker;
        int status;
        image = share(SIZE);
        maker = start(prepare, i == 0 ? NULL : image);
        CHECK(waitpid(maker, &status, 0) == maker && status == (i == 0 ? 0 : SIGKILL));
        choose_words();
        n += all_trials();
    }
    printf("%u times a word written over: each call came back\n", n);
    return EXIT_SUCCESS;
}
