# SPDX-License-Identifier: MIT
#
# Which adapters this build has: harness_adapters() for a source that is there, harness_missing()
# for a rival that is not.  harness_finish_adapters() writes the lists, one for each family, and
# makes the library `adapters`.  What adapters of any kind need, also a test's own, is the library
# `adapter_base`.

include(CheckIncludeFile)
include(CheckSymbolExists)

# The families, by their struct: adapter, rw_adapter, and so on.
set(harness_families adapter rw_adapter cond_adapter sem_adapter event_adapter barrier_adapter)

set(harness_sources "")
set(harness_libs "")
set(harness_declarations "")
set(harness_missing_names "")
foreach(harness_family IN LISTS harness_families)
    set(harness_entries_${harness_family} "")
    set(harness_gaps_${harness_family} "")
    set(harness_names_${harness_family} "")
endforeach()

# harness_adapters(SOURCE [LIBS...]): builds the source, with all the adapters that it defines.
macro(harness_adapters source)
    list(APPEND harness_sources ${source})
    list(APPEND harness_libs ${ARGN})
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${source} harness_lines
        REGEX "^const struct [a-z]*_?adapter [a-z0-9_]+ = |^ *\\.name = \"")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    foreach(harness_line IN LISTS harness_lines)
        if(harness_line MATCHES "struct ([a-z_]+) ([a-z0-9_]+) =")
            set(harness_family ${CMAKE_MATCH_1})
            string(APPEND harness_declarations
                "extern const struct ${harness_family} ${CMAKE_MATCH_2};\n")
            string(APPEND harness_entries_${harness_family} "    &${CMAKE_MATCH_2},\n")
        elseif(harness_line MATCHES "\"([^\"]+)\"")
            list(APPEND harness_names_${harness_family} ${CMAKE_MATCH_1})
        endif()
    endforeach()
endmacro()

# harness_missing(WHY NAMES...): these could have been here.  A name is that of a lock, or
# rw:NAME, cond:NAME, sem:NAME, event:NAME, barrier:NAME.
macro(harness_missing why)
    foreach(harness_name ${ARGN})
        set(harness_family adapter)
        if(harness_name MATCHES "^([a-z]+):(.*)$")
            set(harness_family ${CMAKE_MATCH_1}_adapter)
            set(harness_name ${CMAKE_MATCH_2})
        endif()
        string(APPEND harness_gaps_${harness_family} "    {\"${harness_name}\", \"${why}\"},\n")
        list(APPEND harness_missing_names "${harness_name} (${why})")
    endforeach()
endmacro()

add_library(adapter_base STATIC adapter.c lock_file.c region.c)
target_link_libraries(adapter_base PUBLIC harness furwock::furwock PRIVATE fw_house)

macro(harness_finish_adapters)
    set(adapter_lists "")
    foreach(harness_family IN LISTS harness_families)
        string(APPEND adapter_lists
            "const struct ${harness_family} *const ${harness_family}_list[] = {\n"
            "${harness_entries_${harness_family}}    NULL,\n};\n\n"
            "const struct missing_adapter ${harness_family}_missing[] = {\n"
            "${harness_gaps_${harness_family}}    {NULL, NULL},\n};\n\n")
        list(JOIN harness_names_${harness_family} " " harness_text)
        message(STATUS "Of ${harness_family}: ${harness_text}")
    endforeach()
    set(adapter_declarations ${harness_declarations})
    configure_file(adapters.c.in ${CMAKE_CURRENT_BINARY_DIR}/adapters.c @ONLY)

    add_library(adapters STATIC ${CMAKE_CURRENT_BINARY_DIR}/adapters.c ${harness_sources})
    target_include_directories(adapters PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}
        PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(adapters PUBLIC adapter_base ${harness_libs} PRIVATE fw_house)
    set_target_properties(adapters PROPERTIES CXX_STANDARD 20)

    # For those who name tests after adapters.
    set_property(GLOBAL PROPERTY harness_adapter_names ${harness_names_adapter})
    if(harness_missing_names)
        list(REMOVE_DUPLICATES harness_missing_names)
        list(JOIN harness_missing_names ", " harness_text)
        message(STATUS "Locks that are missing: ${harness_text}")
    endif()
endmacro()
