# SPDX-License-Identifier: MIT
#
# What every directory's CMakeLists.txt builds on: house flags, sanitizers, the choice of the
# release variant, third-party packages, what is installed (install.cmake), and the functions
# fw_program, fw_test and fw_test_command.

include(CheckCSourceCompiles)
include(CheckCXXSourceCompiles)
include(CheckLanguage)
include(CMakeParseArguments)
include(GNUInstallDirs)
include(${CMAKE_CURRENT_LIST_DIR}/install.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/variants.cmake)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# Assertions stay: what is tested is what is shipped.
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELWITHDEBINFO "${CMAKE_C_FLAGS_RELWITHDEBINFO}")

# The formats of the words take 64-bit little-endian machines for granted, and the memory orders
# have been held against these two architectures.
option(FURWOCK_UNTRIED_MACHINE "Build for a processor on which furwock has never run" OFF)
if(NOT FURWOCK_UNTRIED_MACHINE AND
   NOT (CMAKE_SIZEOF_VOID_P EQUAL 8 AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND
        CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|aarch64|arm64)$"))
    math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
    message(FATAL_ERROR "furwock has run on 64-bit Linux on x86-64 and AArch64 only; this is "
        "${bits}-bit ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}.  "
        "-DFURWOCK_UNTRIED_MACHINE=ON builds it all the same")
endif()

set(FURWOCK_SANITIZE "" CACHE STRING "thread, address (with undefined), or empty")
set(FURWOCK_RELEASE "auto" CACHE STRING "how a lock is released: auto, x86_64 (rseq) or generic")
option(FURWOCK_WERROR "Treat warnings as errors" OFF)

# For builds that run some of the tests only.  Directories stay out altogether; of tests with other
# labels the programs are built only where they are asked for by name.
set(FURWOCK_WITHOUT "" CACHE STRING "Directories that are left out, as bench;test/model")
set(FURWOCK_TESTS "" CACHE STRING "Labels of the tests that are built, as unit|stress; empty: all")
# What one build shows for all: that the contract tests catch locks that are wrong, what compilers
# say of the headers, the C++ tests by another standard, and the locks of other libraries.
option(FURWOCK_ONCE "Build what need not be tested in each build, too" ON)

# Most tests look at what is done and not at how fast, and so does a build that is for some of them
# at the program: a row DIRECTORY=OPTIONS for each that is optimised otherwise than the build.  Not
# the libraries, locks under load, and programs whose very instructions and calls are looked at.
option(FURWOCK_PLAIN_TESTS "Compile tests with less optimisation, which takes less time" OFF)
set(fw_levels)
if(FURWOCK_PLAIN_TESTS)
    set(fw_levels test=-O1 test/stress= test/posix= test/atomic= test/command= test/kmod=)
    foreach(directory core sys thread await example api bench)
        list(APPEND fw_levels test/${directory}=-O0)
    endforeach()
    if(NOT FURWOCK_ONCE)
        list(APPEND fw_levels command=-O0)
        foreach(directory cpp ipc contract assist)
            list(APPEND fw_levels test/${directory}=-O0)
        endforeach()
        if(NOT FURWOCK_SANITIZE) # only to compile
            list(APPEND fw_levels bench=-O0)
        endif()
    endif()
endif()

# C++ serves rivals and header checks; the library does without.
if(NOT FURWOCK_NO_CXX AND NOT FURWOCK_LIBRARY_ONLY)
    check_language(CXX)
    if(CMAKE_CXX_COMPILER)
        enable_language(CXX)
        # For furwock/coro.hpp, asio.hpp and boost_asio.hpp.  (Of Asio the headers with the version:
        # to compile all of it takes as long as the other probes together.)
        set(CMAKE_REQUIRED_FLAGS -std=c++20)
        check_cxx_source_compiles("
            #include <coroutine>
            #include <stop_token>
            int main() { std::coroutine_handle<> h; return h ? 1 : 0; }" FURWOCK_HAVE_COROUTINES)
        check_cxx_source_compiles("
            #include <asio/version.hpp>
            #if !__has_include(<asio.hpp>)
            #error not here
            #endif
            int main() { return 0; }" FURWOCK_HAVE_ASIO)
        check_cxx_source_compiles("
            #include <boost/asio/version.hpp>
            #if !__has_include(<boost/asio.hpp>)
            #error not here
            #endif
            int main() { return 0; }" FURWOCK_HAVE_BOOST_ASIO)
        unset(CMAKE_REQUIRED_FLAGS)
    endif()
endif()

find_package(Threads REQUIRED)

# Python, for tests and benchmarks: PATH's, or if it lacks modules that these need, the system's.
set(fw_python_path)
if(NOT FURWOCK_LIBRARY_ONLY)
    find_program(FURWOCK_PYTHON python3 NO_CACHE) # PATH may be another one next time
    execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/python-path ${PROJECT_BINARY_DIR}/python
        OUTPUT_VARIABLE fw_python_path)
    if(fw_python_path)
        set(fw_python_path PATH=path_list_prepend:${PROJECT_BINARY_DIR}/python)
        set(FURWOCK_PYTHON /usr/bin/python3)
    endif()
endif()

# --- House flags: an interface target that everything of ours links -----------------------------
add_library(fw_house INTERFACE)
target_compile_definitions(fw_house INTERFACE _GNU_SOURCE)
target_compile_options(fw_house INTERFACE
    -Wall -Wextra -Wpedantic
    $<$<COMPILE_LANGUAGE:C>:-Wshadow -Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${FURWOCK_WERROR}>:-Werror>)

if(FURWOCK_SANITIZE STREQUAL "thread")
    set(fw_sanitizer_flags -fsanitize=thread)
    # The library is instrumented here: what its headers would say is seen.
    target_compile_definitions(fw_house INTERFACE FURWOCK_NO_ANNOTATIONS)
    if(CMAKE_C_COMPILER_ID STREQUAL GNU) # warns of fences, which only atomic accesses rely on here
        target_compile_options(fw_house INTERFACE -Wno-tsan)
    endif()
elseif(FURWOCK_SANITIZE STREQUAL "address")
    # Null pointers end in AddressSanitizer's hands anyway; the check for them takes the address of
    # a thread's variable for one (gcc 12).
    set(fw_sanitizer_flags -fsanitize=address,undefined -fno-sanitize=null
        -fno-sanitize-recover=undefined)
elseif(NOT FURWOCK_SANITIZE STREQUAL "")
    message(FATAL_ERROR "FURWOCK_SANITIZE is thread, address or empty, not ${FURWOCK_SANITIZE}")
endif()
if(fw_sanitizer_flags)
    target_compile_options(fw_house INTERFACE ${fw_sanitizer_flags} -fno-omit-frame-pointer)
    target_link_options(fw_house INTERFACE ${fw_sanitizer_flags})
endif()

# --- The release variant: how locks are released (variants.cmake) -------------------------------
# glibc 2.35 and later register a restartable sequence for each thread; a thread sanitizer cannot
# follow one, so it is given the generic release.
check_c_source_compiles("
    #include <sys/rseq.h>
    #if !defined __x86_64__ || defined __ILP32__ || !defined __GLIBC__
    #error not here
    #endif
    int main(void) { return (int)__rseq_size; }" FURWOCK_HAVE_RSEQ)
if(NOT FURWOCK_RELEASE STREQUAL "auto")
    set(fw_release ${FURWOCK_RELEASE})
elseif(FURWOCK_HAVE_RSEQ AND NOT FURWOCK_SANITIZE STREQUAL "thread")
    set(fw_release x86_64)
else()
    set(fw_release generic)
endif()
if(NOT fw_release MATCHES "^(x86_64|generic)$")
    message(FATAL_ERROR "FURWOCK_RELEASE is auto, x86_64 or generic, not ${FURWOCK_RELEASE}")
endif()

# --- System calls: by one of our own where there is one for the machine (variants.cmake) --------
set(fw_call libc)
foreach(machine x86_64 aarch64)
    check_c_source_compiles("
        #if !defined __${machine}__ || defined __ILP32__
        #error another machine
        #endif
        int main(void) { return 0; }" FURWOCK_IS_${machine})
    if(FURWOCK_IS_${machine})
        set(fw_call ${machine})
    endif()
endforeach()

# The library's private headers, for itself and for tests that compile or look into src/.
fw_variant(fw_machine_includes release=${fw_release} call=${fw_call})
fw_variant(fw_furwock_includes rwlock=furwock)
add_library(furwock_private INTERFACE)
target_include_directories(furwock_private INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
    ${fw_furwock_includes} ${fw_machine_includes})

# --- Third-party packages: interface targets fw_cmocka, fw_jansson, fw_libdw, where found -
# (Only the program and the tests want any.)
if(FURWOCK_PROGRAM OR NOT FURWOCK_LIBRARY_ONLY)
    find_package(PkgConfig)
endif()
if(PKG_CONFIG_FOUND)
    foreach(package cmocka jansson libdw)
        pkg_check_modules(${package} QUIET IMPORTED_TARGET ${package})
        if(TARGET PkgConfig::${package})
            add_library(fw_${package} INTERFACE)
            target_link_libraries(fw_${package} INTERFACE PkgConfig::${package})
        endif()
    endforeach()
endif()

# --- Functions ----------------------------------------------------------------------------------

# fw_directories(above DIRECTORY...): goes into each that is there and is not left out.  What is not
# to be installed is built for who needs it only.  Each is compiled as fw_levels says.
set(fw_on_demand)
if(NOT FURWOCK_INSTALL)
    set(fw_on_demand EXCLUDE_FROM_ALL)
endif()
macro(fw_directories above)
    foreach(directory ${ARGN})
        if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${directory}/CMakeLists.txt AND
           NOT "${above}${directory}" IN_LIST FURWOCK_WITHOUT)
            get_directory_property(fw_level COMPILE_OPTIONS)
            foreach(row IN LISTS fw_levels)
                if(row MATCHES "^${above}${directory}=(.*)$")
                    set_directory_properties(PROPERTIES COMPILE_OPTIONS "${CMAKE_MATCH_1}")
                endif()
            endforeach()
            add_subdirectory(${directory} ${fw_on_demand})
            set_directory_properties(PROPERTIES COMPILE_OPTIONS "${fw_level}")
        endif()
    endforeach()
endmacro()

# fw_build_on_demand(DIRECTORY): libraries of this directory, and below, are built only for programs
# that link them: those of tests that cannot be built here are not.
function(fw_build_on_demand directory)
    get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
            set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
        endif()
    endforeach()
    get_property(below DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
    foreach(each IN LISTS below)
        fw_build_on_demand(${each})
    endforeach()
endfunction()

# One line for each package that tests want and that is not here.
function(fw_say_what_is_left_out)
    foreach(package cmocka jansson)
        get_property(names GLOBAL PROPERTY fw_tests_without_${package})
        if(names)
            list(LENGTH names count)
            message(STATUS "${count} tests are left out: ${package} is missing (tools/setup test)")
        endif()
    endforeach()
endfunction()

# fw_executable_(target SOURCES... LIBS... INCLUDES...): what fw_program and fw_test share.
function(fw_executable_ target)
    cmake_parse_arguments(A "" "" "SOURCES;LIBS;INCLUDES" ${ARGN})
    add_executable(${target} ${A_SOURCES})
    target_include_directories(${target} PRIVATE
        ${A_INCLUDES} ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE fw_house ${A_LIBS} Threads::Threads)
endfunction()

# fw_program(NAME <name> SOURCES ... [LIBS ...] [INCLUDES ...])
# An executable of that name, which is no test.
function(fw_program)
    cmake_parse_arguments(P "" "NAME" "SOURCES;LIBS;INCLUDES" ${ARGN})
    fw_executable_(${P_NAME} SOURCES ${P_SOURCES} LIBS ${P_LIBS} INCLUDES ${P_INCLUDES})
endfunction()

# fw_test_register_(name label timeout command...)
function(fw_test_register_ name label timeout)
    add_test(NAME ${name} COMMAND ${ARGN})
    if(NOT timeout)
        set(timeout 1000) # a hang, also on a machine that is busy with other things
    endif()
    set_tests_properties(${name} PROPERTIES
        LABELS "${label}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77
        ENVIRONMENT_MODIFICATION "${fw_python_path}")
endfunction()

# fw_test_executable_(name label SOURCES... LIBS... INCLUDES...): test_<name>, which FURWOCK_TESTS
# may leave out of what is built.
function(fw_test_executable_ name label)
    fw_executable_(test_${name} ${ARGN})
    set(wanted ${label})
    list(FILTER wanted INCLUDE REGEX "^(${FURWOCK_TESTS})$")
    if(FURWOCK_TESTS AND NOT wanted)
        set_target_properties(test_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# fw_test(NAME <name> LABEL <label> SOURCES ... [LIBS ...] [ARGS ...] [TIMEOUT s] [INCLUDES ...])
# An executable test_<name>, run by ctest as <name>.  Exit status 77 means skipped.
# Without the package that it wants (fw_cmocka, fw_jansson) there is no such test.
function(fw_test)
    cmake_parse_arguments(T "" "NAME;TIMEOUT" "LABEL;SOURCES;LIBS;ARGS;INCLUDES" ${ARGN})
    foreach(package cmocka jansson)
        if(fw_${package} IN_LIST T_LIBS AND NOT TARGET fw_${package})
            set_property(GLOBAL APPEND PROPERTY fw_tests_without_${package} ${T_NAME})
            return()
        endif()
    endforeach()
    fw_test_executable_(${T_NAME} "${T_LABEL}"
        SOURCES ${T_SOURCES} LIBS ${T_LIBS} INCLUDES ${T_INCLUDES})
    fw_test_register_(${T_NAME} "${T_LABEL}" "${T_TIMEOUT}" test_${T_NAME} ${T_ARGS})
endfunction()

# fw_test_group(NAME <name> LABEL <label> [PREFIX <prefix>] TESTS <path>/<test>_test.c ...
#               [SOURCES ...] [LIBS ...] [INCLUDES ...])
# One executable test_<name> of many tests: `test_<name> <test>` is run by ctest as <prefix><test>.
# Each has a main function of its own, and includes test/support/testing.h.
function(fw_test_group)
    cmake_parse_arguments(T "" "NAME;PREFIX" "LABEL;TESTS;SOURCES;LIBS;INCLUDES" ${ARGN})
    set(lines)
    set(names)
    foreach(source IN LISTS T_TESTS)
        get_filename_component(name ${source} NAME)
        string(REGEX REPLACE "_test[.]c$" "" name ${name})
        string(APPEND lines "TEST(${name})\n")
        list(APPEND names ${name})
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
            main=test_${name}_main)
    endforeach()
    if(fw_cmocka IN_LIST T_LIBS AND NOT TARGET fw_cmocka)
        list(TRANSFORM names PREPEND "${T_PREFIX}")
        set_property(GLOBAL APPEND PROPERTY fw_tests_without_cmocka ${names})
        return()
    endif()
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${T_NAME}_group.h)
    file(CONFIGURE OUTPUT ${list} CONTENT "${lines}")
    set(driver ${CMAKE_CURRENT_BINARY_DIR}/${T_NAME}_group.c)
    file(CONFIGURE OUTPUT ${driver} CONTENT
        "#define TEST_GROUP_LIST \"${list}\"\n#include \"test/support/group.c\"\n")
    fw_test_executable_(${T_NAME} "${T_LABEL}"
        SOURCES ${T_TESTS} ${T_SOURCES} ${driver} LIBS ${T_LIBS} INCLUDES ${T_INCLUDES})
    foreach(name IN LISTS names)
        fw_test_register_(${T_PREFIX}${name} "${T_LABEL}" "" test_${T_NAME} ${name})
    endforeach()
endfunction()

# fw_test_command(NAME <name> LABEL <label> COMMAND ... [TIMEOUT s])
# The same for a test that is a command: a script, or one more run of a program.  Where programs run
# under an emulator, scripts are left out: they would not know.
function(fw_test_command)
    cmake_parse_arguments(T "" "NAME;TIMEOUT" "LABEL;COMMAND" ${ARGN})
    list(GET T_COMMAND 0 program)
    if(CMAKE_CROSSCOMPILING AND NOT TARGET ${program})
        return()
    endif()
    fw_test_register_(${T_NAME} "${T_LABEL}" "${T_TIMEOUT}" ${T_COMMAND})
endfunction()
