/* SPDX-License-Identifier: MIT */
/* Contract: native.h. */
#include "export.h"
#include "native.h"
#include "stat.h"

static void native_sem_wait(fw_sem *sem)
{
    fw_stat_native_sem_wait_(sem, FW_SITE_);
}
FW_EXPORT_NATIVE_ABI(native_sem_wait, fw_sem_wait_slow);
