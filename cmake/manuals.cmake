# The manuals, with the options that the programs' --help lists: build/man, a page for each program
# that is built (tools/make_manuals).
set(manuals ${ATMOST_MANUALS})
if(NOT manuals AND NOT CMAKE_CROSSCOMPILING AND NOT ATMOST_FUZZ)
  set(manuals ${PROJECT_BINARY_DIR}/man)
  file(GLOB sources CONFIGURE_DEPENDS man/*)
  set(programs atmost)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    file(STRINGS ${source} with_options REGEX "^@options$")
    if(with_options AND TARGET ${name})
      list(APPEND programs ${name})
    endif()
  endforeach()
  add_custom_command(
    OUTPUT ${manuals}/made
    COMMAND ${PROJECT_SOURCE_DIR}/tools/make_manuals $<TARGET_FILE:atmost> ${manuals}
    COMMAND ${CMAKE_COMMAND} -E touch ${manuals}/made
    DEPENDS ${programs} ${sources} tools/make_manuals
    COMMENT "Making the manuals")
  add_custom_target(manuals ALL DEPENDS ${manuals}/made)
endif()
if(manuals)
  install(DIRECTORY ${manuals}/man1 ${manuals}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()
