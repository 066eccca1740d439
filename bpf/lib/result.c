/* SPDX-License-Identifier: MIT */
#include "bpf/lib/result.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "sys/probe.h"

bool fw_bpf_may_load(void)
{
    return fw_probe_capability_(CAP_SYS_ADMIN);
}

fw_bpf_result fw_bpf_not_permitted(char *text, size_t size)
{
    snprintf(text, size, "only root may do this (CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON)");
    return FW_BPF_NOT_PERMITTED;
}

fw_bpf_result fw_bpf_no_types(char *text, size_t size)
{
    snprintf(text, size,
             "this kernel does not tell its types (no /sys/kernel/btf/vmlinux): it needs "
             "CONFIG_DEBUG_INFO_BTF");
    return FW_BPF_NOT_SUPPORTED;
}

fw_bpf_result fw_bpf_result_of(int error)
{
    return error == EPERM || error == EACCES ? FW_BPF_NOT_PERMITTED : FW_BPF_FAILED;
}

fw_bpf_result fw_bpf_failed(const char *what, char *text, size_t size)
{
    int error = errno;

    snprintf(text, size, "%s: %s", what, strerror(error));
    return fw_bpf_result_of(error);
}
