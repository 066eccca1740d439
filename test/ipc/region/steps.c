/* SPDX-License-Identifier: MIT */
/*
 * A process that makes a region is stopped after every instruction, and killed at every system
 * call.
 *
 * To be killed and to be stopped for good look the same to others, except for what the kernel does
 * at the death.  So one maker runs instruction by instruction, and whenever the file has changed,
 * others look at a copy of it as it is then: one makes a region of it (or completes it), and it
 * works.  And makers are killed at their first, second, third ... system call, until one completes;
 * or stopped there while somebody else makes the region before them, with another size.  The same
 * where a stale region is to be renewed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "kill_at_step.h"
#include "stale.h"

enum { SIZE = 2 * FW_REGION_MIN_SIZE, FIRST_STATES = 10 };

static char name[64];
static int file; /* that the maker which is stopped at each instruction makes a region of */
static int old;  /* the stale one */
static unsigned states;
static unsigned *locked; /* how many found the stale file locked */

static int use(fw_region *r)
{
    fw_ipc_mutex *m;
    int error = fw_region_mutex(r, "lock", FW_REGION_CREATE, &m);

    if (error == 0)
        error = fw_ipc_mutex_lock(m);
    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(m);
    return error == 0 ? fw_ipc_mutex_unlock(m) : error;
}

/* A smaller one, where somebody else was faster. */
static fw_region *make_or_find(size_t size)
{
    fw_region *r;
    int error = fw_region_open(name, size, FW_REGION_CREATE, &r);

    if (error == EPROTO) {
        CHECK(fw_region_open(name, 0, 0, &r) == 0);
        CHECK(fw_region_size(r) < size);
        return r;
    }
    CHECK(error == 0);
    return r;
}

/* --- Made by name ---------------------------------------------------------------------------- */

/* It ends its process, whose end is a step too. */
static void make(void)
{
    fw_region *r = make_or_find(SIZE);

    CHECK(use(r) == 0);
    CHECK(fw_region_close(r) == 0);
    _exit(EXIT_SUCCESS);
}

static void remove_it(void)
{
    if (shared->is_alone)
        CHECK(fw_region_remove(name) == 0);
}

static void make_after_maker(void)
{
    fw_region *r;

    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE, &r) == 0);
    CHECK(use(r) == 0);
    CHECK(fw_region_close(r) == 0);
    remove_it();
}

static void make_smaller(void)
{
    CHECK(use(make_or_find(SIZE / 2)) == 0);
}

static void make_larger(void)
{
    CHECK(use(make_or_find(SIZE * 2)) == 0);
}

/* --- A stale one renewed --------------------------------------------------------------------- */

/* How many have arrived, in the region that each found. */
static uint32_t *visits(fw_region *r)
{
    void *object;

    CHECK(fw_region_object(r, "visits", FW_REGION_DATA, 64, FW_REGION_CREATE, &object) == 0);
    return object;
}

static void renew(void)
{
    fw_region *r;

    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | FW_REGION_RENEW, &r) == 0);
    fw_add32_relaxed(visits(r), 1);
    CHECK(use(r) == 0);
    __atomic_fetch_add(&shared->words[0], 1, __ATOMIC_RELAXED);
}

static void renew_and_end(void)
{
    renew();
    _exit(EXIT_SUCCESS);
}

static void renew_too(void)
{
    if (flock(old, LOCK_EX | LOCK_NB) == 0)
        flock(old, LOCK_UN);
    else
        __atomic_fetch_add(locked, 1, __ATOMIC_RELAXED);
    renew();
}

static void reset_stale(void)
{
    make_stale(name, SIZE);
    old = shm_open(name, O_RDWR, 0);
}

/* All end in the same region; one that was killed may have arrived there. */
static void expect_one_region(void)
{
    struct kill_actor another;
    fw_region *r;

    if (shared->is_alone)
        return;
    kill_actor_start(&another, renew);
    kill_actor_finish(&another);
    CHECK(fw_region_open(name, SIZE, 0, &r) == 0);
    if (*visits(r) != shared->words[0] && *visits(r) != shared->words[0] + 1)
        fail("step %u: %u in a region, of %u", shared->at, *visits(r), (unsigned)shared->words[0]);
    CHECK(fw_region_close(r) == 0);
    CHECK(fw_region_remove(name) == 0);
    close(old);
}

/* --- In a file, looked at after each instruction --------------------------------------------- */

static void make_in_file(void)
{
    fw_region *r;

    CHECK(fw_region_open_fd(file, SIZE, FW_REGION_CREATE, &r) == 0);
    _exit(EXIT_SUCCESS);
}

static void make_after(void *fd)
{
    fw_region *r;

    CHECK(fw_region_open_fd((int)(intptr_t)fd, SIZE, FW_REGION_CREATE, &r) == 0);
    CHECK(fw_region_size(r) == SIZE);
    CHECK(use(r) == 0);
}

/* Who does not make regions is told that there is none, or finds it. */
static void only_join(void *fd)
{
    fw_region *r;
    int error = fw_region_open_fd((int)(intptr_t)fd, 0, 0, &r);

    CHECK(error == ENOENT || (error == 0 && use(r) == 0));
}

static void reset_file(void)
{
    file = memfd_create("steps", 0);
    CHECK(file >= 0);
}

/* What others would find if the maker were killed now. */
static void look_at_copies(void)
{
    static void (*const others[])(void *) = {make_after, only_join};
    static char before[SIZE], now[SIZE];
    static size_t size_before = 1;
    struct stat about;
    size_t size;

    CHECK(fstat(file, &about) == 0);
    size = (size_t)about.st_size;
    CHECK(size <= SIZE && pread(file, now, size, 0) == (ssize_t)size);
    if (size == size_before && memcmp(now, before, size) == 0)
        return;
    for (unsigned i = 0; i < 2; i++) {
        int copy = memfd_create("copy", 0);
        CHECK(copy >= 0 && write(copy, now, size) == (ssize_t)size);
        finish(start(others[i], (void *)(intptr_t)copy));
        close(copy);
    }
    memcpy(before, now, size);
    size_before = size;
    states++;
}

static void survive_in_file(void)
{
    finish(start(make_after, (void *)(intptr_t)file));
}

/* --- The tables ------------------------------------------------------------------------------ */

static const struct kill_case made[] = {
    {"made by name", NULL, NULL, NULL, make, NULL, make_after_maker, ANY_CHANGES}, {.name = NULL}};
static const struct kill_case overtaken[] = {
    {"made by name", NULL, NULL, NULL, make, NULL, remove_it, ANY_CHANGES}, {.name = NULL}};
static const struct kill_case renewed[] = {
    {"renewed", reset_stale, NULL, NULL, renew_and_end, NULL, expect_one_region, ANY_CHANGES},
    {.name = NULL}};
static const struct kill_case in_file[] = {
    {"in a file", reset_file, NULL, NULL, make_in_file, NULL, survive_in_file, ANY_CHANGES},
    {.name = NULL}};

static const struct kill_table tables[] = {
    {.name = "killed", .cases = made, .endings = KILL_ENDING(KILLED)},
    {.name = "a smaller one first",
     .cases = overtaken,
     .endings = KILL_ENDING(CONTINUED),
     .witness = make_smaller},
    {.name = "a larger one first",
     .cases = overtaken,
     .endings = KILL_ENDING(CONTINUED),
     .witness = make_larger},
    {.name = "killed, another renews", .cases = renewed, .endings = KILL_ENDING(KILLED)},
    {.name = "stopped, another renews",
     .cases = renewed,
     .endings = KILL_ENDING(CONTINUED),
     .witness = renew_too},
};
static const struct kill_table instructions = {.name = "watched",
                                               .cases = in_file,
                                               .unit = KILL_INSTRUCTIONS,
                                               .endings = KILL_ENDING(WATCHED),
                                               .watch = look_at_copies};

int main(void)
{
    unsigned kills = 0;
    bool are_some_stale = fw_boot_() != 0;

    if (is_constrained)
        skip("what a sanitizer does beside is too much to be traced");
    snprintf(name, sizeof name, "/furwock-steps-%d", (int)getpid());
    locked = share(sizeof *locked);
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct kill_table t = tables[i];
        t.unit = KILL_SYSTEM_CALLS;
        t.is_witness_first = true;
        if (t.cases != renewed || are_some_stale)
            kills += kill_at_each_step(&t, NULL);
    }
    CHECK(*locked != 0 || !are_some_stale);
    kill_at_each_step(&instructions, NULL);
    printf("%u makers killed; %u states of the file\n", kills, states);
    return states > FIRST_STATES ? EXIT_SUCCESS : EXIT_FAILURE;
}
