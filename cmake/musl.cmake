# Finds out how to compile C++ against musl with a GCC that was made for the system's libc, and
# whether it works here. Sets ATMOST_HAVE_MUSL, ATMOST_MUSL_FLAGS (compiling), ATMOST_MUSL_LINK
# (linking) and ATMOST_MUSL_UAPI (a folder with the kernel's own headers, which musl does not ship).
# Nothing here names a version or an architecture: all paths are asked of the two compilers.

set(ATMOST_HAVE_MUSL OFF)

# The include folders a compiler searches for a language, in its own order.
function(_atmost_search_path result language)
  execute_process(COMMAND ${ARGN} -E -v -x ${language} /dev/null OUTPUT_QUIET ERROR_VARIABLE said
                  RESULT_VARIABLE failed)
  set(folders "")
  if(NOT failed AND said MATCHES "search starts here:\n(.*)\nEnd of search list")
    string(REGEX MATCHALL "[^\n]+" lines "${CMAKE_MATCH_1}")
    foreach(line ${lines})
      string(STRIP "${line}" line)
      if(IS_ABSOLUTE "${line}")
        list(APPEND folders ${line})
      endif()
    endforeach()
  endif()
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

function(_atmost_find_musl why_not)
  set(${why_not} "" PARENT_SCOPE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(${why_not} "the compiler is ${CMAKE_CXX_COMPILER_ID}, not GCC" PARENT_SCOPE)
    return()
  endif()
  find_program(MUSL_GCC musl-gcc)
  if(NOT MUSL_GCC)
    set(${why_not} "musl-gcc was not found (Debian: musl-tools)" PARENT_SCOPE)
    return()
  endif()
  file(READ ${MUSL_GCC} script LIMIT 4096)
  if(NOT script MATCHES "-specs[ =]\"?([^\"\n ]+)")
    set(${why_not} "${MUSL_GCC} names no specs file" PARENT_SCOPE)
    return()
  endif()
  set(specs ${CMAKE_MATCH_1})

  _atmost_search_path(cxx_folders c++ ${CMAKE_CXX_COMPILER})
  list(FILTER cxx_folders INCLUDE REGEX "/c\\+\\+/")
  _atmost_search_path(musl_folders c ${MUSL_GCC})
  set(flags -nostdinc)
  foreach(folder ${cxx_folders} ${musl_folders})
    get_filename_component(folder ${folder} REALPATH)
    list(APPEND flags "SHELL:-isystem ${folder}")
  endforeach()
  # libstdc++'s configuration was made for glibc and asks for its version.
  list(APPEND flags "-D__GLIBC_PREREQ(a,b)=0" -fno-pie)
  # Two mappings less (constants lie beside the code) are a tenth of what a start costs (measured).
  set(link -static -no-pie -specs=${specs} -Wl,-z,noseparate-code)

  set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/musl_probe)
  file(WRITE ${probe}.cc [[
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>
#include <unistd.h>
int main(int argc, char** argv) {
  std::array<int, 3> numbers{3, argc, 1};
  std::sort(numbers.begin(), numbers.end());
  const std::string_view name{argv[0]};
  const std::optional<std::span<int>> all{numbers};
  return static_cast<int>(name.size() + all->size()) == getpid();
}
]])
  string(REPLACE "SHELL:" "" plain "${flags}")
  string(REPLACE "-isystem " "-isystem;" plain "${plain}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -O2 -fno-exceptions -fno-rtti ${plain} -c ${probe}.cc
                          -o ${probe}.o ERROR_VARIABLE said RESULT_VARIABLE failed)
  if(NOT failed)
    execute_process(COMMAND ${CMAKE_C_COMPILER} ${link} ${probe}.o -o ${probe} ERROR_VARIABLE said
                    RESULT_VARIABLE failed)
  endif()
  if(failed)
    set(${why_not} "a small program does not build against it:\n${said}" PARENT_SCOPE)
    return()
  endif()

  # Links to the kernel's headers alone: the folders they stand in hold the other libc's as well.
  find_path(ATMOST_LINUX_HEADERS linux/futex.h)
  find_path(ATMOST_ASM_HEADERS asm/unistd.h)
  find_path(ATMOST_ASM_GENERIC_HEADERS asm-generic/errno.h)
  set(uapi ${PROJECT_BINARY_DIR}/uapi)
  file(MAKE_DIRECTORY ${uapi})
  foreach(pair "${ATMOST_LINUX_HEADERS}/linux" "${ATMOST_ASM_HEADERS}/asm"
               "${ATMOST_ASM_GENERIC_HEADERS}/asm-generic")
    get_filename_component(name ${pair} NAME)
    if(IS_DIRECTORY ${pair})
      file(CREATE_LINK ${pair} ${uapi}/${name} SYMBOLIC)
    endif()
  endforeach()

  # Seldom used functions and variables apart from the rest, and no read-only page for what a static
  # program never relocates: fewer pages to read. A linker that cannot do it leaves them where they
  # are.
  set(placed -Wl,-z,norelro -Wl,-T,${PROJECT_SOURCE_DIR}/cmake/layout.ld)
  execute_process(COMMAND ${CMAKE_C_COMPILER} ${link} ${placed} ${probe}.o -o ${probe} OUTPUT_QUIET
                          ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    list(APPEND link ${placed})
  endif()

  set(ATMOST_MUSL_FLAGS "${flags}" PARENT_SCOPE)
  set(ATMOST_MUSL_LINK "${link}" PARENT_SCOPE)
  set(ATMOST_MUSL_UAPI ${uapi} PARENT_SCOPE)
endfunction()

if(ATMOST_SANITIZE OR ATMOST_FUZZ)
  message(STATUS "Programs: system libc (sanitizers need it)")
elseif(ATMOST_MUSL STREQUAL "OFF")
  message(STATUS "Programs: system libc (ATMOST_MUSL=OFF)")
elseif(ATMOST_MUSL STREQUAL "OWN")
  set(ATMOST_HAVE_MUSL ON)
  set(ATMOST_MUSL_FLAGS -fno-pie)
  set(ATMOST_MUSL_LINK -static -no-pie)
  set(ATMOST_MUSL_UAPI ${PROJECT_BINARY_DIR}/uapi)
  file(MAKE_DIRECTORY ${ATMOST_MUSL_UAPI})
  message(STATUS "Programs: static, the compiler's own musl")
else()
  _atmost_find_musl(why_not)
  if(NOT why_not)
    set(ATMOST_HAVE_MUSL ON)
    message(STATUS "Programs: static, musl")
  elseif(ATMOST_MUSL STREQUAL "ON")
    message(FATAL_ERROR "ATMOST_MUSL=ON, but ${why_not}")
  else()
    message(STATUS "Programs: system libc (${why_not})")
  endif()
endif()
