# atmost pass, as whole processes.
if(TARGET atmost-pass)
  foreach(name pass_figures)
    outside_test(NAME ${name} SOURCES ${name}_test.cc)
    add_dependencies(${name} atmost-pass)
  endforeach()
endif()
