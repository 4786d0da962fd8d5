# The end of a hold, and its report.
if(NOT PORTABLE)
  outside_test(NAME ending SOURCES ending_test.cc disturbed_end.cc TIMEOUT 300)
  target_link_libraries(ending PRIVATE traps_kit)
  foreach(program atmost-pass atmost-tell)
    if(TARGET ${program})
      add_dependencies(ending ${program})
    endif()
  endforeach()

  # After some of the signals that a stopper sends; the soak has 2,000 trials, after each of them.
  outside_test(NAME stopper_ends SOURCES stopper_ends_test.cc disturbed_end.cc TIMEOUT 300)
  target_link_libraries(stopper_ends PRIVATE traps_kit)
  add_dependencies(stopper_ends run_child)
  if(TARGET atmost-explain)
    add_dependencies(stopper_ends atmost-explain)
  endif()
  add_test(NAME stopper_ends_soak COMMAND stopper_ends)
  set_tests_properties(stopper_ends_soak PROPERTIES LABELS soak TIMEOUT 7200
                       ENVIRONMENT ATMOST_TESTS_TRIES=250)
endif()
