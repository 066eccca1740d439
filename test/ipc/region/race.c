/* SPDX-License-Identifier: MIT */
/*
 * Many processes make the same region at once, in a file or in a mapping of their own, or renew a
 * stale one, and some of them are killed over it, at any moment.
 *
 *     race [--seconds N] [--seed N]
 *
 * Then whoever has come through sees one region with one size, of which at most one of all was told
 * that it had made it; and its objects work.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "processes.h"
#include "stale.h"

enum { MAKERS = 8, SPACE = 2 * FW_REGION_MIN_SIZE };

struct maker {
    uint32_t is_done;
    uint32_t has_made; /* it was told so */
    uint64_t size, inode;
};

struct board {
    uint32_t go;
    uint32_t is_stale;    /* what is there in the beginning */
    uint32_t is_counting; /* a round in which they use it: with bounded waits, after a death */
    char name[64];
    struct maker makers[MAKERS];
};

static struct board *board;
static void *mapping; /* for rounds without a file; else NULL */

static int open_one(size_t size, unsigned flags, fw_region **r)
{
    if (mapping != NULL)
        return fw_region_adopt(mapping, SPACE, flags, r);
    if (board->is_stale && (flags & FW_REGION_CREATE) != 0)
        flags |= FW_REGION_RENEW;
    return fw_region_open(board->name, size, flags, r);
}

/* Of the file that is mapped there. */
static uint64_t inode_of(const void *base)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long begin, inode = 0;
    char line[512];

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%lx-%*x %*s %*x %*s %lu", &begin, &inode) == 2 &&
            begin == (uintptr_t)base)
            break;
    if (maps != NULL)
        fclose(maps);
    return inode;
}

struct counted {
    long count, again; /* equal, except after a death in between */
};

static int init_counted(void *object, void *arg)
{
    (void)arg;
    ((struct counted *)object)->count = ((struct counted *)object)->again = 1000;
    return 0;
}

static void count(fw_region *r)
{
    struct counted *c;
    fw_ipc_mutex *m;
    void *object;
    int error;

    CHECK(fw_region_mutex(r, "lock", FW_REGION_CREATE, &m) == 0);
    CHECK(fw_region_object_init(r, "counted", FW_REGION_DATA, sizeof *c, FW_REGION_CREATE,
                                init_counted, NULL, &object) == 0);
    c = object;
    error = fw_ipc_mutex_lock(m);
    if (error == EOWNERDEAD) {
        c->again = c->count;
        error = fw_ipc_mutex_consistent(m);
    }
    CHECK(error == 0);
    CHECK(c->count == c->again && c->count >= 1000);
    c->count++;
    c->again++;
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void make(void *arg)
{
    uintptr_t who = (uintptr_t)arg;
    struct maker *me = &board->makers[who];
    unsigned flags = FW_REGION_CREATE | (who % 2 ? FW_REGION_EXCLUSIVE : 0);
    fw_region *r;
    int error;

    while (fw_load32_acquire(&board->go) == 0)
        ;
    error = open_one(FW_REGION_MIN_SIZE + who * 4096, flags, &r);
    if ((error == EEXIST && who % 2) || error == EPROTO) /* or it is smaller */
        error = open_one(0, 0, &r);
    else if (error == 0 && who % 2)
        fw_store32_release(&me->has_made, 1);
    if (error != 0)
        fail("maker %u: %s", (unsigned)who, strerror(error));
    me->size = fw_region_size(r);
    me->inode = inode_of(fw_region_base(r));
    if (board->is_counting)
        count(r);
    CHECK(fw_region_close(r) == 0);
    fw_store32_release(&me->is_done, 1);
}

static uint64_t kill_at_random(pid_t makers[MAKERS], uint64_t *random)
{
    uint64_t killed = 0;

    for (unsigned n = (unsigned)(draw(random) >> 8) % MAKERS; n != 0; n--) {
        unsigned victim = (unsigned)(draw(random) >> 8) % MAKERS;
        for (uint64_t until = now_ns() + (draw(random) >> 8) % 200000; now_ns() < until;)
            ;
        kill(makers[victim], SIGKILL);
    }
    for (unsigned i = 0; i < MAKERS; i++) {
        int end = wait_for_child(makers[i]);

        CHECK(end == 0 || end == -SIGKILL);
        killed += end != 0;
    }
    return killed;
}

static void look_at_what_is_there(void)
{
    unsigned told = 0;
    uint64_t size, inode;
    fw_region *r;

    CHECK(open_one(FW_REGION_MIN_SIZE, FW_REGION_CREATE, &r) == 0);
    size = fw_region_size(r);
    inode = inode_of(fw_region_base(r));
    for (unsigned i = 0; i < MAKERS; i++) {
        const struct maker *m = &board->makers[i];
        told += m->has_made;
        if (m->is_done && m->size != size)
            fail("maker %u has seen a size of %llu, the next one %llu", i,
                 (unsigned long long)m->size, (unsigned long long)size);
        if (m->is_done && m->inode != inode)
            fail("maker %u has another file than the next one", i);
    }
    CHECK(told <= 1);
    count(r);
    CHECK(fw_region_close(r) == 0);
    if (mapping == NULL)
        CHECK(fw_region_remove(board->name) == 0);
}

static uint64_t round_of(uint64_t *random, bool is_adopted, bool is_stale)
{
    pid_t makers[MAKERS];
    uint64_t killed;

    board->is_counting = *random % 4 == 0;
    mapping = is_adopted ? share(SPACE) : NULL;
    memset(board->makers, 0, sizeof board->makers);
    board->is_stale = is_stale;
    if (is_stale)
        make_stale(board->name, FW_REGION_MIN_SIZE);
    fw_store32_release(&board->go, 0);
    for (uintptr_t i = 0; i < MAKERS; i++)
        makers[i] = start(make, (void *)i);
    usleep(500);
    fw_store32_release(&board->go, 1);
    killed = kill_at_random(makers, random);
    look_at_what_is_there();
    if (is_adopted)
        munmap(mapping, SPACE);
    return killed;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"seconds", required_argument, NULL, 's'}, {"seed", required_argument, NULL, 'r'}, {0}};
    uint64_t seconds = is_brief() ? 1 : 2, seed = 1, rounds = 0, killed = 0, end;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        *(option == 's' ? &seconds : &seed) = strtoull(optarg, NULL, 10);
    limit((unsigned)seconds + 60, "a race of makers");
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    board = share(sizeof *board);
    snprintf(board->name, sizeof board->name, "/furwock-race-%d", (int)getpid());
    end = now_ns() + seconds * UINT64_C(1000000000);
    seed = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (; now_ns() < end; rounds++)
        killed += round_of(&seed, rounds % 4 == 0, rounds % 4 > 1 && fw_boot_() != 0);
    printf("%llu rounds, %llu killed\n", (unsigned long long)rounds, (unsigned long long)killed);
    return EXIT_SUCCESS;
}
