/* SPDX-License-Identifier: MIT */
/* src/sys/probe.c on this machine's kernel: an answer that makes sense, and nothing changed. */

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <furwock/futex.h>

#include "sys/probe.h"
#include "test/support/testing.h"

static bool is_there(int error)
{
    return error != ENOSYS && error != EPERM && error != EACCES;
}

static void calls_without_arguments_fail_by_them(void **state)
{
    int waitv = fw_probe_waitv_(), futex2 = fw_probe_futex2_();

    (void)state;
    assert_true(!is_there(waitv) || waitv == EINVAL);
    assert_true(!is_there(futex2) || futex2 == EINVAL);
}

static void waiting_for_several_words_agrees(void **state)
{
    uint32_t word = 0;
    fw_futex_any any = {&word, 1, FW_FUTEX_PRIVATE};
    int error = -fw_futex_wait_any(&any, 1, NULL);

    (void)state;
    assert_int_equal(is_there(fw_probe_waitv_()), error == EAGAIN);
}

static void inheritance_agrees_with_the_c_library(void **state)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;

    (void)state;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    assert_int_equal(pthread_mutex_init(&mutex, &attributes) == 0, is_there(fw_probe_inherit_()));
    assert_true(is_there(fw_probe_inherit_()) || !is_there(fw_probe_inherit2_()));
}

static void the_robust_list_is_the_c_librarys(void **state)
{
    long offset = 1;
    int error = fw_probe_robust_list_(&offset);

    (void)state;
    assert_true(error == 0 || error == ENOENT || error == ENOSYS);
    assert_true(error != 0 || (offset < 0 && offset % 4 == 0));
}

static void capabilities_are_those_of_proc(void **state)
{
    unsigned long long effective = 0;
    char line[128];
    FILE *status = fopen("/proc/thread-self/status", "re");

    (void)state;
    assert_non_null(status);
    while (fgets(line, sizeof line, status) != NULL)
        sscanf(line, "CapEff: %llx", &effective);
    fclose(status);
    for (unsigned capability = 0; capability < 64; capability++)
        assert_int_equal(fw_probe_capability_(capability), effective >> capability & 1);
}

static void nothing_stays_open(void **state)
{
    int before = dup(STDIN_FILENO), after;
    bool has;

    (void)state;
    close(before);
    fw_probe_membarrier_rseq_(&has);
    fw_probe_io_uring_futex_(&has);
    fw_probe_bpf_map_();
    fw_probe_bpf_program_();
    fw_probe_bpf_mount_();
    after = dup(STDIN_FILENO);
    close(after);
    assert_int_equal(after, before);
}

static void errno_stays(void **state)
{
    (void)state;
    errno = ECHILD;
    fw_probe_waitv_();
    fw_probe_futex2_();
    fw_probe_robust_unlock_();
    fw_probe_inherit_();
    fw_probe_inherit2_();
    fw_probe_bpf_map_();
    fw_probe_bpf_mount_();
    fw_probe_capability_(0);
    assert_true(fw_probe_hash_() >= -1);
    assert_int_equal(errno, ECHILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_without_arguments_fail_by_them),
        cmocka_unit_test(waiting_for_several_words_agrees),
        cmocka_unit_test(inheritance_agrees_with_the_c_library),
        cmocka_unit_test(the_robust_list_is_the_c_librarys),
        cmocka_unit_test(capabilities_are_those_of_proc),
        cmocka_unit_test(nothing_stays_open),
        cmocka_unit_test(errno_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
