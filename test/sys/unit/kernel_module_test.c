/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "sys/kernel_module.h"
#include "test/support/unit.h"

/* src/sys/kernel_module.c: what is refused.  Modules that are loaded: test/kmod. */

/* Of who may not, of a kernel without modules, or the reason. */
static void assert_refused(int error, int reason)
{
    assert_true(error == EPERM || error == ENOSYS || error == reason);
}

TEST(no_descriptor)
{
    assert_refused(fw_kernel_module_load_(-1, ""), EBADF);
}

TEST(no_module)
{
    assert_refused(fw_kernel_module_unload_("furwock_no_such_module"), ENOENT);
}

UNIT_MAIN(NULL, NULL)
