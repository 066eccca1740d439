/* SPDX-License-Identifier: MIT */
/* src/sys/probe.c on this machine's kernel: an answer that makes sense, and nothing changed. */

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <furwock/futex.h>

#include "sys/probe.h"
#include "test/support/unit.h"

static bool is_there(int error)
{
    return error != ENOSYS && error != EPERM && error != EACCES;
}

TEST(calls_without_arguments_fail_by_them)
{
    int waitv = fw_probe_waitv_(), futex2 = fw_probe_futex2_();

    assert_true(!is_there(waitv) || waitv == EINVAL);
    assert_true(!is_there(futex2) || futex2 == EINVAL);
}

TEST(waiting_for_several_words_agrees)
{
    uint32_t word = 0;
    fw_futex_any any = {&word, 1, FW_FUTEX_PRIVATE};
    int error = -fw_futex_wait_any(&any, 1, NULL);

    assert_int_equal(is_there(fw_probe_waitv_()), error == EAGAIN);
}

TEST(inheritance_agrees_with_the_c_library)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    assert_int_equal(pthread_mutex_init(&mutex, &attributes) == 0, is_there(fw_probe_inherit_()));
    assert_true(is_there(fw_probe_inherit_()) || !is_there(fw_probe_inherit2_()));
}

TEST(the_robust_list_is_the_c_librarys)
{
    long offset = 1;
    int error = fw_probe_robust_list_(&offset);

    assert_true(error == 0 || error == ENOENT || error == ENOSYS);
    assert_true(error != 0 || (offset < 0 && offset % 4 == 0));
}

TEST(capabilities_are_those_of_proc)
{
    unsigned long long effective = 0;
    char line[128];
    FILE *status = fopen("/proc/thread-self/status", "re");

    assert_non_null(status);
    while (fgets(line, sizeof line, status) != NULL)
        sscanf(line, "CapEff: %llx", &effective);
    fclose(status);
    for (unsigned capability = 0; capability < 64; capability++)
        assert_int_equal(fw_probe_capability_(capability), effective >> capability & 1);
}

TEST(nothing_stays_open)
{
    int before = dup(STDIN_FILENO), after;
    bool has;

    close(before);
    fw_probe_membarrier_rseq_(&has);
    fw_probe_bpf_map_();
    fw_probe_bpf_program_();
    fw_probe_bpf_mount_();
    after = dup(STDIN_FILENO);
    close(after);
    assert_int_equal(after, before);
}

TEST(errno_stays)
{
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

UNIT_MAIN(NULL, NULL)
