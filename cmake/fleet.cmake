# Shared by the tests of all fleet stores: processes that a test starts, and certificates.
if(NOT TARGET fleet_kit)
  add_library(fleet_kit STATIC ${PROJECT_SOURCE_DIR}/tests/fleet/authority.cc
              ${PROJECT_SOURCE_DIR}/tests/fleet/job.cc)
  target_include_directories(fleet_kit PUBLIC ${PROJECT_SOURCE_DIR}/tests)
endif()

# The scripts of tests/fleet/cli with one store: a single entry of CTest, as they share a cluster.
#
#   fleet_scripts(STORE etcd [TIMEOUT 60])
function(fleet_scripts)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "STORE;TIMEOUT" "")
  set(folder ${PROJECT_SOURCE_DIR}/tests/fleet/cli)
  file(GLOB scripts CONFIGURE_DEPENDS ${folder}/*.sh)
  list(FILTER scripts EXCLUDE REGEX "/lib\\.sh$")
  set(soaks ${scripts})
  list(FILTER soaks INCLUDE REGEX "/soak_[a-z_]*\\.sh$")
  list(REMOVE_ITEM scripts ${soaks})
  set(name with_${ARG_STORE})
  string(TOUPPER ${name} upper)
  add_executable(${name} ${folder}/with_cluster.cc)
  target_compile_definitions(${name} PRIVATE ${upper})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_STORE}_kit GTest::gtest)
  add_test(NAME fleet_cli_${ARG_STORE} COMMAND ${name} ${scripts})
  set_tests_properties(fleet_cli_${ARG_STORE} PROPERTIES LABELS "fleet;cli" TIMEOUT "${ARG_TIMEOUT}"
                       ENVIRONMENT ATMOST_BIN=${ATMOST_BIN_DIR})
  # They keep bounds of time: alone.
  add_test(NAME fleet_cli_${ARG_STORE}_soak COMMAND ${name} ${soaks})
  set_tests_properties(fleet_cli_${ARG_STORE}_soak PROPERTIES LABELS soak TIMEOUT 1200 RUN_SERIAL TRUE
                       ENVIRONMENT ATMOST_BIN=${ATMOST_BIN_DIR})
endfunction()

# The same programs with nothing else running, which the bounds of time are kept with:
# fleet_timed_soak(NAME...)
function(fleet_timed_soak)
  foreach(name ${ARGN})
    add_test(NAME ${name}_timed_soak COMMAND ${name})
    set_tests_properties(${name}_timed_soak PROPERTIES LABELS soak TIMEOUT 600 RUN_SERIAL TRUE
                         ENVIRONMENT "ATMOST_BIN=${ATMOST_BIN_DIR};ATMOST_TESTS_TIMED=1")
  endforeach()
endfunction()
