/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_EVENT_QUEUE_H
#define FW_THREAD_EVENT_QUEUE_H

#include <stdbool.h>

#include <furwock/event.h>
#include <furwock/latch.h>

#include "core/operation.h"

/* Operations that wait for a manual event or a latch: true if it is set, or open; else queued. */
bool fw_event_enqueue_(fw_event *e, fw_await *op);
bool fw_latch_enqueue_(fw_latch *l, fw_await *op);

#endif
