/* SPDX-License-Identifier: MIT */
/* What the calls refuse, and how. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "tap.h"

static uint32_t word;

CASE(version_says_what_there_is)
{
    struct fw_kernel_version version = {.size = sizeof version};

    CHECK_IS(call(device, FW_KERNEL_VERSION, &version), 0);
    CHECK_IS(version.interface, FW_KERNEL_INTERFACE);
    CHECK((version.calls & 1) != 0 && version.max_objects > 0);
    version.flags = 1;
    CHECK_IS(call(device, FW_KERNEL_VERSION, &version), -EINVAL);
}

CASE(sizes_and_flags_are_checked)
{
    struct {
        struct fw_kernel_wait wait;
        uint64_t more;
    } larger = {.wait = waits(&word, 1, 0)};

    CHECK_IS(call(device, FW_KERNEL_WAIT, &larger), -EAGAIN);
    larger.wait.size = sizeof larger;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &larger), -EAGAIN); /* zeroes behind it */
    larger.more = 1;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &larger), -E2BIG);
    larger.wait.size = UINT32_MAX;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &larger), -E2BIG);
    larger.wait.size = sizeof larger.wait - 1;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &larger), -EINVAL);
    larger.wait.size = 0;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &larger), -EINVAL);
    for (unsigned long number = FW_KERNEL_WAIT; number <= FW_KERNEL_UNLOCK; number++) {
        struct fw_kernel_requeue any = {
            .size = sizeof any, .flags = 0x80000000u, .word = (uintptr_t)&word};

        CHECK_IS(call(device, number, &any), -EINVAL);
        CHECK_IS(call(device, number, NULL), -EFAULT);
    }
    CHECK_IS(call(device, _IO(0xf5, 99), &larger), -ENOTTY);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, UINT32_MAX, 0), -EINVAL);
    CHECK_IS(wake(FW_KERNEL_UP, &word, 2, 0), -EINVAL);
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, FW_KERNEL_FAIR | FW_KERNEL_RANDOM), -EINVAL);
    CHECK_IS(wait_for(FW_KERNEL_DOWN, &word, 1, 0), -EINVAL);
    CHECK_IS(wait_for(FW_KERNEL_WAIT, &word, 1, FW_KERNEL_PRIVATE | FW_KERNEL_PAGE), -EINVAL);
}

CASE(words_are_checked)
{
    uint32_t *gone = shared_word(), *read_only = shared_word();
    static const uint32_t flags[] = {0, FW_KERNEL_PRIVATE, FW_KERNEL_PAGE};

    munmap(gone, 4096);
    CHECK(mprotect(read_only, 4096, PROT_READ) == 0);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(wait_for(FW_KERNEL_WAIT, (uint32_t *)((char *)&word + 1), 0, flags[i]), -EINVAL);
        CHECK_IS(wait_for(FW_KERNEL_WAIT, NULL, 0, flags[i]), -EFAULT);
        CHECK_IS(wait_for(FW_KERNEL_WAIT, gone, 0, flags[i]), -EFAULT);
        CHECK_IS(wait_for(FW_KERNEL_WAIT, (uint32_t *)0xffffffff81000000ul, 0, flags[i]), -EFAULT);
        CHECK_IS(wait_for(FW_KERNEL_WAIT, read_only, 1, flags[i]), -EAGAIN);
        CHECK_IS(wait_for(FW_KERNEL_DOWN, read_only, 0, flags[i]), -EFAULT);
        CHECK_IS(wake(FW_KERNEL_UP, read_only, 1, flags[i]), -EFAULT);
        CHECK_IS(wait_for(FW_KERNEL_LOCK, read_only, 0, flags[i]), -EFAULT);
    }
    CHECK_IS(wake(FW_KERNEL_WAKE, read_only, 1, 0), -EFAULT);
    CHECK_IS(wake(FW_KERNEL_SEM_UP, read_only, 1, 0), -EFAULT);
}

CASE(priorities_are_checked)
{
    struct fw_kernel_wait wait = waits(&word, 1, 0);

    wait.lower = FW_KERNEL_LOWEST;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &wait), -EAGAIN);
    wait.lower++;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &wait), -EINVAL);
}
