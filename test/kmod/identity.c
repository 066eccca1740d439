/* SPDX-License-Identifier: MIT */
/* What names a word: mappings, files, processes, copies on write. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"
#include "tap.h"
#include "test/support/asleep.h"

enum { PAGE = 4096, HUGE = 2 << 20 };

static void *map(int fd, size_t size, int flags, off_t offset)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);

    CHECK(p != MAP_FAILED);
    return p;
}

/* A wake at one address reaches a waiter at the other, or not. */
static void check_same(uint32_t *here, uint32_t *there, bool is_same, uint32_t flags)
{
    struct waiter w = {.number = FW_KERNEL_WAIT, .wait = waits(here, *here, flags)};

    waiter_start(&w);
    CHECK(!waiter_is_done(&w));
    CHECK_IS(wake(FW_KERNEL_WAKE, there, 1, flags), is_same);
    if (!is_same)
        CHECK_IS(wake(FW_KERNEL_WAKE, here, 1, flags), 1);
    CHECK_IS(waiter_join(&w), 0);
}

static int memory_file(size_t size)
{
    int fd = (int)syscall(SYS_memfd_create, "word", 0);

    CHECK(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
    return fd;
}

CASE(file_at_two_addresses)
{
    int fd = memory_file(2 * PAGE);
    char *a = map(fd, 2 * PAGE, MAP_SHARED, 0), *b = map(fd, PAGE, MAP_SHARED, PAGE);

    check_same((uint32_t *)(a + PAGE + 8), (uint32_t *)(b + 8), true, 0);
    check_same((uint32_t *)(a + 8), (uint32_t *)(b + 8), false, 0);
    check_same((uint32_t *)(a + PAGE + 8), (uint32_t *)(b + 8), false, FW_KERNEL_PRIVATE);
    check_same((uint32_t *)(a + PAGE + 8), (uint32_t *)(b + 8), true, FW_KERNEL_PAGE);
}

CASE(file_opened_twice)
{
    int a, b;

    close(open("/tmp/furwock-identity", O_CREAT | O_RDWR, 0600));
    a = open("/tmp/furwock-identity", O_RDWR);
    b = open("/tmp/furwock-identity", O_RDWR);
    CHECK(a >= 0 && b >= 0 && ftruncate(a, PAGE) == 0);
    check_same(map(a, PAGE, MAP_SHARED, 0), map(b, PAGE, MAP_SHARED, 0), true, 0);
    unlink("/tmp/furwock-identity");
}

CASE(private_mapping_of_a_file)
{
    int fd = memory_file(PAGE);

    check_same(map(fd, PAGE, MAP_SHARED, 0), map(fd, PAGE, MAP_PRIVATE, 0), false, 0);
    check_same(map(fd, PAGE, MAP_PRIVATE, 0), map(fd, PAGE, MAP_PRIVATE, 0), false, 0);
}

CASE(system_v_attached_twice)
{
    int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
    uint32_t *a, *b;

    if (id < 0)
        SKIP("no System V shared memory");
    a = shmat(id, NULL, 0);
    b = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    CHECK(a != (void *)-1 && b != (void *)-1);
    check_same(a + 1, b + 1, true, 0);
    check_same(a + 1, b + 2, false, 0);
}

static uint32_t ordinary;

static void wait_ordinary(void *at)
{
    struct fw_kernel_wait wait = waits(at, 0, 0);

    wait.deadline = now_ns(CLOCK_MONOTONIC) + 20000ll * MS;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &wait), 0);
}

CASE(between_processes_only_what_is_shared)
{
    uint32_t *shared = shared_word();
    pid_t shares = child_start(wait_ordinary, shared);
    pid_t apart = child_start(wait_ordinary, &ordinary);

    AWAIT(thread_state(shares, shares) == 'S' && thread_state(apart, apart) == 'S');
    CHECK_IS(wake(FW_KERNEL_WAKE, shared, 1, 0), 1);
    CHECK_IS(wake(FW_KERNEL_WAKE, &ordinary, 1, 0), 0); /* copied on write, or will be */
    CHECK_IS(child_join(shares), 0);
    kill(apart, SIGKILL);
    child_join(apart);
}

CASE(untouched_page)
{
    uint32_t *a = map(-1, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, 0);

    check_same(a, a, true, 0);
    check_same(map(-1, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, 0), a, false, 0);
}

/* A private word keeps its name when its page is copied; by its page it does not. */
CASE(copy_on_write_after_fork)
{
    uint32_t *a = map(-1, PAGE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
    struct waiter w = {.number = FW_KERNEL_WAIT};
    pid_t child;

    a[0] = 0;
    child = child_start(wait_ordinary, shared_word()); /* shares the page until it is written */
    w.wait = waits(a, 0, 0);
    waiter_start(&w);
    a[1] = 1; /* copies it */
    CHECK_IS(wake(FW_KERNEL_WAKE, a, 1, 0), 1);
    CHECK_IS(waiter_join(&w), 0);
    kill(child, SIGKILL);
    child_join(child);
}

CASE(unmapped_and_truncated_while_waiting)
{
    int fd = memory_file(PAGE);
    uint32_t *a = map(fd, PAGE, MAP_SHARED, 0), *b = map(fd, PAGE, MAP_SHARED, 0);
    struct waiter w = {.number = FW_KERNEL_WAIT, .wait = waits(a, 0, 0)};

    waiter_start(&w);
    munmap(a, PAGE);
    close(fd);
    CHECK_IS(wake(FW_KERNEL_WAKE, b, 1, 0), 1);
    CHECK_IS(waiter_join(&w), 0);
    fd = memory_file(PAGE);
    a = map(fd, PAGE, MAP_SHARED, 0);
    w.wait = waits(a, 0, 0);
    waiter_start(&w);
    CHECK(ftruncate(fd, 0) == 0 && ftruncate(fd, PAGE) == 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, a, 1, 0), 1);
    CHECK_IS(waiter_join(&w), 0);
    CHECK(ftruncate(fd, 0) == 0);
    CHECK_IS(wait_for(FW_KERNEL_WAIT, a, 0, 0), -EFAULT); /* nothing is there to compare */
}

CASE(huge_pages)
{
    FILE *number = fopen("/proc/sys/vm/nr_hugepages", "w");
    char *p;

    if (number != NULL) {
        fprintf(number, "2\n");
        fclose(number);
    }
    p = mmap(NULL, HUGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

    if (p == MAP_FAILED)
        SKIP("no huge pages");
    check_same((uint32_t *)(p + HUGE / 2), (uint32_t *)(p + HUGE / 2), true, 0);
    check_same((uint32_t *)(p + HUGE / 2), (uint32_t *)(p + HUGE / 2 + 4), false, 0);
}
