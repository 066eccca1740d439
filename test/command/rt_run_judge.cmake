# SPDX-License-Identifier: MIT
#
# The judge of furwock rt run, and copies of it with a fault each: the configuration stops where
# the text that a fault replaces is not there exactly once.
set(judge ${PROJECT_SOURCE_DIR}/command/rt_run_judge.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${judge})
file(READ ${judge} judge_text)
set(judge_sources ${judge})
function(judge_fault name old new)
    string(REPLACE "${old}" "" without "${judge_text}")
    string(LENGTH "${judge_text}" length)
    string(LENGTH "${without}" length_without)
    string(LENGTH "${old}" length_old)
    math(EXPR length_expected "${length} - ${length_old}")
    if(NOT length_without EQUAL length_expected)
        message(FATAL_ERROR "The fault \"${name}\" has to be written anew for ${judge}")
    endif()
    string(REPLACE "${old}" "${new}" faulty "${judge_text}")
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/rt_run_judge_${name}.c)
    file(WRITE ${copy} "${faulty}")
    set_source_files_properties(${copy} PROPERTIES
        COMPILE_DEFINITIONS rt_run_judge=rt_run_judge_${name}
        COMPILE_OPTIONS "-Wno-unused;-Wno-missing-prototypes")
    set(judge_sources ${judge_sources} ${copy} PARENT_SCOPE)
endfunction()
judge_fault(blind "here == TASKSET_NONE && c->is_stalled[cpu]" "0")
judge_fault(greedy "here == TASKSET_NONE && c->is_stalled[cpu]" "c->is_stalled[cpu]")
judge_fault(everywhere "c->is_stalled[m->task] = m->event->kind == RUN_STALL"
    "memset(c->is_stalled, m->event->kind == RUN_STALL, sizeof c->is_stalled)")
judge_fault(endless "m->event->kind == RUN_STALL;" "true;")
judge_fault(early "s->asks = lock;" "s->asks = lock; s->waits = true;")
judge_fault(never "s->waits = true;" "s->waits = false;")
judge_fault(late "    case RUN_HAND:
" "    case RUN_HAND: break;
")
fw_test(NAME command_rt_judge LABEL unit SOURCES rt_run_judge_test.c ${judge_sources}
    LIBS fw_cmocka INCLUDES ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/command
    ${PROJECT_SOURCE_DIR}/test/unit)
