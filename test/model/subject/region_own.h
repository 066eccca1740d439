/* SPDX-License-Identifier: MIT */
#ifndef MODEL_REGION_OWN_H
#define MODEL_REGION_OWN_H

/*
 * For atomic/ipc/region.c: its variables, which are a process's own, lie in a section that is
 * brought and taken away with each model thread, in programs whose hook `own` names it.
 */
#include "region.h"
#include "word_lock.h"

#define REGION_OWN __attribute__((section("model_region_variables")))

extern struct fw_ranges_ fw_region_ranges_ REGION_OWN;
static fw_word_lock changing REGION_OWN;
static uint64_t pid_namespace REGION_OWN;
static bool is_foreign REGION_OWN;

#endif
