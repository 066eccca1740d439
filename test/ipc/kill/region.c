/* SPDX-License-Identifier: MIT */
/*
 * One process, or two in a row, killed at every step of the library's: see kill_at_step.h.
 *
 *     PROGRAM OBJECT [CASE]
 *
 * The build names the objects, each with a table: KILL_OBJECTS, as OBJECT(mutex) OBJECT(sem).
 */
#include "region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "ipc/region/participant.h"

#define OBJECT(name) extern const struct kill_table name##_table;
KILL_OBJECTS
#undef OBJECT

static const struct kill_table *const tables[] = {
#define OBJECT(name) &name##_table,
    KILL_OBJECTS
#undef OBJECT
};

static fw_region *region;
static fw_ipc_mutex *entrance;

fw_region *region_of_all(void)
{
    return region;
}

void *object_new(size_t size)
{
    static unsigned n;
    char name[16];
    void *object;
    int error;

    snprintf(name, sizeof name, "%u", n++);
    error = fw_region_object(region, name, FW_REGION_DATA, size, FW_REGION_CREATE, &object);
    if (error != 0)
        fail("an object of %zu bytes: %s", size, strerror(error));
    return object;
}

void become_participant(void)
{
    CHECK(fw_ipc_mutex_lock(entrance) == 0 && fw_ipc_mutex_unlock(entrance) == 0);
}

void stay_until_victim_idle(void)
{
    peer_is_ready();
    await_victim_idle();
}

void stay_until_victim_done(void)
{
    peer_is_ready();
    await_victim_done();
}

/* All others are dead: no participant slot looks alive except this process's. */
static void expect_no_participants(void)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(fw_region_base(region));
    unsigned alive = 0;

    for (uint32_t i = 0; i < mapping->participant_count; i++)
        alive += ((uint32_t)mapping->participants[i].life & FW_ROBUST_OWNER) != 0;
    if (alive > 1)
        fail("%u participant slots of the dead look alive", alive - 1);
}

int main(int argc, char **argv)
{
    enum { SIZE = 1 << 20, OBJECTS = sizeof tables / sizeof *tables };
    struct kill_table t;
    unsigned i = 0;
    int error = fw_region_adopt(share(SIZE), SIZE, FW_REGION_CREATE, &region);

    if (error != 0)
        fail("no region: %s", strerror(error));
    while (i < OBJECTS && (argc < 2 || strcmp(argv[1], tables[i]->name) != 0))
        i++;
    if (i == OBJECTS)
        fail("usage: %s OBJECT [CASE]", argv[0]);
    entrance = object_new(sizeof *entrance);
    t = *tables[i];
    t.after = expect_no_participants;
    printf("%u processes killed\n", kill_at_each_step(&t, argc > 2 ? argv[2] : NULL));
    return EXIT_SUCCESS;
}
