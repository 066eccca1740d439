/* SPDX-License-Identifier: MIT */
/*
 * Which number tells the CPUs apart, and how many there are: sys/percpu.h.
 *
 * struct rseq has two.  cpu_id is the CPU's own number.  mm_cid (Linux 6.3) numbers those on
 * which this process runs at the moment, from 0, without gaps: no two threads that run at the same
 * time have the same.  The second is better where it is there: a process with four threads on 256
 * CPUs uses four lines, wherever the threads go.
 */
#include <linux/rseq.h>
#include <sys/auxv.h>

#include "sys/cpu_count.h"
#include "sys/percpu.h"
#include "sys/release.h"

/* In the auxiliary vector: how many bytes of struct rseq the kernel fills (Linux 6.3). */
#define AUX_RSEQ_FEATURE_SIZE 27

/* Offsets in struct rseq, of which older <linux/rseq.h> know only the first. */
#define CPU_ID_OFFSET 4
#define MM_CID_OFFSET 24
#define MM_CID_END 28

_Static_assert(offsetof(struct rseq, cpu_id) == CPU_ID_OFFSET, "the kernel's layout");
_Static_assert(sizeof(struct rseq) >= MM_CID_END, "the C library's area has room for it");

ptrdiff_t fw_percpu_id_offset_;

/*
 * The area that the C library registers has 32 bytes, the least that rseq(2) takes, and the kernel
 * fills in all of them that it knows, whatever __rseq_size says about the others.
 */
static ptrdiff_t number_in_area(void)
{
    return getauxval(AUX_RSEQ_FEATURE_SIZE) >= MM_CID_END ? MM_CID_OFFSET : CPU_ID_OFFSET;
}

uint32_t fw_percpu_count_(void)
{
    ptrdiff_t area = __atomic_load_n(&fw_rseq_offset_, __ATOMIC_ACQUIRE);

    if (area == 0 || fw_percpu_fence_() != 0)
        return 0;
    /* Every caller stores the same, and before it makes an object that needs it. */
    __atomic_store_n(&fw_percpu_id_offset_, area + number_in_area(), __ATOMIC_RELAXED);
    return fw_cpu_count_();
}

int fw_percpu_fence_(void)
{
    return fw_release_fence_();
}
