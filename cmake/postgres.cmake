# Tests against a PostgreSQL cluster of their own: one entry of CTest for a whole program, which makes one cluster.
#
#   postgres_test(NAME contract_postgres SOURCES ... [ROOMS ...] [LABELS ...] [TIMEOUT 60] [LIBS ...])
if(NOT TARGET postgres_kit)
  add_subdirectory(${PROJECT_SOURCE_DIR}/tests/postgres/kit ${PROJECT_BINARY_DIR}/tests/postgres/kit)
endif()

function(postgres_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TIMEOUT" "SOURCES;ROOMS;LABELS;LIBS")
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  if(NOT ATMOST_SANITIZE)
    target_compile_options(${ARG_NAME} PRIVATE -O0)
  endif()
  target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${ARG_NAME} PRIVATE postgres_kit atmost_include ${ARG_LIBS})
  foreach(room ${ARG_ROOMS})
    target_link_libraries(${ARG_NAME} PRIVATE atmost_${room})
  endforeach()
  target_link_libraries(${ARG_NAME} PRIVATE GTest::gmock GTest::gtest GTest::gtest_main)
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT "${ARG_TIMEOUT}"
                       ENVIRONMENT ATMOST_BIN=${ATMOST_BIN_DIR})
endfunction()
