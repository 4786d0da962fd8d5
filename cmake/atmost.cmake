# Functions that make rooms, programs and tests (docs/internals/architecture.md explains the two
# tiers):
#
#   front_room(NAME os SOURCES a.cc b.cc [ROOMS ...])
#       libraries atmost_os and, where musl is, atmost_os_musl
#   front_program(NAME atmost SOURCES ... ROOMS ...)
#       build/bin/atmost, static against musl where it is
#   back_room(NAME store_etcd SOURCES ... [ROOMS ...] [LIBS ...])
#       library atmost_store_etcd, ordinary C++20
#   back_program(NAME pass SOURCES ... [ROOMS ...] [LIBS ...])
#       build/libexec/atmost/pass, ordinary C++20
#   atmost_test(NAME unit_os_file SOURCES ... ROOMS ... [LABELS unit] [TIMEOUT 60] [LIBS ...])
#   atmost_test_suite(NAME contract_suite SOURCES ...)
#       tests of several programs, compiled once
#   atmost_fuzz(NAME fuzz_duration SOURCES ... ROOMS ...)
#       a libFuzzer target, in an ATMOST_FUZZ build; in others it is compiled only

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
set(ATMOST_BIN_DIR ${PROJECT_BINARY_DIR}/bin)

# The front tier is linked by the C compiler; without this CMake would put -lstdc++ on that line,
# and a use of the C++ runtime would no longer fail to link.
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")
set(CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES "")

add_compile_options(-Wall -Wextra -Wshadow)
if(ATMOST_WERROR)
  add_compile_options(-Werror)
endif()
if(PORTABLE)
  add_compile_definitions(ATMOST_PORTABLE=1)
endif()
# The check of virtual calls (vptr) needs the type information that the front tier is built without.
if(ATMOST_SANITIZE)
  add_compile_options(-fsanitize=${ATMOST_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${ATMOST_SANITIZE})
endif()
if(ATMOST_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "ATMOST_FUZZ needs clang: its fuzzer comes with the compiler. Set CC=clang CXX=clang++.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all -g)
  add_link_options(-fsanitize=address,undefined)
endif()

set(ATMOST_FRONT_FLAGS
    -Os -Wconversion -Wsign-conversion -Wnon-virtual-dtor -fno-exceptions -fno-rtti -fno-threadsafe-statics
    -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections)

include(GoogleTest)
include(musl)

# One variant of a front-tier target. `musl` is true or false.
function(_atmost_front target musl)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${ATMOST_FRONT_FLAGS}>)
  if(musl)
    target_compile_options(${target} PRIVATE ${ATMOST_MUSL_FLAGS})
    # Linked into our own programs only: one thread, and the user it was started as.
    target_compile_definitions(${target} PRIVATE ATMOST_OWN_PROCESS=1)
  else()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # For the C library, which takes a lock again and again. The part of itself that a program reads
    # when it starts costs more than what it computes.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O2>)
  endif()
  target_link_libraries(${target} PUBLIC atmost_include)
endfunction()

function(front_room)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;ROOMS")
  set(variants "")
  if(ATMOST_HAVE_MUSL)
    set(variants _musl)
  endif()
  foreach(variant "" ${variants})
    set(target atmost_${ARG_NAME}${variant})
    set(musl OFF)
    if(variant)
      set(musl ON)
    endif()
    add_library(${target} STATIC ${ARG_SOURCES})
    _atmost_front(${target} ${musl})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    # Every room has errors, and memory for what they say is the os room's.
    foreach(room ${ARG_ROOMS} os)
      if(NOT room STREQUAL ARG_NAME)
        target_link_libraries(${target} PUBLIC atmost_${room}${variant})
      endif()
    endforeach()
    if(musl AND ARG_NAME STREQUAL "os")
      # The only room that may call the kernel is the only one that sees its headers, which musl
      # lacks.
      target_compile_options(${target} PRIVATE "SHELL:-isystem ${ATMOST_MUSL_UAPI}")
    endif()
    set_property(GLOBAL APPEND PROPERTY ATMOST_FRONT_TARGETS ${target})
  endforeach()
endfunction()

function(front_program)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;ROOMS")
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  _atmost_front(${ARG_NAME} ${ATMOST_HAVE_MUSL})
  set(variant "")
  if(ATMOST_HAVE_MUSL)
    set(variant _musl)
    target_link_options(${ARG_NAME} PRIVATE ${ATMOST_MUSL_LINK})
    set_property(TARGET ${ARG_NAME} PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/layout.ld)
  endif()
  foreach(room ${ARG_ROOMS})
    target_link_libraries(${ARG_NAME} PRIVATE atmost_${room}${variant})
  endforeach()
  target_link_options(${ARG_NAME} PRIVATE -Wl,--gc-sections $<$<NOT:$<CONFIG:Debug>>:-Wl,--strip-debug>)
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${ATMOST_BIN_DIR})
  if(NOT ATMOST_SANITIZE AND NOT ATMOST_FUZZ)
    # The sanitizers' own runtime is C++; everywhere else the C linker line proves that ours is not
    # needed.
    set_target_properties(${ARG_NAME} PROPERTIES LINKER_LANGUAGE C)
  endif()
  set_property(GLOBAL APPEND PROPERTY ATMOST_FRONT_TARGETS ${ARG_NAME})
  install(TARGETS ${ARG_NAME} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT front)
endfunction()

# A library of the back tier. It implements interfaces of the front tier, which has no RTTI to link
# to.
function(back_room)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;ROOMS;LIBS")
  add_library(atmost_${ARG_NAME} STATIC ${ARG_SOURCES})
  target_compile_options(atmost_${ARG_NAME} PRIVATE -fno-rtti)
  target_include_directories(atmost_${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(atmost_${ARG_NAME} PUBLIC atmost_include ${ARG_LIBS})
  foreach(room ${ARG_ROOMS} os)
    target_link_libraries(atmost_${ARG_NAME} PUBLIC atmost_${room})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ATMOST_BACK_TARGETS atmost_${ARG_NAME})
endfunction()

function(back_program)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;ROOMS;LIBS")
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${ARG_NAME} PRIVATE atmost_include ${ARG_LIBS})
  foreach(room ${ARG_ROOMS})
    target_link_libraries(${ARG_NAME} PRIVATE atmost_${room})
  endforeach()
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/atmost)
  install(TARGETS ${ARG_NAME} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/atmost)
endfunction()

# A GoogleTest program; its caller adds it to CTest.
function(atmost_test_program)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;ROOMS;LIBS")
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  _atmost_test_code(${ARG_NAME})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LIBS})
  foreach(room ${ARG_ROOMS})
    target_link_libraries(${ARG_NAME} PRIVATE atmost_${room})
  endforeach()
  target_link_libraries(${ARG_NAME} PRIVATE GTest::gtest_main)
endfunction()

# Tests that several programs have in common, compiled once: $<TARGET_OBJECTS:NAME> is a source of
# each.
function(atmost_test_suite)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES")
  add_library(${ARG_NAME} OBJECT ${ARG_SOURCES})
  _atmost_test_code(${ARG_NAME})
endfunction()

# The tested code is optimised, the tests are not, and GoogleTest's header is read once: tests are
# most of the build.
function(_atmost_test_code target)
  if(NOT TARGET atmost_test_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/tests/headers.cc "")
    add_library(atmost_test_headers OBJECT ${PROJECT_BINARY_DIR}/tests/headers.cc)
    target_compile_options(atmost_test_headers PRIVATE -O0)
    target_link_libraries(atmost_test_headers PRIVATE GTest::gmock GTest::gtest)
    target_precompile_headers(atmost_test_headers PRIVATE <gtest/gtest.h>)
  endif()
  target_compile_options(${target} PRIVATE -O0)
  target_precompile_headers(${target} REUSE_FROM atmost_test_headers)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE atmost_include GTest::gmock GTest::gtest)
endfunction()

# The same, each of its tests an entry of CTest. It finds the programs in $ATMOST_BIN, as cli tests
# do.
function(atmost_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TIMEOUT" "SOURCES;ROOMS;LABELS;LIBS")
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  atmost_test_program(NAME ${ARG_NAME} SOURCES ${ARG_SOURCES} ROOMS ${ARG_ROOMS} LIBS ${ARG_LIBS})
  gtest_discover_tests(${ARG_NAME} TEST_PREFIX ${ARG_NAME}. DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT ATMOST_BIN=${ATMOST_BIN_DIR})
  # Labels are a list, which gtest_discover_tests cannot pass on; CTest reads this file after the
  # tests are known.
  set(labels_file ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}_labels.cmake)
  file(WRITE ${labels_file}
       "foreach(test \${${ARG_NAME}_TESTS})\n"
       "  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${ARG_LABELS}\")\n"
       "endforeach()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels_file})
endfunction()

# served_store(etcd fleet): the room store_etcd is served by the program atmost-fleet, as its row in
# src/core/schemes.h says (libexec/fleet).
function(served_store store program)
  set_property(GLOBAL APPEND PROPERTY ATMOST_SERVED_STORES ${store}=${program})
endfunction()

function(atmost_fuzz)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;ROOMS")
  if(ATMOST_FUZZ)
    add_executable(${ARG_NAME} ${ARG_SOURCES})
  else()
    add_library(${ARG_NAME} OBJECT ${ARG_SOURCES})
    target_compile_options(${ARG_NAME} PRIVATE -O0)
  endif()
  target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${ARG_NAME} PRIVATE atmost_include)
  foreach(room ${ARG_ROOMS})
    target_link_libraries(${ARG_NAME} PRIVATE atmost_${room})
  endforeach()
  if(NOT ATMOST_FUZZ)
    return()
  endif()
  target_link_options(${ARG_NAME} PRIVATE -fsanitize=fuzzer)
  # New inputs that it finds are kept in the build folder, for the next run; the seeds are only
  # read.
  string(REGEX REPLACE "^fuzz_" "" name ${ARG_NAME})
  set(folders ${CMAKE_CURRENT_BINARY_DIR}/corpus/${name})
  file(MAKE_DIRECTORY ${folders})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/seeds/${name})
    list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/seeds/${name})
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} -max_total_time=${ATMOST_FUZZ_SECONDS} -timeout=10 ${folders})
  math(EXPR timeout "${ATMOST_FUZZ_SECONDS} + 100")
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS fuzz TIMEOUT ${timeout})
endfunction()
