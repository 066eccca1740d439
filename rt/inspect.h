/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_INSPECT_H
#define FW_RT_INSPECT_H

/*
 * What a tool may read of a group of real-time tasks (furwock rt, show): of rt/ it includes this
 * header only; one that has tasks of its own, scx/inspect.h as well.
 *
 *   state.h        the group's records, which tasks of others write; a tool decides by a copy
 *   decide.h       what the protocols make of such a copy
 *   liveness.h     whether the thread of a record is alive
 *   trace_file.h   the file of a trace
 *   scx/page.h     what the scheduler of tier B shares with the library
 */
#include <stdint.h>

#include "rt/decide.h"
#include "rt/liveness.h"
#include "rt/scx/page.h"
#include "rt/state.h"
#include "rt/trace_file.h"

#endif
