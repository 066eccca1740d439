/* SPDX-License-Identifier: MIT */
/*
 * The protocols' names and kinds.
 */
#include <strings.h>

#include "rt/internal.h"

static const struct {
    const char *name;
    uint32_t kind;
    bool asks_kernel;
} protocols[FW_RT_PROTOCOLS + 1] = {
    [FW_RT_PIP] = {"PIP", FW_RT_KIND_PIP, false},
    [FW_RT_IPCP] = {"IPCP", FW_RT_KIND_IPCP, false},
    [FW_RT_PCP] = {"PCP", FW_RT_KIND_PCP, true},
    [FW_RT_PCP_DU] = {"PCP-DU-BOOL", FW_RT_KIND_PCP, false},
    [FW_RT_PCP_DU_PF] = {"PCP-DU-PF", FW_RT_KIND_PCP, false},
    [FW_RT_MPCP] = {"MPCP", FW_RT_KIND_MPCP, true},
    [FW_RT_MPCP_DU] = {"MPCP-DU", FW_RT_KIND_MPCP, false},
    [FW_RT_FMLP] = {"FMLP+", FW_RT_KIND_FMLP, true},
    [FW_RT_FMLP_DU] = {"FMLP+-DU", FW_RT_KIND_FMLP, false},
};

static bool is_protocol(unsigned protocol)
{
    return protocol >= FW_RT_PIP && protocol <= FW_RT_PROTOCOLS;
}

const char *fw_rt_protocol_name(fw_rt_protocol protocol)
{
    return is_protocol(protocol) ? protocols[protocol].name : NULL;
}

fw_rt_protocol fw_rt_protocol_named(const char *name)
{
    unsigned protocol;

    for (protocol = FW_RT_PIP; name != NULL && protocol <= FW_RT_PROTOCOLS; protocol++)
        if (strcasecmp(name, protocols[protocol].name) == 0)
            return (fw_rt_protocol)protocol;
    return (fw_rt_protocol)0;
}

uint32_t fw_rt_kind_of_(fw_rt_protocol protocol)
{
    return is_protocol(protocol) ? protocols[protocol].kind : FW_RT_KIND_NONE;
}

bool fw_rt_asks_kernel_(fw_rt_protocol protocol)
{
    return is_protocol(protocol) && protocols[protocol].asks_kernel;
}
