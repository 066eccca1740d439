# SPDX-License-Identifier: MIT
#
# How furwock rt run evaluates its logs, and copies of that with a fault each: the configuration
# stops if the text that a fault replaces is not there exactly once.
set(evaluate ${PROJECT_SOURCE_DIR}/command/rt/run/evaluate.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${evaluate})
file(READ ${evaluate} text)
set(evaluate_sources ${evaluate})
function(evaluate_fault name old new)
    string(REPLACE "${old}" "" without "${text}")
    string(LENGTH "${text}" length)
    string(LENGTH "${without}" length_without)
    string(LENGTH "${old}" length_old)
    math(EXPR length_expected "${length} - ${length_old}")
    if(NOT length_without EQUAL length_expected)
        message(FATAL_ERROR "The fault \"${name}\" has to be written anew for ${evaluate}")
    endif()
    string(REPLACE "${old}" "${new}" faulty "${text}")
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/rt_run_evaluate_${name}.c)
    file(WRITE ${copy} "${faulty}")
    set_source_files_properties(${copy} PROPERTIES
        COMPILE_DEFINITIONS rt_run_evaluate=rt_run_evaluate_${name}
        COMPILE_OPTIONS "-Wno-unused;-Wno-missing-prototypes")
    set(evaluate_sources ${evaluate_sources} ${copy} PARENT_SCOPE)
endfunction()
evaluate_fault(blind "here == TASKSET_NONE && c->is_stalled[cpu]" "0")
evaluate_fault(greedy "here == TASKSET_NONE && c->is_stalled[cpu]" "c->is_stalled[cpu]")
evaluate_fault(everywhere "c->is_stalled[m->task] = m->event->kind == RUN_STALL"
    "memset(c->is_stalled, m->event->kind == RUN_STALL, sizeof c->is_stalled)")
evaluate_fault(endless "m->event->kind == RUN_STALL;" "true;")
evaluate_fault(early "s->asks = lock;" "s->asks = lock; s->waits = true;")
evaluate_fault(never "s->waits = true;" "s->waits = false;")
evaluate_fault(late "    case RUN_HAND:
" "    case RUN_HAND: break;
")
fw_test(NAME command_rt_evaluate LABEL unit SOURCES rt_run_evaluate_test.c ${evaluate_sources}
    ${PROJECT_SOURCE_DIR}/command/rt/run/plan.c
    LIBS fw_cmocka INCLUDES ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/command)
