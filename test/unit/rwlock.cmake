# SPDX-License-Identifier: MIT
#
# The read-write lock, with the fake kernel: its calls, whose turn it is, and the waiting.

foreach(name rwlock rwlock_turn rwlock_queue rwlock_timeout rwlock_fork rwlock_posix)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/${name}_test.c
        LIBS fw_under_fake fw_cmocka)
endforeach()
