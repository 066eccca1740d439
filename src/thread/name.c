/* SPDX-License-Identifier: MIT */
/* Names for locks.  Contract: furwock/name.h; the table: core/names.h. */
#include <furwock/name.h>

#include "core/names.h"

struct fw_name_entry_ fw_names_[FW_NAMES];

int fw_name(const void *lock, const char *name)
{
    return fw_names_set_(fw_names_, lock, name);
}
