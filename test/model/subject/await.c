/* SPDX-License-Identifier: MIT */
/* What the shipped sources of operations name, and no program has. */
#include "await/kind.h"

const struct fw_operation_kind_ fw_operation_rwlock_;
