/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A sched_ext scheduler that leaves all to the kernel, and is only there.  Kernels know members of
 * this structure by their names, and none of its operations has to be there; but libbpf before 1.2
 * loads no scheduler without a program.
 */
struct scx_exit_info;

struct sched_ext_ops {
    void (*exit)(struct scx_exit_info *info);
    char name[128];
};

__attribute__((section("struct_ops/other_exit"), used)) int other_exit(unsigned long long *context)
{
    (void)context;
    return 0;
}

__attribute__((section(".struct_ops"), used)) struct sched_ext_ops other = {
    .exit = (void *)other_exit, .name = "other_one"};

__attribute__((section("license"), used)) char other_license[] = "Dual MIT/GPL";
