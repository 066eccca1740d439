/* SPDX-License-Identifier: MIT */
/*
 * Contract: uring.h.  The layouts and numbers are those of linux/io_uring.h, which many sets of
 * headers have in an older edition; they are the same on all machines.
 */
#include "sys/uring.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

#include <furwock/bits/atomic.h>

#include "sys/map.h"

enum { CALL_SETUP = 425, CALL_ENTER = 426, CALL_REGISTER = 427, REGISTER_EVENTFD = 4 };
enum { TASKRUN_FLAG = 1 << 9, SINGLE_ISSUER = 1 << 12, DEFER_TASKRUN = 1 << 13 }; /* setup */
enum { SINGLE_MMAP = 1 << 0, NODROP = 1 << 1 };                                   /* features */
enum { GETEVENTS = 1 << 0 };                                                      /* enter */
enum { CQ_OVERFLOW = 1 << 1, TASKRUN = 1 << 2 };                                  /* sq_flags */
enum { CANCEL_ALL = 1 << 0, CANCEL_ANY = 1 << 2, ASYNC_CANCEL = 14, FUTEX_WAIT = 51 };
enum { FUTEX2_SIZE_U32 = 2 }; /* without FUTEX2_PRIVATE: shared */
#define AT_RINGS 0L
#define AT_SQES 0x10000000L
#define ANY_BIT UINT64_C(0xffffffff)

struct sqe {
    uint8_t opcode, flags;
    uint16_t priority;
    int32_t fd;
    uint64_t off; /* a futex wait: the expected value */
    uint64_t addr;
    uint32_t len, op_flags;
    uint64_t tag;
    uint16_t buffer, personality;
    int32_t file_index;
    uint64_t addr3; /* a futex wait: its bits */
    uint64_t spare;
};
_Static_assert(sizeof(struct sqe) == 64, "the kernel's layout");

struct params {
    uint32_t sq_entries, cq_entries, flags, sq_cpu, sq_idle, features, wq_fd, spare[3];
    struct {
        uint32_t head, tail, ring_mask, ring_entries, flags, dropped, array, spare;
        uint64_t user_addr;
    } sq;
    struct {
        uint32_t head, tail, ring_mask, ring_entries, overflow, cqes, flags, spare;
        uint64_t user_addr;
    } cq;
};
_Static_assert(sizeof(struct params) == 120 && sizeof(struct fw_uring_cqe_) == 16,
               "the kernel's layout");

static uint32_t *at(const struct fw_uring_ *r, uint32_t offset)
{
    return (uint32_t *)(void *)((char *)r->rings + offset);
}

static void fill(struct fw_uring_ *r, const struct params *p)
{
    uint32_t *array = at(r, p->sq.array);

    r->entries = p->sq_entries;
    r->sq_mask = p->sq_entries - 1;
    r->cq_mask = p->cq_entries - 1;
    r->sq_head = at(r, p->sq.head);
    r->sq_tail = at(r, p->sq.tail);
    r->sq_flags = at(r, p->sq.flags);
    r->cq_head = at(r, p->cq.head);
    r->cq_tail = at(r, p->cq.tail);
    r->cqes = (const struct fw_uring_cqe_ *)(void *)at(r, p->cq.cqes);
    for (uint32_t i = 0; i < p->sq_entries; i++)
        array[i] = i;
}

static int map_at(const struct fw_uring_ *r, long offset, size_t size, void **base)
{
    return fw_map_result_(fw_system_call_(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_POPULATE, r->fd, offset),
                          base);
}

static int map(struct fw_uring_ *r, const struct params *p)
{
    size_t sq = p->sq.array + p->sq_entries * sizeof(uint32_t);
    size_t cq = p->cq.cqes + p->cq_entries * sizeof(struct fw_uring_cqe_);
    int error;

    r->rings_size = sq > cq ? sq : cq;
    r->sqes_size = p->sq_entries * sizeof(struct sqe);
    error = map_at(r, AT_RINGS, r->rings_size, &r->rings);
    return error != 0 ? error : map_at(r, AT_SQES, r->sqes_size, &r->sqes);
}

int fw_uring_open_(struct fw_uring_ *r, uint32_t entries)
{
    struct params p = {.flags = TASKRUN_FLAG | SINGLE_ISSUER | DEFER_TASKRUN};
    long fd = fw_system_call_(CALL_SETUP, entries, (long)(intptr_t)&p, 0, 0, 0, 0);
    int error;

    *r = (struct fw_uring_){.fd = (int)fd};
    if (fd < 0)
        return (int)-fd;
    error = (p.features & SINGLE_MMAP) != 0 && (p.features & NODROP) != 0 ? map(r, &p) : EINVAL;
    if (error != 0)
        fw_uring_close_(r);
    else
        fill(r, &p);
    return error;
}

void fw_uring_close_(struct fw_uring_ *r)
{
    if (r->sqes != NULL)
        fw_unmap_(r->sqes, r->sqes_size);
    if (r->rings != NULL)
        fw_unmap_(r->rings, r->rings_size);
    if (r->fd >= 0)
        fw_system_call_(SYS_close, r->fd, 0, 0, 0, 0, 0);
    *r = (struct fw_uring_){.fd = -1};
}

int fw_uring_tell_(struct fw_uring_ *r, int event_fd)
{
    return (int)-fw_system_call_(CALL_REGISTER, r->fd, REGISTER_EVENTFD, (long)(intptr_t)&event_fd,
                                 1, 0, 0);
}

/* The kernel reads an entry when it is entered, by this thread. */
static bool put(struct fw_uring_ *r, const struct sqe *e)
{
    uint32_t tail = fw_load32_relaxed(r->sq_tail);

    if (tail - fw_load32_acquire(r->sq_head) == r->entries)
        return false;
    ((struct sqe *)r->sqes)[tail & r->sq_mask] = *e;
    fw_store32_release(r->sq_tail, tail + 1);
    r->put++;
    return true;
}

bool fw_uring_put_wait_(struct fw_uring_ *r, const uint32_t *word, uint32_t expected, uint64_t tag)
{
    struct sqe e = {.opcode = FUTEX_WAIT, .fd = FUTEX2_SIZE_U32, .off = expected, .addr3 = ANY_BIT};

    e.addr = (uintptr_t)word;
    e.tag = tag;
    return put(r, &e);
}

bool fw_uring_put_cancel_(struct fw_uring_ *r, uint64_t of, uint64_t tag)
{
    struct sqe e = {.opcode = ASYNC_CANCEL, .fd = -1, .addr = of, .tag = tag};

    return put(r, &e);
}

bool fw_uring_put_cancel_all_(struct fw_uring_ *r, uint64_t tag)
{
    struct sqe e = {
        .opcode = ASYNC_CANCEL, .fd = -1, .op_flags = CANCEL_ALL | CANCEL_ANY, .tag = tag};

    return put(r, &e);
}

bool fw_uring_has_put_(const struct fw_uring_ *r)
{
    return r->put != 0;
}

bool fw_uring_is_due_(const struct fw_uring_ *r)
{
    return fw_uring_has_put_(r) || (fw_load32_relaxed(r->sq_flags) & (CQ_OVERFLOW | TASKRUN)) != 0;
}

int fw_uring_enter_(struct fw_uring_ *r, uint32_t least)
{
    long done;

    do {
        done = fw_system_call_(CALL_ENTER, r->fd, r->put, least, GETEVENTS, 0, 0);
        if (done < 0)
            return (int)-done;
        r->put -= (uint32_t)done;
    } while (r->put != 0 && done != 0);
    return r->put == 0 ? 0 : EAGAIN;
}

bool fw_uring_take_(struct fw_uring_ *r, uint64_t *tag, int *result)
{
    uint32_t head = fw_load32_relaxed(r->cq_head);
    const struct fw_uring_cqe_ *e = &r->cqes[head & r->cq_mask];

    if (head == fw_load32_acquire(r->cq_tail))
        return false;
    *tag = e->tag;
    *result = e->result;
    fw_store32_release(r->cq_head, head + 1);
    return true;
}
