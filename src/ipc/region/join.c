/* SPDX-License-Identifier: MIT */
/*
 * To make a region or to join it.  Contract: join.h.
 *
 * A file becomes a region in three steps, each of which many processes can do at once, and repeat:
 *   1  it is made at least as long as the plan says, with its storage (fw_shm_grow_)
 *   2  it is mapped, and the plan stored: one compare-and-swap decides whose plan it is (head.c)
 *   3  the head is completed
 * A process that is killed after 1 leaves zeroes, which the next one makes a region of, or an empty
 * file; one that is killed after 2, a head that the next one completes.
 *
 *   JOIN1  A file is made long enough before a plan is stored, and never cut short: a process that
 *          reads the length after it has seen a plan finds the memory for it.
 *   JOIN2  The head that decides how much is mapped was read from the file, into private memory.
 *          The head in the mapping is checked again, against that size.
 */
#include "ipc/region/join.h"

#include <errno.h>
#include <stdbool.h>

#include <furwock/ipc/region.h>

#include "sys/origin.h"
#include "sys/region_file.h"

/* Makers of one file agree in the second round; more are for a head that changes meanwhile. */
enum { ROUNDS = 8 };

/* A size in the plan's steps, or one that no plan has. */
static uint64_t rounded(uint64_t size, uint64_t step)
{
    return size > FW_IPC_REGION_MAX_SIZE ? size : (size + step - 1) / step * step;
}

static int check_origin(const struct fw_ipc_plan_ *plan)
{
    uint64_t boot = fw_boot_();

    return plan->boot > 1 && boot != 0 && plan->boot != boot ? ESTALE : 0;
}

/*
 * From what fw_ipc_head_check_ has found: 0, go on with the region that is there; ENOENT, make one;
 * any other: the result.
 */
static int decide(int found, const struct fw_ipc_plan_ *plan, unsigned flags, bool *is_to_make)
{
    if (found == 0 && (flags & FW_REGION_RENEW) != 0 && check_origin(plan) != 0)
        return ESTALE;
    if (found == EPROTO && check_origin(plan) != 0) /* whoever understands it is gone */
        return ESTALE;
    *is_to_make = found == ENOENT && (flags & FW_REGION_CREATE) != 0; /* F:ipc-join-makes-anyway */
    if (found == EINPROGRESS)
        found = 0;
    if (found == 0 && (flags & FW_REGION_EXCLUSIVE) != 0) /* F:ipc-join-not-only */
        return EEXIST;
    return *is_to_make ? 0 : found;
}

/*
 * Makes or completes the head, and checks it.  0; EEXIST: another process has made it, by a plan of
 * its own, which may not fit in what is mapped; or another error.
 */
static int complete_and_check(void *base, bool is_to_make, struct fw_ipc_plan_ *plan,
                              uint64_t mapped)
{
    struct fw_ipc_head_ *head = base;
    int error = 0;

    if (is_to_make)
        error = fw_ipc_head_make_(head, plan); /* F:ipc-join-left */
    else
        fw_ipc_head_complete_(head);
    if (error == 0)
        error = fw_ipc_head_check_(head, mapped, plan);
    return error == 0 ? check_origin(plan) : error; /* F:ipc-join-own-plan */
}

/*
 * What is in the file?  As fw_ipc_head_check_, and the errors of the system calls.  A head that is
 * begun while it is read may look like none: its plan not there yet, what follows from it there.
 * Then reading it again finds the plan.
 */
static int look(int fd, struct fw_shm_about_ *about, struct fw_ipc_plan_ *plan)
{
    struct fw_ipc_head_ head;
    int found = EUCLEAN;

    for (unsigned i = 0; i < 2 && found == EUCLEAN; i++) { /* F:ipc-join-one-look */
        int error = fw_shm_about_(fd, about);
        if (error == 0)
            error = fw_shm_read_(fd, &head, sizeof head);
        if (error == 0)
            error = fw_shm_about_(fd, about); /* after the head: JOIN1 */
        if (error != 0)
            return error;
        found = fw_ipc_head_check_(&head, about->size, plan);
    }
    return found;
}

/* 0; EEXIST: a region has appeared meanwhile; or another error. */
static int try_file(int fd, size_t size, unsigned flags, struct fw_ipc_joined_ *joined)
{
    struct fw_ipc_plan_ *plan = &joined->plan;
    struct fw_shm_about_ about = {0};
    uint64_t mapped;
    bool is_to_make;
    int error = look(fd, &about, plan);

    error = decide(error, plan, flags, &is_to_make);
    if (error != 0)
        return error;
    if (is_to_make) {
        uint64_t wanted = size != 0 ? size : about.size / fw_shm_page_() * fw_shm_page_();
        error = fw_ipc_plan_(rounded(wanted, fw_shm_page_()), flags, plan);
        if (error == 0)                           /* F:ipc-join-short */
            error = fw_shm_grow_(fd, plan->size); /* F:ipc-join-grows-late */
    }
    mapped = plan->size;
    if (error == 0)
        error = fw_shm_map_(fd, (size_t)mapped, true, &joined->base);
    if (error != 0)
        return error;
    error = complete_and_check(joined->base, is_to_make, plan, mapped);
    if (error == 0 && plan->size < size) /* F:ipc-join-too-small */
        error = EPROTO;
    if (error != 0)
        fw_shm_unmap_(joined->base, (size_t)mapped);
    else
        fw_shm_seal_(fd);
    return error;
}

int fw_ipc_join_file_(int fd, size_t size, unsigned flags, struct fw_ipc_joined_ *joined)
{
    for (unsigned i = 0; i < ROUNDS; i++) { /* F:ipc-join-one-round */
        int error = try_file(fd, size, flags, joined);
        if (error != EEXIST || (flags & FW_REGION_EXCLUSIVE) != 0)
            return error;
    }
    return EUCLEAN;
}

int fw_ipc_join_memory_(void *memory, size_t size, unsigned flags, struct fw_ipc_joined_ *joined)
{
    struct fw_ipc_plan_ *plan = &joined->plan;
    struct fw_ipc_plan_ wanted;
    bool is_to_make;
    int error;

    if (memory == NULL || (uintptr_t)memory % fw_shm_page_() != 0 ||
        size > UINTPTR_MAX - (uintptr_t)memory ||
        fw_ipc_plan_(size - size % FW_IPC_HEAD_SIZE, flags, &wanted) != 0)
        return EINVAL;
    error = decide(fw_ipc_head_check_(memory, size, plan), plan, flags, &is_to_make);
    if (error != 0)
        return error;
    if (is_to_make)
        *plan = wanted;
    error = complete_and_check(memory, is_to_make, plan, size);
    if (error == EEXIST && (flags & FW_REGION_EXCLUSIVE) == 0) /* F:ipc-join-only-again */
        /* F:ipc-join-unchecked */
        error = complete_and_check(memory, false, plan, size);
    joined->base = memory;
    return error;
}
