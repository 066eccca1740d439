/* SPDX-License-Identifier: MIT */
/*
 * Death at every instruction: kill_at_step.h.  Each time, another process (this one, with another
 * mapping) uses the object at once: it is what it was before or what it was to become, never
 * anything between; and from the instruction on that makes the difference, it is the new value
 * every time.
 *
 * The same for a process that repairs what a dead one left, and is killed over that; and for one
 * that is killed while others wait for it.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc/atomic.h>

#include "kill_at_step.h"

#define OLD UINT64_C(0x1111111111111111)
#define NEW UINT64_C(0x2222222222222222)
#define THIRD UINT64_C(0x3333333333333333)

/* Before and after an object lie bytes that must stay; AT leaves room for them. */
enum { MARGIN = 64, MARGIN_BYTE = 0xee, AT = 128 };

enum { HAS_WAITED }; /* words of `shared` */

struct task {
    const char *name;
    void (*operation)(void);
    const void *left; /* by a dead one, from whose change on the object is new; NULL: all is well */
    size_t offset, n;
    unsigned stride; /* killed after that many instructions more each time */
    bool is_first;   /* of its process: it finds out about the robust list, and is longer */
    unsigned endings;
};

static struct mapping mine, theirs;
static const struct task *task;
static unsigned difference; /* the instruction that makes it */
static void *left[2];       /* the region, as killed then and LATER instructions later */
static unsigned later;
static bool is_kept; /* in the first series */

/* Made before, for every instruction counts. */
static unsigned char old_value[MOST_BYTES], new_value[MOST_BYTES], out[MOST_BYTES];
static void *object; /* in their mapping */
static size_t size;

static void do_load(void)
{
    any_load(size, object, out, __ATOMIC_SEQ_CST);
}

static void do_store(void)
{
    any_store(size, object, new_value, __ATOMIC_SEQ_CST);
}

static void do_exchange(void)
{
    any_exchange(size, object, new_value, out, __ATOMIC_SEQ_CST);
}

static void do_compare_exchange(void)
{
    any_compare_exchange(size, object, old_value, new_value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* So that the operation is not the first of its process. */
static void use_another(void)
{
    any_store(24, at(&theirs, 0), new_value, __ATOMIC_SEQ_CST);
}

static void reset(void)
{
    char *bytes = at(&mine, task->offset);

    if (task->left != NULL) {
        memcpy(mine.base, task->left, mine.size);
        return;
    }
    memset(bytes - MARGIN, MARGIN_BYTE, MARGIN);
    memset(bytes + size, MARGIN_BYTE, MARGIN);
    store_stamp(bytes, size, OLD);
}

static uint64_t mask(void)
{
    return size >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * size) - 1;
}

/* What the survivor finds: by a load, or by an exchange, which takes the lock at once. */
static uint64_t use(bool by_exchange)
{
    unsigned char *bytes = at(&mine, task->offset);
    uint64_t seen = by_exchange ? exchange_stamp(bytes, size, THIRD) : load_stamp(bytes, size);
    uint64_t expected = by_exchange ? THIRD & mask() : seen;

    CHECK(change_stamp(bytes, size, &expected, THIRD));
    CHECK(load_stamp(bytes, size) == (THIRD & mask()));
    for (int i = 1; i <= MARGIN; i++)
        CHECK(bytes[-i] == MARGIN_BYTE && bytes[size - 1 + (size_t)i] == MARGIN_BYTE);
    return seen;
}

/* By those who want the object before its user is killed: they get it. */
static void wait_for_it(void)
{
    exchange_stamp(at(&mine, task->offset), size, THIRD);
    shared->words[HAS_WAITED] = 1;
}

static void keep_if_changed(uint64_t found, const void *region)
{
    unsigned now = shared->at;

    if (now == KILL_NEVER || !is_kept)
        return;
    if (difference == 0 && found == (NEW & mask())) {
        difference = now;
        memcpy(left[0], region, mine.size);
    }
    if (difference != 0 && now == difference + later)
        memcpy(left[1], region, mine.size);
}

static void survive(void)
{
    static char found[1 << 16];
    bool is_new;
    uint64_t seen;

    if (shared->is_alone)
        return;
    CHECK(mine.size <= sizeof found);
    memcpy(found, mine.base, mine.size);
    seen = use(shared->at / task->stride % 2 == 1);
    is_new = seen == (NEW & mask());
    if (shared->words[HAS_WAITED] ? seen != (THIRD & mask())
                                  : !is_new && (task->left != NULL || seen != (OLD & mask())))
        fail("%s of %zu bytes: killed after %u instructions, the object is %llx", task->name, size,
             shared->at, (unsigned long long)seen);
    CHECK(is_new || shared->words[HAS_WAITED] || !shared->is_through);
    keep_if_changed(seen, found);
    shared->outcome = is_new;
}

static void prepare(void)
{
    stamp(old_value, sizeof old_value, OLD);
    stamp(new_value, sizeof new_value, NEW);
    mine = mapping_new(1024, 64);
    theirs = mapping_again(&mine);
    CHECK(fw_ipc_atomic_join(theirs.base, theirs.size) == 0);
    for (unsigned i = 0; i < 2; i++)
        left[i] = share(mine.size);
}

static unsigned kill_in(const struct task *t)
{
    bool is_change = t->endings == KILL_ENDING(KILLED) && t->left == NULL;
    const struct kill_case cases[] = {{t->name, reset, NULL, t->is_first ? NULL : use_another,
                                       t->operation, NULL, survive, is_change ? 1 : ANY_CHANGES},
                                      {.name = NULL}};
    const struct kill_table table = {.name = "atomic",
                                     .cases = cases,
                                     .unit = KILL_INSTRUCTIONS,
                                     .endings = t->endings,
                                     .stride = t->stride,
                                     .witness = wait_for_it,
                                     .witnesses = 2};

    task = t;
    size = t->n;
    object = at(&theirs, t->offset);
    return kill_at_each_step(&table, NULL);
}

int main(int argc, char **argv)
{
    /*
     * The first at every instruction, except in brief runs; the rest, unless asked to, at one in
     * `stride`.
     */
    static struct task tasks[] = {
        {.name = "store", .operation = do_store, .n = 24, .stride = 1},
        {.name = "first store", .operation = do_store, .n = 24, .is_first = true, .stride = 7},
        {.name = "exchange", .operation = do_exchange, .n = 40, .stride = 3},
        {.name = "compare-exchange", .operation = do_compare_exchange, .n = 32, .stride = 3},
        {.name = "store", .operation = do_store, .offset = 3, .n = 17, .stride = 7},
        {.name = "exchange", .operation = do_exchange, .offset = 15, .n = 7, .stride = 7},
    };
    bool everywhere = argc > 1 && strcmp(argv[1], "all") == 0;
    unsigned slower = is_constrained ? 31 : is_brief() && !everywhere ? 3 : 1;
    unsigned stride = everywhere ? 1 : 7 * slower;
    unsigned kills = 0;
    struct task *t = &tasks[0];

    later = 5 * slower;
    prepare();
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        tasks[i].offset += AT;
        tasks[i].endings = KILL_ENDING(KILLED);
        tasks[i].stride = everywhere ? 1 : tasks[i].stride * slower;
        is_kept = i == 0;
        kills += kill_in(&tasks[i]);
    }
    CHECK(difference != 0);
    *t = (struct task){"a load repairs",   do_load, left[0], t->offset, t->n, stride, false,
                       KILL_ENDING(KILLED)};
    kills += kill_in(t);
    *t = (struct task){"an exchange repairs", do_exchange, left[1], t->offset, t->n, stride, false,
                       KILL_ENDING(KILLED)};
    kills += kill_in(t);
    *t = (struct task){
        "store, others wait",       do_store, NULL, t->offset, t->n, 11 * slower, false,
        KILL_ENDING(KILLED_AWAITED)};
    kills += kill_in(t);
    printf("%u processes killed\n", kills);
    return EXIT_SUCCESS;
}
