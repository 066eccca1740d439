// SPDX-License-Identifier: MIT
#ifndef FW_BENCH_MANYTASKS_PIN_OTHERS_HPP
#define FW_BENCH_MANYTASKS_PIN_OTHERS_HPP

#include "pin.h"

#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <unistd.h>
#include <vector>

/* All threads but the first have a CPU each, in turns: where a library hides its threads. */
inline void pin_others_if_wanted()
{
    std::vector<pid_t> threads;
    cpu_set_t usable, one;
    DIR *const all = pin_is_wanted() ? opendir("/proc/self/task") : nullptr;

    if (all == nullptr || sched_getaffinity(0, sizeof usable, &usable) != 0)
        return;
    while (const dirent *each = readdir(all))
        if (const pid_t id = std::atoi(each->d_name); id != 0 && id != getpid())
            threads.push_back(id);
    closedir(all);
    std::sort(threads.begin(), threads.end());
    int cpu = -1;
    for (pid_t id : threads) {
        do
            cpu = (cpu + 1) % CPU_SETSIZE;
        while (!CPU_ISSET(cpu, &usable));
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(id, sizeof one, &one);
    }
}

#endif
