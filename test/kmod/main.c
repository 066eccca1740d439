/* SPDX-License-Identifier: MIT */
/*
 * The self-tests of the kernel module: kmod_selftest [MODULE.ko [PART]].  Loads the module, if its
 * device is not there; without it and without a file there is nothing to test.
 */
#include <fcntl.h>

#include "device.h"
#include "tap.h"

static void open_device(void)
{
    device = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);
    CHECK(device >= 0);
}

static const char *part = "";

static int run_all(void)
{
    return tap_run(part, open_device);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        part = argv[2];
    return with_module(argc > 1 ? argv[1] : NULL, run_all);
}
