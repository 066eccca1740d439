/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_REFUSE_H
#define FW_IPC_REFUSE_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/ipc/region.h>

#include "ipc/region/head.h"
#include "sys/region_file.h"

/* Why a region is not opened.  Each returns 0 or an error of fw_region_open, and has said why. */

/* EINVAL.  `also`: flags that this call has beside those of all. */
int fw_region_check_call_(fw_region *const *region, unsigned flags, unsigned also);
int fw_region_check_name_(const char *name);

/* EINVAL: no region has that size. */
int fw_region_check_size_(size_t size);

/* EPERM: users may have made the file, or may use it, who were not asked for. */
int fw_region_check_file_(const struct fw_shm_about_ *about, unsigned permissions);

/* EPROTO, EMFILE. */
int fw_region_fail_of_size_(uint64_t has, size_t wanted);
int fw_region_fail_of_handles_(void);

/* The error, of fw_ipc_join_file_ or fw_ipc_join_memory_, by what they have found. */
int fw_region_explain_(int error, const struct fw_ipc_plan_ *plan, size_t size);

#endif
