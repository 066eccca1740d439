# SPDX-License-Identifier: MIT
#
# Which adapters this build has: add_adapters() for a source that is there, missing_adapters()
# for a rival that is not.  finish_adapters() writes the lists, one for each family, and
# makes the library `adapters`.  What adapters of any kind need, also a test's own, is the library
# `adapter_base`.

include(CheckIncludeFile)
include(CheckSymbolExists)

# The families, by their struct: adapter, rw_adapter, and so on.
set(adapters_families adapter rw_adapter cond_adapter sem_adapter event_adapter barrier_adapter)

set(adapters_sources "")
set(adapters_libs "")
set(adapters_declarations "")
set(adapters_missing_names "")
foreach(adapters_family IN LISTS adapters_families)
    set(adapters_entries_${adapters_family} "")
    set(adapters_gaps_${adapters_family} "")
    set(adapters_names_${adapters_family} "")
endforeach()

# add_adapters(SOURCE [LIBS...]): builds the source, with all the adapters that it defines.
macro(add_adapters source)
    list(APPEND adapters_sources ${source})
    list(APPEND adapters_libs ${ARGN})
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${source} adapters_lines
        REGEX "^const struct [a-z]*_?adapter [a-z0-9_]+ = |^ *\\.name = \"")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    foreach(adapters_line IN LISTS adapters_lines)
        if(adapters_line MATCHES "struct ([a-z_]+) ([a-z0-9_]+) =")
            set(adapters_family ${CMAKE_MATCH_1})
            string(APPEND adapters_declarations
                "extern const struct ${adapters_family} ${CMAKE_MATCH_2};\n")
            string(APPEND adapters_entries_${adapters_family} "    &${CMAKE_MATCH_2},\n")
        elseif(adapters_line MATCHES "\"([^\"]+)\"")
            list(APPEND adapters_names_${adapters_family} ${CMAKE_MATCH_1})
        endif()
    endforeach()
endmacro()

# missing_adapters(WHY NAMES...): these could have been here.  A name is that of a lock, or
# rw:NAME, cond:NAME, sem:NAME, event:NAME, barrier:NAME.
macro(missing_adapters why)
    foreach(adapters_name ${ARGN})
        set(adapters_family adapter)
        if(adapters_name MATCHES "^([a-z]+):(.*)$")
            set(adapters_family ${CMAKE_MATCH_1}_adapter)
            set(adapters_name ${CMAKE_MATCH_2})
        endif()
        string(APPEND adapters_gaps_${adapters_family} "    {\"${adapters_name}\", \"${why}\"},\n")
        list(APPEND adapters_missing_names "${adapters_name} (${why})")
    endforeach()
endmacro()

add_library(adapter_base STATIC adapter.c lock_file.c region.c)
target_link_libraries(adapter_base PUBLIC fw_measure furwock::furwock PRIVATE fw_house)

macro(finish_adapters)
    set(adapter_lists "")
    set(adapters_families_kept "")
    foreach(adapters_family IN LISTS adapters_families)
        # Those that are missing where this is built, and as many that are where it runs.
        string(REGEX MATCHALL "\n" adapters_room "${adapters_gaps_${adapters_family}}")
        list(LENGTH adapters_room adapters_room)
        list(LENGTH adapters_names_${adapters_family} adapters_text)
        math(EXPR adapters_room "${adapters_room} + ${adapters_text} + 1")
        string(APPEND adapter_lists
            "const struct ${adapters_family} *${adapters_family}_list[] = {\n"
            "${adapters_entries_${adapters_family}}    NULL,\n};\n\n"
            "struct missing_adapter ${adapters_family}_missing[${adapters_room}] = {\n"
            "${adapters_gaps_${adapters_family}}    {NULL, NULL},\n};\n\n")
        string(APPEND adapters_families_kept "    KEEP(${adapters_family})\n")
        list(JOIN adapters_names_${adapters_family} " " adapters_text)
        message(STATUS "Of ${adapters_family}: ${adapters_text}")
    endforeach()
    set(adapter_declarations ${adapters_declarations})
    configure_file(adapters.c.in ${CMAKE_CURRENT_BINARY_DIR}/adapters.c @ONLY)

    add_library(adapters STATIC ${CMAKE_CURRENT_BINARY_DIR}/adapters.c ${adapters_sources})
    target_include_directories(adapters PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(adapters PUBLIC adapter_base ${adapters_libs} PRIVATE fw_house)
    set_target_properties(adapters PROPERTIES CXX_STANDARD 20)

    # For those who name tests after adapters.
    set_property(GLOBAL PROPERTY adapter_names ${adapters_names_adapter})
    if(adapters_missing_names)
        list(REMOVE_DUPLICATES adapters_missing_names)
        list(JOIN adapters_missing_names ", " adapters_text)
        message(STATUS "Locks that are missing: ${adapters_text}")
    endif()
endmacro()
