/* SPDX-License-Identifier: MIT */
#include "stress/stress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/ipc/region.h>
#include <furwock/rwlock.h>

#include "forger.h"
#include "sys/running.h"

/*
 * Threads compete for locks while a liar writes the page that tells who runs: random words; that
 * everybody runs, or sleeps, forever; now this and now that, as often as it can; pages that are
 * none, are stopped, vanish and come back.  Locks exclude, nobody is stuck, and the counts are
 * right.  The argument says which lies; "all": each for a while.
 */
enum { N_LOCKS = 2, MOST_THREADS = 64, N_PAGES = 2, LIES_AT_A_TIME = 2000 };

struct shelf {
    fw_rwlock lock;
    uint64_t first, second;
};

struct drawer {
    fw_ipc_mutex *lock;
    uint64_t first, second;
};

static struct guarded locks[N_LOCKS];
static struct shelf shelf;
static struct drawer drawer;
static uint64_t entries;            /* into the shelf and the drawer */
static uint32_t tids[MOST_THREADS]; /* of those who are lied about */
static struct forged pages[N_PAGES];

static uint32_t tid_of(unsigned i)
{
    return __atomic_load_n(&tids[i % MOST_THREADS], __ATOMIC_RELAXED);
}

static void say_of_all(const struct forged *f, uint64_t state)
{
    for (unsigned i = 0; i < MOST_THREADS; i++)
        if (tid_of(i) != 0)
            forge_thread(f, tid_of(i), state, i);
}

static void lie_that_all_run(struct worker *me, const struct forged *f)
{
    (void)me;
    say_of_all(f, FW_ASSIST_RUNS);
    forge_runnable(f, 1);
}

static void lie_that_all_sleep(struct worker *me, const struct forged *f)
{
    (void)me;
    say_of_all(f, FW_ASSIST_SLEEPS);
    forge_runnable(f, 1000000);
}

/* Of each thread now this and now that, as fast as it can be written. */
static void lie_at_random(struct worker *me, const struct forged *f)
{
    for (int i = 0; i < LIES_AT_A_TIME; i++) {
        uint32_t tid = tid_of(draw(me, MOST_THREADS));

        if (tid != 0)
            forge_thread(f, tid, draw(me, 4), draw(me, 1 << 14));
        forge_runnable(f, draw(me, 3));
    }
}

/* Words without sense, in the whole page or in its first line. */
static void scribble(struct worker *me, const struct forged *f)
{
    uint64_t *words = (uint64_t *)f->page;
    uint32_t n = draw(me, 4) == 0 ? 8 : sizeof *f->page / sizeof *words;

    for (int i = 0; i < LIES_AT_A_TIME; i++) {
        uint64_t word = (uint64_t)draw(me, UINT32_MAX) << 32 | draw(me, UINT32_MAX);

        __atomic_store_n(&words[draw(me, n)], word, __ATOMIC_RELAXED);
    }
}

static void make_sound(const struct forged *f)
{
    __atomic_store_n(&f->page->magic, FW_ASSIST_MAGIC, __ATOMIC_RELAXED);
    __atomic_store_n(&f->page->version, FW_ASSIST_VERSION, __ATOMIC_RELAXED);
    __atomic_store_n(&f->page->stopped, 0, __ATOMIC_RELAXED);
}

/* It is stopped, is of another version, is no page, is gone, and is there again. */
static void come_and_go(struct worker *me, const struct forged *f)
{
    for (int i = 0; i < LIES_AT_A_TIME / 10; i++) {
        switch (draw(me, 5)) {
        case 0:
            __atomic_store_n(&f->page->stopped, 1, __ATOMIC_RELAXED);
            break;
        case 1:
            __atomic_store_n(&f->page->version, draw(me, 3), __ATOMIC_RELAXED);
            break;
        case 2:
            __atomic_store_n(&f->page->magic, draw(me, 3), __ATOMIC_RELAXED);
            break;
        case 3:
            forge_vanish();
            break;
        default:
            lie_that_all_run(me, f);
        }
        if (draw(me, 2))
            make_sound(f);
        forge_use(f);
    }
}

static const struct lie {
    const char *name;
    void (*tell)(struct worker *me, const struct forged *f);
} lies[] = {{"runs", lie_that_all_run},
            {"sleeps", lie_that_all_sleep},
            {"flaps", lie_at_random},
            {"scribbles", scribble},
            {"vanishes", come_and_go}};

enum { N_LIES = sizeof lies / sizeof *lies };

static const struct lie *lie_of(struct worker *me)
{
    for (unsigned i = 0; i < N_LIES; i++)
        if (strcmp(lies[i].name, stress.mode) == 0)
            return &lies[i];
    if (strcmp(stress.mode, "all") != 0)
        stress_fail("no such lies", NULL);
    return &lies[draw(me, N_LIES)];
}

static void liar(struct worker *me)
{
    do {
        const struct forged *f = &pages[draw(me, N_PAGES)];

        if (draw(me, 8) == 0) {
            make_sound(f);
            forge_use(f);
        }
        lie_of(me)->tell(me, f);
        if (draw(me, 4) == 0)
            sleep_us(draw(me, 2000));
        did_a_turn(me);
    } while (!stress_is_over());
}

/* Sometimes the holder does not run, whatever is said of it. */
static void hold(struct worker *me)
{
    switch (draw(me, 32)) {
    case 0:
        sleep_us(draw(me, 100));
        break;
    case 1:
        burn(draw(me, 30000));
        break;
    default:
        break;
    }
}

static void use_mutex(struct worker *me)
{
    struct guarded *g = &locks[draw(me, N_LOCKS)];
    fw_deadline soon = in_ns(draw(me, 50000));

    if (draw(me, 4) != 0)
        fw_mutex_lock(&g->lock);
    else if (fw_mutex_timedlock(&g->lock, &soon) != 0)
        return;
    use(g);
    hold(me);
    if (draw(me, 8) == 0)
        fw_mutex_unlock_fair(&g->lock);
    else
        fw_mutex_unlock(&g->lock);
}

static void use_rwlock(struct worker *me)
{
    if (draw(me, 2) == 0) {
        fw_rwlock_rdlock(&shelf.lock);
        if (shelf.first != shelf.second)
            stress_fail("a reader sees half of a change", NULL);
        hold(me);
        fw_rwlock_rdunlock(&shelf.lock);
        return;
    }
    fw_rwlock_wrlock(&shelf.lock);
    shelf.first++;
    hold(me);
    shelf.second++;
    fw_rwlock_wrunlock(&shelf.lock);
    __atomic_fetch_add(&entries, 1, __ATOMIC_RELAXED);
}

static void use_ipc_mutex(struct worker *me)
{
    int error = fw_ipc_mutex_lock(drawer.lock);

    if (error != 0)
        stress_fail(strerror(error), NULL);
    if (drawer.first++ != drawer.second)
        stress_fail("two at once under an ipc mutex", NULL);
    hold(me);
    drawer.second++;
    if ((error = fw_ipc_mutex_unlock(drawer.lock)) != 0)
        stress_fail(strerror(error), NULL);
    __atomic_fetch_add(&entries, 1, __ATOMIC_RELAXED);
}

static void honest(struct worker *me)
{
    static void (*const uses[])(struct worker *) = {use_mutex, use_mutex, use_rwlock,
                                                    use_ipc_mutex};

    __atomic_store_n(&tids[me->index % MOST_THREADS], (uint32_t)gettid(), __ATOMIC_RELAXED);
    do {
        uses[draw(me, sizeof uses / sizeof *uses)](me);
        did_a_turn(me);
    } while (!stress_is_over());
}

/* Whatever is answered, it may be asked at any time. */
static void asker(struct worker *me)
{
    do {
        for (unsigned i = 0; i < LIES_AT_A_TIME; i++) {
            fw_running_(tid_of(i));
            if (i % 16 == 0)
                fw_cpu_is_wanted_();
        }
        did_a_turn(me);
    } while (!stress_is_over());
}

static void body(struct worker *me)
{
    if (me->index == 0)
        liar(me);
    else if (me->index == 1)
        asker(me);
    else
        honest(me);
}

int main(int argc, char **argv)
{
    fw_region *region;
    int fd = memfd_create("lies", MFD_CLOEXEC);

    stress.about = "Locks under a page that lies";
    stress.threads = 7;
    stress.locks = locks;
    stress.n_locks = N_LOCKS;
    stress.turns = 100000;
    stress.mode = "all";
    stress_begin(argc, argv);
    if (fw_region_open_fd(fd, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_mutex(region, "drawer", FW_REGION_CREATE, &drawer.lock) != 0)
        stress_fail("no region", NULL);
    for (int i = 0; i < N_PAGES; i++)
        pages[i] = forge_page();
    if (!forge_use(&pages[0]))
        stress_fail("the page is not read", NULL);
    stress_run(stress.threads, body);
    if (drawer.first + shelf.first != entries || drawer.second + shelf.second != entries)
        stress_fail("the counts are wrong", NULL);
    return stress_end();
}
