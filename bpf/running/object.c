/* SPDX-License-Identifier: MIT */
/* The compiled running.bpf.c. */
#include "bpf/lib/embed.h"
#include "bpf/running/program.h"

FW_BPF_EMBED(fw_assist_object, FW_BPF_RUNNING_OBJECT);
