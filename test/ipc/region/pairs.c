/* SPDX-License-Identifier: MIT */
/*
 * Two processes make the same region at the same moment, over and over, each with a size of its
 * own: one of them is told that it has made it, and both have one of one size.
 *
 *     pairs [--seconds N]
 *
 * In turn in a file that is not there, in one that is empty, and in a mapping.  (race.c has more
 * makers, and kills them; here the two meet more closely, some thousand times a second.)
 */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/region.h>

#include "processes.h"

enum { SIZE = FW_REGION_MIN_SIZE };
enum { BY_NAME, BY_DESCRIPTOR, BY_MAPPING, WAYS };

struct board {
    char name[64];
    uint64_t end_ns;
    uint64_t meetings; /* how often somebody has come to the meeting point */
    uint64_t rounds;
    uint32_t is_over;
    uint32_t has_made[2];
    uint64_t size[2];
};

static struct board *board;

static void *mapping;
static int file;

/* Not asleep, so that both go on in the same microsecond. */
static void meet(uint64_t *nth)
{
    fw_add64_acq_rel(&board->meetings, 1);
    *nth += 2;
    for (unsigned i = 1; fw_load64_acquire(&board->meetings) < *nth; i++)
        if (i % 4096 == 0)
            sched_yield();
}

static int open_one(unsigned way, size_t size, unsigned flags, fw_region **r)
{
    switch (way) {
    case BY_NAME:
        return fw_region_open(board->name, size, flags, r);
    case BY_DESCRIPTOR:
        return fw_region_open_fd(file, size, flags, r);
    default:
        return fw_region_adopt(mapping, 2 * SIZE, flags, r);
    }
}

static void check_round(unsigned way)
{
    fw_region *r;

    unsigned makers = board->has_made[0] + board->has_made[1];

    if (makers > 1 || (makers == 0 && board->rounds % 2 == 0))
        fail("%u makers of one region, way %u, round %llu", makers, way,
             (unsigned long long)board->rounds);
    CHECK(board->size[0] == board->size[1]);
    CHECK(open_one(way, 0, 0, &r) == 0);
    CHECK(fw_region_size(r) == board->size[0]);
    CHECK(fw_region_close(r) == 0);
    if (way == BY_NAME)
        CHECK(fw_region_remove(board->name) == 0);
    if (way == BY_DESCRIPTOR)
        CHECK(ftruncate(file, 0) == 0);
    if (way == BY_MAPPING)
        memset(mapping, 0, 2 * SIZE);
    board->rounds++;
    fw_store32_release(&board->is_over, now_ns() > board->end_ns);
}

static void one_of_two(void *arg)
{
    uintptr_t who = (uintptr_t)arg;
    uint64_t nth = 0;
    unsigned flags = FW_REGION_CREATE | FW_REGION_EXCLUSIVE;
    fw_region *r;

    for (unsigned way = 0; fw_load32_acquire(&board->is_over) == 0; way = (way + 1) % WAYS) {
        int error;
        meet(&nth);
        error = open_one(way, SIZE * (1 + who), flags, &r);
        board->has_made[who] = error == 0 && (flags & FW_REGION_EXCLUSIVE) != 0;
        if (error == EEXIST || error == EPROTO) /* or it is smaller */
            error = open_one(way, 0, 0, &r);
        if (error != 0)
            fail("maker %u, way %u: %s", (unsigned)who, way, strerror(error));
        board->size[who] = fw_region_size(r);
        CHECK(fw_region_close(r) == 0);
        meet(&nth);
        if (who == 0)
            check_round(way);
        meet(&nth);
        if (who == 1) /* in every second round it joins if it comes late */
            flags ^= FW_REGION_EXCLUSIVE;
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"seconds", required_argument, NULL, 's'}, {0}};
    uint64_t seconds = 1;
    pid_t both[2];
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (option == 's')
            seconds = strtoull(optarg, NULL, 10);
    limit((unsigned)seconds + 60, "a pair of makers");
    board = share(sizeof *board);
    mapping = share(2 * SIZE);
    file = memfd_create("pairs", MFD_CLOEXEC);
    snprintf(board->name, sizeof board->name, "/furwock-pairs-%d", (int)getpid());
    board->end_ns = now_ns() + seconds * UINT64_C(1000000000);
    for (uintptr_t i = 0; i < 2; i++)
        both[i] = start(one_of_two, (void *)i);
    for (unsigned i = 0; i < 2; i++)
        finish(both[i]);
    printf("%llu regions, one maker each\n", (unsigned long long)board->rounds);
    return EXIT_SUCCESS;
}
