/* SPDX-License-Identifier: MIT */
/*
 * Groups: the memory that tasks share.
 */
#include "rt/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/futex.h>
#include <furwock/ipc/region.h>
#include <furwock/version.h>

#include "sys/origin.h"

_Static_assert((int)FW_RT_TASKS == (int)FW_RT_TASKS_MAX, "the header's number");
_Static_assert((int)FW_RT_LOCKS == (int)FW_RT_LOCKS_MAX, "the header's number");
_Static_assert(FW_RT_FORMAT == FW_RT_GROUP_FORMAT, "the header's number");
_Static_assert(offsetof(struct fw_rt_state, magic) == 0 &&
                   offsetof(struct fw_rt_state, format) == 8,
               "in every format there");
_Static_assert((int)FW_RT_NAME == (int)FW_RT_NAME_MAX + 1, "the header's number, and a 0");

/* The object in a group's region. */
#define OBJECT "furwock-rt"

/* The region's own head, directory and lines. */
#define REGION_SIZE (sizeof(struct fw_rt_state) + (size_t)FW_REGION_MIN_SIZE)

static int write_head(void *object, void *unused)
{
    struct fw_rt_state *w = object;

    (void)unused;
    w->magic = FW_RT_MAGIC;
    w->format = FW_RT_FORMAT;
    return 0;
}

/* Storage and mappings now, and not at some task's first access. */
static void touch(struct fw_rt_state *w)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), at;

    for (at = 0; at < sizeof *w; at += page)
        fw_or32_relaxed((uint32_t *)((char *)w + at), 0);
}

/* Of the head, which is in every format: 0, EPROTO, EUCLEAN. */
static int check_format(const struct fw_rt_state *w, const char *name)
{
    if (w->magic != FW_RT_MAGIC)
        return fw_rt_fail_(EUCLEAN, "the group \"%s\" was written over", name);
    if (w->format != FW_RT_FORMAT)
        return fw_rt_fail_(EPROTO, "the group \"%s\" is of format %u: furwock %s has format %u",
                           name, w->format, FURWOCK_VERSION_STRING, FW_RT_FORMAT);
    return 0;
}

static int check_numbers(const struct fw_rt_state *w, const char *name)
{
    if (w->tasks > FW_RT_TASKS || w->locks > FW_RT_LOCKS || w->tier > FW_RT_TIER_B)
        return fw_rt_fail_(EUCLEAN, "the group \"%s\" was written over", name);
    return 0;
}

/* Thread ids mean nothing in another pid namespace.  A task that comes first decides. */
static int agree_on_namespace(struct fw_rt_state *w, const char *name)
{
    uint64_t own = fw_pid_namespace_(), there = 0;

    if (own == 0 || fw_cas64_relaxed(&w->pid_namespace, &there, own) || there == own)
        return 0; /* not known -> own */
    return fw_rt_fail_(ENOTSUP, "the group \"%s\" belongs to another pid namespace", name);
}

/* Its format is looked at first: one of another format may have another size. */
static int open_object(fw_region *region, const char *name, void **object)
{
    int error = fw_region_object(region, OBJECT, FW_REGION_DATA, FW_RT_HEAD_SIZE, 0, object);

    if (error == 0) {
        error = check_format(*object, name);
        if (error != 0)
            return error;
    }
    error = fw_region_object_init(region, OBJECT, FW_REGION_DATA, sizeof(struct fw_rt_state),
                                  FW_REGION_CREATE, write_head, NULL, object);
    if (error != 0)
        return fw_rt_fail_(error, "no group in the region \"%s\": %s", name, fw_region_strerror());
    error = check_format(*object, name);
    return error == 0 ? check_numbers(*object, name) : error;
}

/* Is it too small because it was made for a group of another format?  The error is known. */
static void look_at_format(const char *name, unsigned flags)
{
    fw_region *region;
    void *object;

    if (fw_region_open(name, 0, flags, &region) != 0)
        return;
    if (fw_region_object(region, OBJECT, FW_REGION_DATA, FW_RT_HEAD_SIZE, 0, &object) == 0)
        check_format(object, name);
    fw_region_close(region);
}

static int open_region(struct fw_rt_group *group, const char *name, unsigned flags)
{
    fw_region *region;
    void *object;
    int error = fw_region_open(name, REGION_SIZE, FW_REGION_CREATE | flags, &region);

    if (error == EPERM && (flags & FW_REGION_SHARED) == 0)
        return fw_rt_fail_(error,
                           "the group \"%s\" is another user's, or lets others in: it takes"
                           " fw_rt_group_open_shared",
                           name);
    if (error != 0) {
        fw_rt_fail_(error, "the region \"%s\" of the group: %s", name, fw_region_strerror());
        if (error == EPROTO)
            look_at_format(name, flags);
        return error;
    }
    error = open_object(region, name, &object);
    if (error == 0)
        error = agree_on_namespace(object, name);
    if (error != 0) {
        fw_region_close(region);
        return error;
    }
    group->region = region;
    group->state = object;
    group->shared = FW_FUTEX_SHARED;
    return 0;
}

static int make_private(struct fw_rt_group *group)
{
    void *memory = mmap(NULL, sizeof(struct fw_rt_state), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return fw_rt_fail_(ENOMEM, "no memory for a group");
    group->state = memory;
    group->shared = FW_FUTEX_PRIVATE;
    return write_head(memory, NULL);
}

/* A task that comes first decides: the tier is 0 until then. */
static int agree_on_tier(struct fw_rt_group *group, fw_rt_tier tier)
{
    uint32_t *agreed = &group->state->tier, there = fw_load32_acquire(agreed);
    int error = 0;

    if (there == FW_RT_TIER_ANY && tier != FW_RT_TIER_A)
        error = fw_rt_scx_group_(group);
    if (there == FW_RT_TIER_ANY && error != 0 && tier == FW_RT_TIER_ANY)
        tier = FW_RT_TIER_A;
    else if (there == FW_RT_TIER_ANY && error != 0)
        return error;
    else if (there == FW_RT_TIER_ANY && tier == FW_RT_TIER_ANY)
        tier = FW_RT_TIER_B;
    if (there == FW_RT_TIER_ANY && fw_cas32_relaxed(agreed, &there, tier)) /* ANY -> tier */
        return 0;
    if (tier != FW_RT_TIER_ANY && tier != (fw_rt_tier)there)
        return fw_rt_fail_(EPROTO, "the group is of tier %s", there == FW_RT_TIER_A ? "A" : "B");
    return there == FW_RT_TIER_B && group->scx == NULL ? fw_rt_scx_group_(group) : 0;
}

static void release(struct fw_rt_group *group)
{
    fw_rt_scx_ungroup_(group);
    if (group->region != NULL)
        fw_region_close(group->region);
    else if (group->state != NULL)
        munmap(group->state, sizeof *group->state);
    free(group);
}

/* `flags`: the region's. */
static int open_group(fw_rt_group **group, const char *name, fw_rt_tier tier, unsigned flags)
{
    struct fw_rt_group *g;
    int error;

    if (tier > FW_RT_TIER_B)
        return fw_rt_fail_(EINVAL, "there is no tier %d", (int)tier);
    g = calloc(1, sizeof *g);
    if (g == NULL)
        return fw_rt_fail_(ENOMEM, "no memory for a group");
    g->process = getpid();
    error = name != NULL ? open_region(g, name, flags) : make_private(g);
    if (error == 0)
        error = agree_on_tier(g, tier);
    if (error != 0) {
        release(g);
        return error;
    }
    touch(g->state);
    *group = g;
    fw_rt_good_();
    return 0;
}

int fw_rt_group_open(fw_rt_group **group, const char *name, fw_rt_tier tier)
{
    return open_group(group, name, tier, 0);
}

int fw_rt_group_open_shared(fw_rt_group **group, const char *name, fw_rt_tier tier,
                            unsigned permissions)
{
    if (name == NULL)
        return fw_rt_fail_(EINVAL, "a group without a name is not shared");
    if (permissions == 0 || permissions > 0777)
        return fw_rt_fail_(EINVAL, "there are no permissions 0%o", permissions);
    return open_group(group, name, tier, FW_REGION_SHARED | permissions);
}

int fw_rt_group_close(fw_rt_group *group)
{
    uint32_t tasks = fw_load32_acquire(&group->tasks);

    if (tasks != 0 && group->process == getpid())
        return fw_rt_fail_(EBUSY, "%u tasks of this process are in the group", tasks);
    release(group);
    fw_rt_good_();
    return 0;
}

fw_rt_tier fw_rt_group_tier(const fw_rt_group *group)
{
    return (fw_rt_tier)group->state->tier;
}
