/* SPDX-License-Identifier: MIT */
/*
 * What a process that may write to a region can do with the robust lists of its participants, whose
 * entries lie there: no list leads into memory that is gone, or a thread's next robust mutex would
 * write to it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc.h>

#include "ipc/region/head.h"
#include "processes.h"

enum { SIZE = FW_REGION_MIN_SIZE };

static struct fw_ipc_plan_ plan;

static fw_region *join(int fd)
{
    fw_region *r;

    CHECK(fw_region_open_fd(fd, SIZE, FW_REGION_CREATE, &r) == 0);
    return r;
}

static int make_memfd(void)
{
    int fd = memfd_create("lists", MFD_CLOEXEC);

    CHECK(fd >= 0);
    return fd;
}

/* The calling thread gets the first free slot. */
static void become_participant(fw_region *r)
{
    fw_ipc_mutex *m;

    CHECK(fw_region_mutex(r, "m", FW_REGION_CREATE, &m) == 0);
    CHECK(fw_ipc_mutex_lock(m) == 0 && fw_ipc_mutex_unlock(m) == 0);
}

static struct fw_ipc_participant_ *slot_of(const fw_region *r, unsigned slot)
{
    return (struct fw_ipc_participant_ *)((char *)fw_region_base(r) + plan.participants_at) + slot;
}

/* The thread's next one; it enters its list before what is there. */
static void hold_robust_mutex(pthread_mutex_t *m)
{
    pthread_mutexattr_t how;

    pthread_mutexattr_init(&how);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    CHECK(pthread_mutex_init(m, &how) == 0 && pthread_mutex_lock(m) == 0);
}

static void lock_robust_mutex(void)
{
    pthread_mutex_t m;

    hold_robust_mutex(&m);
    CHECK(pthread_mutex_unlock(&m) == 0);
}

static struct fw_robust_head_ *list_head(void)
{
    struct fw_robust_head_ *head = NULL;
    size_t size;

    return syscall(SYS_get_robust_list, 0, &head, &size) == 0 ? head : NULL;
}

static uintptr_t *entry(const fw_region *r)
{
    return (uintptr_t *)(void *)((char *)slot_of(r, 0) - list_head()->offset);
}

/* The entry of the first slot leads to another one, made up, and from there on as before. */
static void forge_entry(const fw_region *r, const fw_region *in)
{
    uintptr_t *next = entry(r);
    uintptr_t *forged = (uintptr_t *)(void *)((char *)fw_region_base(in) + SIZE - 64);

    forged[-1] = (uintptr_t)next;
    forged[0] = *next;
    *next = (uintptr_t)forged;
}

static void leads_to_made_up_entry(void *nothing)
{
    int fd = make_memfd();
    fw_region *r = join(fd);

    (void)nothing;
    become_participant(r);
    forge_entry(r, r);
    CHECK(fw_region_close(r) == 0);
    lock_robust_mutex();
    r = join(fd);
    CHECK(fw_region_leave(r) == 0 && fw_region_close(r) == 0);
    lock_robust_mutex();
}

/*
 * A process that may write to two regions knows where a process has both, since entries lead from
 * one to the other.  The thread has left the second one.
 */
static void leads_to_left_region(void *nothing)
{
    fw_region *first = join(make_memfd()), *second = join(make_memfd());

    (void)nothing;
    become_participant(first);
    become_participant(second);
    CHECK(fw_region_leave(second) == 0);
    forge_entry(first, second);
    CHECK(fw_region_close(first) == 0);
    CHECK(fw_region_close(second) == 0);
    lock_robust_mutex();
}

/* The pointers of a mutex that is no more in the list lead to the slot that is. */
static void leaves_mutex_out_to_the_end(void *nothing)
{
    pthread_mutex_t m;
    fw_region *r;

    (void)nothing;
    hold_robust_mutex(&m);
    r = join(make_memfd());
    become_participant(r);
    *entry(r) = (uintptr_t)list_head();
    CHECK(fw_region_close(r) == 0);
    CHECK(pthread_mutex_unlock(&m) == 0);
    lock_robust_mutex();
}

static void leaves_mutex_out_between(fw_region *first, fw_region *second, bool first_goes)
{
    pthread_mutex_t m;

    become_participant(first);
    hold_robust_mutex(&m);
    become_participant(second);
    *entry(second) = (uintptr_t)entry(first);
    entry(first)[-1] = (uintptr_t)entry(second);
    CHECK(fw_region_close(first_goes ? first : second) == 0);
    CHECK(pthread_mutex_unlock(&m) == 0);
    lock_robust_mutex();
}

static void leaves_mutex_out_before_a_region(void *nothing)
{
    (void)nothing;
    leaves_mutex_out_between(join(make_memfd()), join(make_memfd()), true);
}

static void leaves_mutex_out_behind_a_region(void *nothing)
{
    (void)nothing;
    leaves_mutex_out_between(join(make_memfd()), join(make_memfd()), false);
}

/* A region whose list is not in order stays mapped, also when it is opened and closed again. */
static void is_free_after_forgery(void *nothing)
{
    int fd = make_memfd();
    fw_region *r = join(fd);

    (void)nothing;
    become_participant(r);
    forge_entry(r, r);
    CHECK(fw_region_leave(r) == 0);
    slot_of(r, 0)->life = 0;
    CHECK(fw_region_close(r) == 0);
    r = join(fd);
    CHECK(fw_region_close(r) == 0);
    lock_robust_mutex();
}

struct other {
    fw_region *r;
    uint32_t step;
};

static void await(uint32_t *step, uint32_t value)
{
    while (fw_load32_acquire(step) != value)
        usleep(1000);
}

static void *stay_participant(void *arg)
{
    struct other *o = arg;

    become_participant(o->r);
    fw_store32_release(&o->step, 1);
    await(&o->step, 2);
    lock_robust_mutex();
    return NULL;
}

/* The slot of a live participant seems to be nobody's. */
static void is_free_while_had(void *nothing)
{
    struct other o = {join(make_memfd()), 0};
    pthread_t thread;

    (void)nothing;
    CHECK(pthread_create(&thread, NULL, stay_participant, &o) == 0);
    await(&o.step, 1);
    slot_of(o.r, 0)->life = 0;
    become_participant(o.r); /* gets another slot, not that one */
    CHECK(slot_of(o.r, 0)->life == 0);
    CHECK(fw_region_close(o.r) == 0);
    fw_store32_release(&o.step, 2);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void check_unmapped(void *base)
{
    CHECK(msync(base, 1, MS_ASYNC) != 0 && errno == ENOMEM);
}

/* The same beside mutexes that are held, or were. */
static void is_in_order_with_mutexes(void *nothing)
{
    pthread_mutex_t before, between, last;
    fw_region *first = join(make_memfd()), *second = join(make_memfd()), *third;
    void *base[] = {fw_region_base(first), fw_region_base(second)};

    (void)nothing;
    hold_robust_mutex(&before);
    become_participant(first);
    hold_robust_mutex(&between);
    become_participant(second);
    hold_robust_mutex(&last);
    CHECK(fw_region_close(second) == 0);
    check_unmapped(base[1]);
    CHECK(pthread_mutex_unlock(&before) == 0);
    CHECK(fw_region_close(first) == 0);
    check_unmapped(base[0]);
    CHECK(pthread_mutex_unlock(&last) == 0 && pthread_mutex_unlock(&between) == 0);
    third = join(make_memfd());
    base[0] = fw_region_base(third);
    become_participant(third);
    lock_robust_mutex();
    CHECK(fw_region_close(third) == 0);
    check_unmapped(base[0]);
}

/* A region that was left, with its list in order, is gone: no memory is kept for nothing. */
static void is_in_order(void *nothing)
{
    enum { REGIONS = 3 };
    static const int order[REGIONS] = {1, 2, 0};
    fw_region *r[REGIONS];
    struct other o = {NULL, 2};
    pthread_t thread;
    const uintptr_t *last = (const uintptr_t *)list_head() - 1;
    bool is_kept = *last == (uintptr_t)list_head(); /* by glibc: which entry is the last */

    (void)nothing;
    for (int i = 0; i < REGIONS; i++) {
        r[i] = join(make_memfd());
        become_participant(r[i]);
        CHECK(!is_kept || *last == (uintptr_t)entry(r[0]));
    }
    o.r = r[0];
    CHECK(pthread_create(&thread, NULL, stay_participant, &o) == 0);
    await(&o.step, 1);
    fw_store32_release(&o.step, 2);
    CHECK(pthread_join(thread, NULL) == 0);
    lock_robust_mutex();
    for (int i = 0; i < REGIONS; i++) {
        void *base = fw_region_base(r[order[i]]);
        CHECK(fw_region_close(r[order[i]]) == 0);
        check_unmapped(base);
    }
}

int main(void)
{
    limit(120, "what can be done with robust lists");
    CHECK(fw_ipc_plan_(SIZE, 0, &plan) == 0);
    if (list_head() == NULL)
        skip("there are no robust lists here");
    finish(start(leads_to_made_up_entry, NULL));
    finish(start(leads_to_left_region, NULL));
    finish(start(leaves_mutex_out_to_the_end, NULL));
    finish(start(leaves_mutex_out_before_a_region, NULL));
    finish(start(leaves_mutex_out_behind_a_region, NULL));
    finish(start(is_free_after_forgery, NULL));
    finish(start(is_free_while_had, NULL));
    finish(start(is_in_order, NULL));
    finish(start(is_in_order_with_mutexes, NULL));
    printf("no list leads into memory that is gone\n");
    return EXIT_SUCCESS;
}
