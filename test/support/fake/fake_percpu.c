/* SPDX-License-Identifier: MIT */
#include "fake_percpu.h"

#include <errno.h>

#include "sys/cpu_count.h"
#include "sys/percpu.h"
#include "sys/release.h"

struct fake_percpu fake_percpu = {.cpus = 4, .allowed = 1, .counters = 4};

uint32_t fw_cpu_count_(void)
{
    return fake_percpu.cpus;
}

uint32_t fw_cpus_allowed_(void)
{
    return fake_percpu.allowed;
}

uint32_t fw_percpu_count_(void)
{
    return fake_percpu.counters;
}

bool fw_percpu_add_(const uint32_t *closed, void *counters, uint32_t n, uint32_t delta)
{
    uint32_t *counter =
        (uint32_t *)((char *)counters + (size_t)fake_percpu.here * FW_PERCPU_STRIDE);

    if (fake_percpu.aborts > 0) {
        fake_percpu.aborts--;
        return false;
    }
    if (fake_percpu.here >= n || __atomic_load_n(closed, __ATOMIC_RELAXED) != 0)
        return false;
    *counter += delta;
    fake_percpu.adds++;
    return true;
}

int fw_percpu_fence_(void)
{
    if (fake_percpu.busy > 0) {
        fake_percpu.busy--;
        return -ENOMEM;
    }
    return fw_release_fence_();
}
