# Tests against a PostgreSQL cluster of their own: one entry of CTest for a whole program, which
# makes one cluster.
#
#   postgres_test(NAME contract_postgres SOURCES ... [ROOMS ...] [LABELS ...] [TIMEOUT 60] [LIBS
#       ...])
if(NOT TARGET postgres_kit)
  add_subdirectory(${PROJECT_SOURCE_DIR}/tests/postgres/kit ${PROJECT_BINARY_DIR}/tests/postgres/kit)
endif()

function(postgres_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TIMEOUT" "SOURCES;ROOMS;LABELS;LIBS")
  atmost_test_program(NAME ${ARG_NAME} SOURCES ${ARG_SOURCES} ROOMS ${ARG_ROOMS} LIBS postgres_kit ${ARG_LIBS})
  foreach(program atmost atmost-fleet-postgres atmost-schema)
    if(TARGET ${program})
      add_dependencies(${ARG_NAME} ${program})
    endif()
  endforeach()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT "${ARG_TIMEOUT}"
                       ENVIRONMENT ATMOST_BIN=${ATMOST_BIN_DIR})
endfunction()
