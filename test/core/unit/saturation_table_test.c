/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "core/saturation.h"
#include "test/support/unit.h"

/* src/core/saturation_table.c */

TEST(the_table_is_one_it_fills_cache_lines_and_it_can_be_written)
{
    volatile unsigned char *table = fw_saturation_table_();

    assert_ptr_equal(table, fw_saturation_table_());
    assert_int_equal((uintptr_t)table % 64, 0);
    assert_int_equal(FW_SATURATION_BYTES_ % 64, 0);
    for (unsigned i = 0; i < FW_SATURATION_BYTES_; i++) {
        unsigned char was = table[i];

        table[i] = (unsigned char)~was;
        table[i] = was;
    }
}

UNIT_MAIN(NULL, NULL)
