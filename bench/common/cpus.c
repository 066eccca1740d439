/* SPDX-License-Identifier: MIT */
#include "bench.h"
#include "measure/workers.h"

enum { KEY_CPUS = 0x1000, KEY_PIN, CPUS_MAX = 65536 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)state;
    switch (key) {
    case KEY_CPUS:
        if (!cpus_limit((unsigned)bench_number("--cpus", arg, 1, CPUS_MAX)))
            bench_die("--cpus %s: there are %u", arg, cpus_usable());
        return 0;
    case KEY_PIN:
        workers_pin();
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"cpus", KEY_CPUS, "N", 0, "use the first N CPUs only (all that there are)", 2},
    {"pin", KEY_PIN, NULL, 0,
     "each thread stays on one CPU, in turns; else the kernel may move them", 2},
    {0},
};

const struct argp bench_cpus_argp = {.options = options, .parser = parse};
