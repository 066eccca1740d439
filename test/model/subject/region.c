/* SPDX-License-Identifier: MIT */
/* src/ipc/region.h under the model: the handle is the program's, and no step changes it. */
#include "ipc/region.h"

bool fw_region_is_open_(const fw_region *region)
{
    return region->uses != 0;
}
