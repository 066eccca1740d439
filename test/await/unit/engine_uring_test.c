/* SPDX-License-Identifier: MIT */
#include "engine_fixture.h"

TEST(passes_what_every_engine_must)
{
    if (fw_engine_try_(FW_ENGINE_URING_) != 0) {
        print_message("(there is no such engine here)\n");
        skip();
    }
    engine_passes_all(FW_ENGINE_URING_);
}

UNIT_MAIN(NULL, NULL)
