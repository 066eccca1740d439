/* SPDX-License-Identifier: MIT */
/* Why a region is not opened: checks, and what is said of them.  Contract: refuse.h. */
#include "ipc/region/refuse.h"

#include <errno.h>

#include <furwock/ipc/region.h>
#include <furwock/version.h>

#include "ipc/region/why.h"

#define PERMISSIONS 0777u
#define MAKING ((unsigned)FW_REGION_CREATE | FW_REGION_EXCLUSIVE)

/* `also`: flags that this call has beside those of all. */
int fw_region_check_call_(fw_region *const *region, unsigned flags, unsigned also)
{
    unsigned unknown = flags & ~(MAKING | FW_REGION_STAMP | FW_REGION_SHARED | PERMISSIONS | also);

    if (region == NULL)
        return fw_region_fail_(EINVAL, "no pointer to the region is given");
    if (unknown == FW_REGION_RENEW)
        return fw_region_fail_(EINVAL, "FW_REGION_RENEW is for a region that has a name");
    if (unknown != 0)
        return fw_region_fail_(EINVAL, "there are no flags 0x%x", unknown);
    if ((flags & MAKING) == FW_REGION_EXCLUSIVE)
        return fw_region_fail_(EINVAL, "FW_REGION_EXCLUSIVE without FW_REGION_CREATE");
    if ((flags & FW_REGION_RENEW) != 0 && (flags & FW_REGION_CREATE) == 0)
        return fw_region_fail_(EINVAL, "FW_REGION_RENEW without FW_REGION_CREATE");
    return 0;
}

int fw_region_check_name_(const char *name)
{
    if (name != NULL && fw_shm_is_name_(name))
        return 0;
    return fw_region_fail_(EINVAL,
                           "a region's name is \"/name\", or a path with another / in it, and not "
                           "\"%.60s\"",
                           name != NULL ? name : "");
}

int fw_region_check_size_(size_t size)
{
    if (size >= FW_REGION_MIN_SIZE && size <= FW_IPC_REGION_MAX_SIZE)
        return 0;
    return fw_region_fail_(EINVAL, "a region has %u to %llu bytes, and not %zu",
                           (unsigned)FW_REGION_MIN_SIZE, (unsigned long long)FW_IPC_REGION_MAX_SIZE,
                           size);
}

int fw_region_fail_of_size_(uint64_t has, size_t wanted)
{
    return fw_region_fail_(EPROTO, "the region has %llu bytes, and %zu are wanted",
                           (unsigned long long)has, wanted);
}

int fw_region_fail_of_handles_(void)
{
    return fw_region_fail_(EMFILE, "this process has %d regions, which is the most",
                           FW_REGION_MAX_OPEN);
}

/* Says what was found, after an error of fw_ipc_join_*_. */
int fw_region_explain_(int error, const struct fw_ipc_plan_ *plan, size_t size)
{
    if (error == EPROTO && plan->format == 0)
        return fw_region_fail_(error, "a region of another byte order");
    if (error == EPROTO && plan->format != FW_REGION_FORMAT)
        return fw_region_fail_(error, "a region of format %u: furwock %s has format %d",
                               plan->format, FURWOCK_VERSION_STRING, FW_REGION_FORMAT);
    if (error == EPROTO)
        return fw_region_fail_of_size_(plan->size, size);
    if (error == EINVAL && (size == 0 || fw_region_check_size_(size) == 0))
        return fw_region_fail_(error, "the file is too small or too large for a region");
    if (error == EUCLEAN)
        return fw_region_fail_(error, "no region, or one that was overwritten or truncated");
    if (error == ESTALE)
        return fw_region_fail_(error, "a region from before the last boot, or of another machine "
                                      "(FW_REGION_RENEW replaces it)");
    if (error == ENOENT)
        return fw_region_fail_(error, "an empty file, and no FW_REGION_CREATE");
    return error;
}

int fw_region_check_file_(const struct fw_shm_about_ *about, unsigned permissions)
{
    if (fw_shm_is_private_(about, permissions))
        return 0;
    if (about->names > 1)
        return fw_region_fail_(EPERM, "the file has %u names, and no FW_REGION_SHARED is given",
                               about->names);
    if ((about->permissions & ~permissions) != 0)
        return fw_region_fail_(EPERM,
                               "the file has permissions 0%o, which are more than the 0%o that are "
                               "asked for, and no FW_REGION_SHARED is given",
                               about->permissions, permissions);
    return fw_region_fail_(EPERM, "the file is of user %u, and no FW_REGION_SHARED is given",
                           about->owner);
}
