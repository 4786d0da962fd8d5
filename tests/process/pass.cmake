# atmost pass, as whole processes. Its figures are about taking over, which needs more than POSIX
# (takeover.cmake).
if(TARGET atmost-pass AND NOT PORTABLE)
  foreach(name pass_figures)
    outside_test(NAME ${name} SOURCES ${name}_test.cc)
    add_dependencies(${name} atmost-pass)
  endforeach()
endif()
