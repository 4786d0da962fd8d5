# Small programs of tests and benchmarks that stand outside of what is tested: none of our rooms is
# linked to them. They start as fast as they can (static, musl where it is), so that starting them
# hides nothing that is measured.
#
#   outside_program(NAME witness SOURCES witness.cc)
#       build/tests/bin/witness; may be called twice
function(outside_program)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES")
  if(TARGET ${ARG_NAME})
    return()
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_compile_options(${ARG_NAME} PRIVATE ${ATMOST_FRONT_FLAGS})
  if(ATMOST_HAVE_MUSL)
    target_compile_options(${ARG_NAME} PRIVATE ${ATMOST_MUSL_FLAGS})
    target_link_options(${ARG_NAME} PRIVATE ${ATMOST_MUSL_LINK})
  endif()
  if(NOT ATMOST_SANITIZE AND NOT ATMOST_FUZZ)
    set_target_properties(${ARG_NAME} PROPERTIES LINKER_LANGUAGE C)
  endif()
endfunction()
