/* SPDX-License-Identifier: MIT */
/* furwock/event.h, reset by hand and by itself. */
#include <furwock/event.h>

#include "bench/adapters/sync_adapter_define.h"
#include "measure/deadline.h"

ADAPTER_ZERO_IS_FREE(manual)
ADAPTER_INIT(automatic, fw_event, fw_event_init(l, FW_EVENT_AUTO, false))
EVENT_CALLS(event, fw_event, fw_event_set(l), fw_event_reset(l), fw_event_is_set(l),
            fw_event_wait(l), fw_event_trywait(l), fw_event_timedwait(l, DEADLINE(at)))

const struct event_adapter event_adapter_furwock = {
    .name = "furwock",
    .about = "fw_event, reset by hand",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_FREEABLE | ADAPTER_ZERO,
    ADAPTER_OBJECT(fw_event, manual_init_),
    .automatic = false,
    EVENT_MEMBERS(event),
};

const struct event_adapter event_adapter_furwock_auto = {
    .name = "furwock-auto",
    .about = "fw_event that resets itself for each that it lets through",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_FREEABLE,
    ADAPTER_OBJECT(fw_event, automatic_init_),
    .automatic = true,
    EVENT_MEMBERS(event),
};
