# Tests against an etcd cluster of their own: one entry of CTest for a whole program, which starts
# one cluster.
#
#   etcd_test(NAME contract_etcd SOURCES ... [ROOMS ...] [LABELS ...] [TIMEOUT 60] [ARGS ...])
if(NOT TARGET etcd_kit)
  add_subdirectory(${PROJECT_SOURCE_DIR}/tests/etcd/kit ${PROJECT_BINARY_DIR}/tests/etcd/kit)
endif()

function(etcd_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TIMEOUT" "SOURCES;ROOMS;LABELS;ARGS")
  if(NOT TARGET ${ARG_NAME})
    atmost_test_program(NAME ${ARG_NAME} SOURCES ${ARG_SOURCES} ROOMS ${ARG_ROOMS} LIBS etcd_kit)
    foreach(program atmost atmost-fleet atmost-pass)
      if(TARGET ${program})
        add_dependencies(${ARG_NAME} ${program})
      endif()
    endforeach()
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} ${ARG_ARGS})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT "${ARG_TIMEOUT}"
                       ENVIRONMENT ATMOST_BIN=${ATMOST_BIN_DIR})
endfunction()

# The same tests over TLS (tests/etcd/kit/tested_channel.h), each as NAME_tls:
# etcd_test_over_tls(NAME...)
function(etcd_test_over_tls)
  foreach(name ${ARGN})
    get_test_property(${name} ENVIRONMENT environment)
    get_test_property(${name} LABELS labels)
    get_test_property(${name} TIMEOUT timeout)
    add_test(NAME ${name}_tls COMMAND ${name})
    set_tests_properties(${name}_tls PROPERTIES LABELS "${labels};variant" TIMEOUT "${timeout}"
                         ENVIRONMENT "${environment};ATMOST_TESTS_CHANNEL=tls")
  endforeach()
endfunction()
