/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <furwock/ipc/region.h>

#include "ipc/region/head.h"
#include "unit.h"

/* src/ipc/region/head.c: a head is made by all who come, in any state it may have been left in. */

enum { SIZE = 65536, CHECKED = offsetof(struct fw_ipc_head_, participants_used) };

static struct fw_ipc_plan_ plan_for(uint64_t size)
{
    struct fw_ipc_plan_ plan;

    assert_int_equal(fw_ipc_plan_(size, 0, &plan), 0);
    return plan;
}

static struct fw_ipc_head_ *memory(void)
{
    void *m = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(m, MAP_FAILED);
    return m;
}

static struct fw_ipc_head_ *made(void)
{
    struct fw_ipc_plan_ plan = plan_for(SIZE);
    struct fw_ipc_head_ *head = memory();

    assert_int_equal(fw_ipc_head_make_(head, &plan), 0);
    return head;
}

static int check(const struct fw_ipc_head_ *head)
{
    struct fw_ipc_plan_ plan;

    return fw_ipc_head_check_(head, SIZE, &plan);
}

TEST(a_plan_fits_its_size)
{
    struct fw_ipc_plan_ plan;

    for (uint64_t size = FW_REGION_MIN_SIZE; size <= FW_IPC_REGION_MAX_SIZE; size *= 2) {
        assert_int_equal(fw_ipc_plan_(size, FW_REGION_STAMP | FW_REGION_CREATE, &plan), 0);
        assert_int_equal(plan.flags, FW_REGION_STAMP);
        assert_true(plan.entries_at >= FW_IPC_HEAD_SIZE);
        assert_true(plan.participants_at >= plan.entries_at + plan.entry_count * 64);
        assert_true(plan.objects_at >=
                    plan.participants_at + plan.participant_count * FW_IPC_PARTICIPANT_SIZE);
        assert_true(plan.objects_at % FW_IPC_HEAD_SIZE == 0);
        assert_true(plan.size >= plan.objects_at + plan.size / 4); /* most of it is the user's */
    }
}

TEST(sizes_out_of_range)
{
    struct fw_ipc_plan_ plan;

    assert_int_equal(fw_ipc_plan_(0, 0, &plan), EINVAL);
    assert_int_equal(fw_ipc_plan_(FW_REGION_MIN_SIZE - 4096, 0, &plan), EINVAL);
    assert_int_equal(fw_ipc_plan_(FW_REGION_MIN_SIZE + 1, 0, &plan), EINVAL);
    assert_int_equal(fw_ipc_plan_(FW_IPC_REGION_MAX_SIZE + 4096, 0, &plan), EINVAL);
    assert_int_equal(fw_ipc_plan_(UINT64_MAX - 4095, 0, &plan), EINVAL);
}

TEST(made_and_checked)
{
    struct fw_ipc_head_ *head = memory();
    struct fw_ipc_plan_ plan = plan_for(SIZE), seen;

    assert_int_equal(check(head), ENOENT);
    plan.flags = FW_REGION_STAMP;
    assert_int_equal(fw_ipc_head_make_(head, &plan), 0);
    assert_int_equal(fw_ipc_head_check_(head, SIZE, &seen), 0);
    assert_int_equal(seen.size, SIZE);
    assert_int_equal(seen.flags, FW_REGION_STAMP);
    assert_true(seen.boot != 0 && seen.pid_namespace != 0);
    assert_int_equal(fw_ipc_head_make_(head, &plan), EEXIST);
    assert_int_equal(fw_ipc_head_check_(head, SIZE - 1, &seen), EUCLEAN); /* cut short */
    munmap(head, SIZE);
}

/* Whatever words a killed maker had stored: the next one completes the same head. */
TEST(completed_from_every_step)
{
    struct fw_ipc_head_ *whole = made(), *left = memory();
    size_t plan_at = offsetof(struct fw_ipc_head_, plan) / 8;

    for (unsigned stored = 0; stored < 1u << (CHECKED / 8); stored++) {
        if (stored & 1 || !(stored & 1u << plan_at)) /* the plan is first, the magic is last */
            continue;
        memset(left, 0, CHECKED);
        for (unsigned i = 0; i < CHECKED / 8; i++)
            if (stored & 1u << i)
                ((uint64_t *)left)[i] = ((uint64_t *)whole)[i];
        assert_int_equal(check(left), EINPROGRESS);
        if (stored % 4 == 0)
            fw_ipc_head_complete_(left);
        else
            assert_int_equal(fw_ipc_head_make_(left, &(struct fw_ipc_plan_){0}), EEXIST);
        assert_int_equal(check(left), 0);
        assert_memory_equal(left, whole, CHECKED);
    }
    munmap(left, SIZE);
    munmap(whole, SIZE);
}

TEST(every_flipped_bit_is_seen)
{
    struct fw_ipc_head_ *head = made();

    for (unsigned bit = 0; bit < CHECKED * 8; bit++) {
        unsigned char *byte = (unsigned char *)head + bit / 8;
        *byte ^= (unsigned char)(1u << bit % 8);
        int error = check(head);
        assert_true(error == EUCLEAN || error == EPROTO);
        *byte ^= (unsigned char)(1u << bit % 8);
    }
    assert_int_equal(check(head), 0);
    munmap(head, SIZE);
}

TEST(of_another_kind)
{
    struct fw_ipc_head_ *head = made();
    uint64_t plan = head->plan;

    head->format++;
    assert_int_equal(check(head), EPROTO);
    head->format--;
    head->magic = __builtin_bswap64(head->magic);
    assert_int_equal(check(head), EPROTO);
    memset(head, 0, CHECKED);
    head->plan = plan + (UINT64_C(1) << 40); /* begun by the next version */
    assert_int_equal(check(head), EPROTO);
    head->plan = __builtin_bswap64(plan);
    assert_int_equal(check(head), EPROTO);
    head->plan = plan ^ 1 << 20;
    fw_ipc_head_complete_(head);
    assert_true(check(head) == 0 || check(head) == EUCLEAN);
    memcpy(head, "#!/bin/sh\nexit 0\n", 17);
    assert_int_equal(check(head), EUCLEAN);
    munmap(head, SIZE);
}

TEST(never_made_of_what_is_not_blank)
{
    struct fw_ipc_plan_ plan = plan_for(SIZE);

    for (size_t at = CHECKED; at < plan.objects_at; at += 1111) {
        struct fw_ipc_head_ *head = memory();
        ((char *)head)[at] = 1;
        assert_int_equal(fw_ipc_head_make_(head, &plan), EUCLEAN);
        assert_int_equal(check(head), ENOENT); /* and left alone */
        munmap(head, SIZE);
    }
}

/* What began to live is not begun anew, even where its head was wiped. */
TEST(never_made_again_where_it_lived)
{
    struct fw_ipc_plan_ plan = plan_for(SIZE);
    struct fw_ipc_head_ *head = made();

    head->participants_used = 1;
    memset(head, 0, CHECKED);
    assert_int_equal(fw_ipc_head_make_(head, &plan), EUCLEAN);
    munmap(head, SIZE);
}

UNIT_MAIN(NULL, NULL)
