/* SPDX-License-Identifier: MIT */
#include <furwock/rt.h>

#include <stdio.h>

int main(void)
{
    fw_rt_group *group;

    if (fw_rt_protocol_named("PCP-DU-BOOL") != FW_RT_PCP_DU ||
        fw_rt_group_open(&group, NULL, FW_RT_TIER_A) != 0 || fw_rt_group_close(group) != 0) {
        puts(fw_rt_strerror());
        return 1;
    }
    puts("furwock is ready");
    return 0;
}
