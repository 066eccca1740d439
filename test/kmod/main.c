/* SPDX-License-Identifier: MIT */
/*
 * The self-tests of the kernel module: kmod_selftest [MODULE.ko [PART]].  Loads the module, if its
 * device is not there; without it and without a file there is nothing to test.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "tap.h"

static void open_device(void)
{
    device = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);
    CHECK(device >= 0);
}

int main(int argc, char **argv)
{
    int error = -ENOENT, status;

    module_file = argc > 1 && access(argv[1], R_OK) == 0 ? argv[1] : NULL;
    if (access(FW_KERNEL_DEVICE, F_OK) == 0)
        module_file = NULL;
    else if (module_file != NULL)
        error = module_load("mode=0666");
    device = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);
    if (device < 0 && module_file != NULL && error != -EPERM) {
        printf("Bail out! %s: %s\n", module_file, strerror(-error));
        return 1;
    }
    if (device < 0) {
        printf("1..0 # SKIP no %s: %s\n", FW_KERNEL_DEVICE, strerror(errno));
        return 77;
    }
    close(device);
    status = tap_run(argc > 2 ? argv[2] : "", open_device);
    if (module_file != NULL && (error = module_unload()) != 0) {
        printf("# the module is not unloaded in the end: %s\n", strerror(-error));
        status = 1;
    }
    return status;
}
