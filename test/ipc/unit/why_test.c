/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <furwock/ipc/named.h>
#include <furwock/ipc/region.h>
#include <furwock/version.h>

#include "ipc/region/layout.h"
#include "ipc/region/why.h"
#include "name_fixture.h"
#include "sys/origin.h"

/* src/ipc/region/why.c and src/ipc/region/refuse.c: what is said; regions of other formats. */

enum { SIZE = 2 * FW_REGION_MIN_SIZE, MAKE = FW_REGION_CREATE };
#define LONG_NAME "an object's name that is longer than 39 bytes"

static void says(const char *part)
{
    if (strstr(fw_region_strerror(), part) == NULL)
        print_error("\"%s\" does not say \"%s\"\n", fw_region_strerror(), part);
    assert_non_null(strstr(fw_region_strerror(), part));
}

TEST(a_name_or_flags_that_cannot_be)
{
    static const struct {
        const char *name;
        size_t size;
        unsigned flags;
        const char *says;
    } refused[] = {
        {"jobs", SIZE, MAKE, "not \"jobs\""},
        {NULL, SIZE, MAKE, "not \"\""},
        {"/jobs", SIZE, MAKE | 1u << 30, "no flags 0x40000000"},
        {"/jobs", SIZE, FW_REGION_EXCLUSIVE, "FW_REGION_EXCLUSIVE without"},
        {"/jobs", SIZE, FW_REGION_RENEW, "FW_REGION_RENEW without"},
        {"/jobs", 4096, MAKE, "65536 to 8589934592 bytes, and not 4096"},
        {"/jobs", SIZE_MAX, MAKE, "and not 18446744073709551615"},
    };
    fw_region *r;

    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(fw_region_open(refused[i].name, refused[i].size, refused[i].flags, &r),
                         EINVAL);
        says(refused[i].says);
    }
    assert_int_equal(fw_region_open("/jobs", SIZE, MAKE, NULL), EINVAL);
    says("no pointer");
    assert_int_equal(fw_region_open_fd(0, SIZE, MAKE | FW_REGION_RENEW, &r), EINVAL);
    says("has a name");
    assert_int_equal(fw_region_open_fd(-1, SIZE, MAKE, &r), EBADF);
    says(strerror(EBADF));
    assert_int_equal(fw_region_adopt((void *)1, SIZE, MAKE, &r), EINVAL);
    says("begin on a page");
    assert_int_equal(fw_region_adopt((void *)(1 << 20), 4096, MAKE, &r), EINVAL);
    says("and not 4096");
}

TEST(files_that_are_refused)
{
    static const char bytes[] = "something else";
    char other[100];
    fw_region *r;
    int fd;

    assert_int_equal(opening(0, 0), ENOENT);
    says(strerror(ENOENT));
    assert_int_equal(fw_region_open(name, SIZE, MAKE | 0600, &r), 0);
    assert_string_equal(fw_region_strerror(), "");
    assert_int_equal(opening(2 * SIZE, 0), EPROTO);
    says("131072 bytes, and 262144 are wanted");
    assert_int_equal(opening(SIZE, MAKE | FW_REGION_EXCLUSIVE), EEXIST);
    says(strerror(EEXIST));
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(opening(0, 0600), EPERM);
    says("0644, which are more than the 0600");
    snprintf(other, sizeof other, "%s-other", path);
    assert_int_equal(link(path, other), 0);
    assert_int_equal(opening(0, 0644), EPERM);
    unlink(other);
    says("2 names");
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_int_equal(opening(0, 0644), EPERM);
        says("is of user 65534");
    }
    assert_int_equal(fw_region_close(r), 0);
    fd = open(path, O_RDWR | O_TRUNC);
    assert_int_equal(opening(0, FW_REGION_SHARED), ENOENT);
    says("an empty file");
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    close(fd);
    assert_int_equal(opening(0, FW_REGION_SHARED), EUCLEAN);
    says("no region, or one");
}

/* A region as the next version, or the one before, or one of another machine may have left it. */
TEST(other_formats)
{
    const uint64_t known_boot = fw_boot_();
    struct fw_ipc_head_ *head;
    fw_region *r, *again;
    char ours[60];

    snprintf(ours, sizeof ours, "furwock %s has format %d", fw_version_string(), FW_REGION_FORMAT);
    assert_int_equal(fw_region_open(name, SIZE, MAKE, &r), 0);
    head = mmap(NULL, FW_IPC_HEAD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                open(path, O_RDWR | O_CLOEXEC), 0);
    assert_ptr_not_equal(head, MAP_FAILED);
    assert_int_equal(fw_region_close(r), 0);
    for (uint32_t format = FW_REGION_FORMAT - 1; format <= FW_REGION_FORMAT + 3; format += 2) {
        if (format == 0) /* there is none before the first */
            continue;
        head->format = format;
        assert_int_equal(opening(0, 0), EPROTO);
        says("a region of format ");
        says(ours);
        assert_int_equal(opening(SIZE, MAKE), EPROTO);
        assert_int_equal(opening(SIZE, MAKE | FW_REGION_RENEW), EPROTO); /* it is in use */
        assert_int_equal(opening(SIZE, MAKE | FW_REGION_EXCLUSIVE), EPROTO);
    }
    head->magic = __builtin_bswap64(head->magic);
    assert_int_equal(opening(0, 0), EPROTO);
    says("byte order");
    head->magic = __builtin_bswap64(head->magic);
    if (known_boot != 0) { /* from before the last boot nobody uses it, whatever it is */
        head->format = FW_REGION_FORMAT + 7;
        head->boot ^= 2;
        assert_int_equal(opening(0, 0), ESTALE);
        says("FW_REGION_RENEW replaces it");
        assert_int_equal(fw_region_open(name, SIZE, MAKE | FW_REGION_RENEW, &again), 0);
        assert_string_equal(fw_region_strerror(), "");
        assert_int_equal(((struct fw_ipc_head_ *)fw_region_base(again))->format, FW_REGION_FORMAT);
        assert_int_equal(head->format, FW_REGION_FORMAT + 7); /* the old one is left alone */
        assert_int_equal(fw_region_close(again), 0);
    }
    munmap(head, FW_IPC_HEAD_SIZE);
}

TEST(objects)
{
    fw_region *r;
    fw_ipc_mutex *m;
    fw_ipc_sem *s;
    fw_ipc_journal *j;
    void *object;

    assert_int_equal(fw_region_open(name, SIZE, MAKE, &r), 0);
    assert_int_equal(fw_region_mutex(r, "lock", MAKE, &m), 0);
    assert_string_equal(fw_region_strerror(), "");
    assert_int_equal(fw_region_mutex(r, "none", 0, &m), ENOENT);
    says(strerror(ENOENT));
    assert_int_equal(fw_region_sem(r, "lock", 1, 1, MAKE, &s), EPROTO);
    says("\"lock\" is a mutex, not a semaphore");
    assert_int_equal(fw_region_sem(r, "units", 1, 2, MAKE, &s), 0);
    assert_int_equal(fw_region_sem(r, "units", 1, 3, MAKE, &s), EPROTO);
    says("\"units\" was made with other numbers");
    assert_int_equal(fw_region_object(r, "bytes", FW_REGION_DATA, 64, MAKE, &object), 0);
    assert_int_equal(fw_region_object(r, "bytes", FW_REGION_DATA, 4096, 0, &object), EPROTO);
    says("bytes, and not 4096");
    assert_int_equal(fw_region_mutex_with_journal(r, "lock", 100, 0, &m, &j), EPROTO);
    says("\"lock\" ");
    assert_int_equal(fw_region_mutex(r, LONG_NAME, MAKE, &m), EINVAL);
    says("1 to 39 bytes");
    assert_int_equal(fw_region_mutex(r, "x", MAKE | FW_REGION_STAMP, &m), EINVAL);
    says("flags 0x40000 ");
    assert_int_equal(fw_region_mutex(r, "x", FW_REGION_EXCLUSIVE, &m), EINVAL);
    says("EXCLUSIVE without");
    assert_int_equal(fw_region_object(r, "x", (fw_region_kind)77, 64, MAKE, &object), EINVAL);
    says("no kind 77");
    assert_int_equal(fw_region_object(r, "x", FW_REGION_DATA, 0, MAKE, &object), EINVAL);
    says("0 bytes");
    assert_int_equal(fw_region_object(r, "x", FW_REGION_DATA, 64, MAKE, NULL), EINVAL);
    says("no pointer");
    assert_int_equal(fw_region_close(r), 0);
    assert_int_equal(fw_region_mutex(r, "lock", 0, &m), EINVAL);
    says("no open region");
}

static void *fail_elsewhere(void *unused)
{
    assert_string_equal(fw_region_strerror(), "");
    fw_region_fail_(EINVAL, "another thread's: %s", "its own");
    says("another thread's: its own");
    return unused;
}

TEST(each_thread_has_its_own)
{
    char whole[1000];
    pthread_t other;

    assert_int_equal(fw_region_fail_(EPERM, "this one's %d", 7), EPERM);
    assert_int_equal(pthread_create(&other, NULL, fail_elsewhere, NULL), 0);
    pthread_join(other, NULL);
    assert_string_equal(fw_region_strerror(), "this one's 7");
    assert_int_equal(fw_region_ended_(ENOSPC), ENOSPC); /* something has been said */
    assert_string_equal(fw_region_strerror(), "this one's 7");
    fw_region_forget_();
    assert_string_equal(fw_region_strerror(), "");
    assert_int_equal(fw_region_ended_(ENOSPC), ENOSPC);
    assert_string_equal(fw_region_strerror(), strerror(ENOSPC));
    memset(whole, 'x', sizeof whole);
    whole[sizeof whole - 1] = '\0';
    fw_region_fail_(EINVAL, "%s", whole); /* cut off */
    assert_true(strlen(fw_region_strerror()) < sizeof whole);
}

UNIT_MAIN(set_up, tear_down)
