# Taking over: it needs to see processes and their descriptors, which POSIX alone does not let it.
if(PORTABLE)
  return()
endif()
foreach(name claims leftovers owners shared short strangers tables)
  outside_test(NAME takeover_${name} SOURCES takeover_${name}_test.cc TIMEOUT 120)
  target_link_libraries(takeover_${name} PRIVATE traps_kit)
  add_dependencies(takeover_${name} run_child)
endforeach()
# The same with nothing else running: then it is taken within the graces and 200 ms.
add_test(NAME takeover_owners_timed_soak COMMAND takeover_owners)
set_tests_properties(takeover_owners_timed_soak PROPERTIES LABELS soak TIMEOUT 600 RUN_SERIAL TRUE
                     ENVIRONMENT ATMOST_TESTS_TIMED=1)
add_test(NAME takeover_short_soak COMMAND takeover_short)
set_tests_properties(takeover_short_soak PROPERTIES LABELS soak TIMEOUT 1800 ENVIRONMENT ATMOST_TESTS_TRIES=1000)
add_dependencies(takeover_claims atmost-pass)
target_link_libraries(takeover_claims PRIVATE atmost_store_local)  # to forge records with the right checksum
add_dependencies(takeover_strangers hung_mount)

add_library(takeover_kit STATIC takeover_namespace.cc takeover_forged.cc takeover_recycled.cc)
target_include_directories(takeover_kit PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(takeover_kit PUBLIC atmost_store_local atmost_policy atmost_request)
atmost_test(NAME takeover_records SOURCES takeover_records_test.cc LABELS process LIBS takeover_kit)
atmost_test(NAME takeover_records_soak SOURCES takeover_records_soak.cc LABELS soak TIMEOUT 1800 LIBS takeover_kit)
outside_test(NAME takeover_handed SOURCES takeover_handed_test.cc takeover_bystander.cc TIMEOUT 120)
target_link_libraries(takeover_handed PRIVATE traps_kit takeover_kit)
add_dependencies(takeover_handed run_child)
