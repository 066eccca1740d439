/* SPDX-License-Identifier: MIT */
/* Contract: probe.h. */
#include "sys/probe.h"
#include "sys/call_waitv.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

/* Younger than many sets of kernel headers; the numbers are the same on all machines. */
enum {
    CALL_FUTEX_WAKE = 454,
    OPERATION_LOCK_PI2 = 13,
    FLAG_ROBUST_UNLOCK = 512,
    PRCTL_FUTEX_HASH = 78,
    PRCTL_FUTEX_HASH_GET_SLOTS = 2
};

static int futex(uint32_t *word, int operation, uint32_t value, void *other)
{
    return -(int)fw_system_call_(SYS_futex, (long)(intptr_t)word, operation | FUTEX_PRIVATE_FLAG,
                                 (long)value, 0, (long)(intptr_t)other, 0);
}

int fw_probe_waitv_(void)
{
    return fw_ask_waitv_();
}

int fw_probe_futex2_(void)
{
    return -(int)fw_system_call_(CALL_FUTEX_WAKE, 0, 0, 0, 0, 0, 0);
}

/* A wake of nobody, with the flag; it also stores 0 in both words. */
int fw_probe_robust_unlock_(void)
{
    uint32_t word = 1;
    void *pending = &word;
    int result = futex(&word, FUTEX_WAKE | FLAG_ROBUST_UNLOCK, 1, &pending);

    return result == 0 && word != 0 ? ENOSYS : result;
}

static int lock_inherit(int operation)
{
    uint32_t word = 0;
    int error = futex(&word, operation, 0, NULL);

    if (error == 0)
        futex(&word, FUTEX_UNLOCK_PI, 0, NULL);
    return error;
}

int fw_probe_inherit_(void)
{
    return lock_inherit(FUTEX_LOCK_PI);
}

int fw_probe_inherit2_(void)
{
    return lock_inherit(OPERATION_LOCK_PI2);
}

int fw_probe_robust_list_(long *offset)
{
    struct robust_list_head *head = NULL;
    size_t size = 0;
    int error = -(int)fw_system_call_(SYS_get_robust_list, 0, (long)(intptr_t)&head,
                                      (long)(intptr_t)&size, 0, 0, 0);

    if (error == 0 && head != NULL)
        *offset = head->futex_offset;
    if (error != 0 || head != NULL)
        return error;
    /* The C library registers one when it needs it, as musl, or none: does the kernel take one? */
    struct robust_list_head none = {.list.next = &none.list};
    error =
        -(int)fw_system_call_(SYS_set_robust_list, (long)(intptr_t)&none, sizeof none, 0, 0, 0, 0);
    fw_system_call_(SYS_set_robust_list, 0, sizeof none, 0, 0, 0, 0);
    return error;
}

int fw_probe_hash_(void)
{
    long slots =
        fw_system_call_(SYS_prctl, PRCTL_FUTEX_HASH, PRCTL_FUTEX_HASH_GET_SLOTS, 0, 0, 0, 0);

    return slots >= 0 ? (int)slots : -1;
}

/* --- Everything else -------------------------------------------------------------------------- */

enum {
    LOADS = 20, /* attempts to load a BPF program */
    CAPABILITY_WORD_BITS = 32
};

static void close_file(long fd)
{
    fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
}

int fw_probe_membarrier_rseq_(bool *has)
{
    long commands = fw_system_call_(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0, 0, 0, 0);

    *has = commands >= 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ) != 0;
    return commands < 0 ? -(int)commands : 0;
}

static long bpf(int command, union bpf_attr *attributes)
{
    return fw_system_call_(SYS_bpf, command, (long)(intptr_t)attributes, sizeof *attributes, 0, 0,
                           0);
}

/* Of a call that returned a file descriptor or a negative errno value. */
static int close_or_error(long fd)
{
    if (fd < 0)
        return -(int)fd;
    close_file(fd);
    return 0;
}

int fw_probe_bpf_map_(void)
{
    union bpf_attr attributes;

    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = attributes.value_size = sizeof(uint32_t);
    attributes.max_entries = 1;
    return close_or_error(bpf(BPF_MAP_CREATE, &attributes));
}

/*
 * The kernel gives up (EAGAIN) while it has other work pending for this thread, such as the
 * clean-up of an io_uring.  That work is done when the call has returned, and so it is repeated.
 */
int fw_probe_bpf_program_(void)
{
    static const struct bpf_insn nothing[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
                                              {.code = BPF_JMP | BPF_EXIT}};
    union bpf_attr attributes;
    long fd = -EAGAIN;

    memset(&attributes, 0, sizeof attributes);
    attributes.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    attributes.insns = (uint64_t)(uintptr_t)nothing;
    attributes.insn_cnt = sizeof nothing / sizeof *nothing;
    attributes.license = (uint64_t)(uintptr_t) "Dual MIT/GPL";
    for (int i = 0; i < LOADS && fd == -EAGAIN; i++)
        fd = bpf(BPF_PROG_LOAD, &attributes);
    return close_or_error(fd);
}

int fw_probe_bpf_mount_(void)
{
    long fd = fw_system_call_(SYS_fsopen, (long)(intptr_t) "bpf", FSOPEN_CLOEXEC, 0, 0, 0, 0);
    long error;

    if (fd < 0)
        return -(int)fd;
    error = fw_system_call_(SYS_fsconfig, fd, FSCONFIG_CMD_CREATE, 0, 0, 0, 0);
    close_file(fd);
    return -(int)error;
}

bool fw_probe_capability_(unsigned capability)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3] = {{0}};

    return fw_system_call_(SYS_capget, (long)(intptr_t)&header, (long)(intptr_t)has, 0, 0, 0, 0) ==
               0 &&
           (has[capability / CAPABILITY_WORD_BITS].effective &
            UINT32_C(1) << capability % CAPABILITY_WORD_BITS) != 0;
}
