# SPDX-License-Identifier: MIT
#
# The papers' locks (bench/classics/): one test per lock, on its words; one for all,
# between processes.

add_library(classics_task STATIC ${CMAKE_CURRENT_LIST_DIR}/classics_task.c)
target_link_libraries(classics_task PUBLIC fw_cmocka PRIVATE fw_house)

foreach(stem drepper furwock futex gustedt keeper ksem musl smpl spin_yield sysv ulock ulock_fair
        ulock_shared usema)
    fw_test(NAME unit_classics_${stem} LABEL unit
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/classics_${stem}_test.c
            LIBS classics classics_task)
endforeach()

fw_test(NAME unit_classics_wake_all LABEL unit
        SOURCES ${CMAKE_CURRENT_LIST_DIR}/classics_wake_all_test.c
                ${CMAKE_CURRENT_LIST_DIR}/sleeper.c
        LIBS classics fw_cmocka)

fw_test(NAME unit_classics_processes LABEL unit
        SOURCES ${CMAKE_CURRENT_LIST_DIR}/classics_processes_test.c
                ${PROJECT_SOURCE_DIR}/bench/classics/adapters.c
        LIBS classics classics_task fw_measure)
