# SPDX-License-Identifier: MIT
#
# The read-write lock, with the fake kernel: its calls, whose turn it is, and the waiting.

set(rwlock_src ${PROJECT_SOURCE_DIR}/src)
add_library(fw_rwlock_under_fake STATIC ${rwlock_src}/core/waitqueue.c
    ${rwlock_src}/thread/rwlock.c ${rwlock_src}/thread/rwlock_queue.c
    ${rwlock_src}/thread/rwlock_turn.c)
target_link_libraries(fw_rwlock_under_fake PUBLIC fw_under_fake PRIVATE fw_house)

foreach(name rwlock rwlock_turn rwlock_queue rwlock_timeout rwlock_fork rwlock_posix)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/${name}_test.c
        LIBS fw_rwlock_under_fake fw_cmocka)
endforeach()
