# At installation: what is linked with atmost.pc finds the library where it is, unless that is a
# folder of the system's own, where the dynamic linker looks. In: pc, the file below the prefix.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(pc "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${pc}")
  file(READ "${pc}" text)
  string(REPLACE "Libs: -L\${libdir}" "Libs: -L\${libdir} -Wl,-rpath,\${libdir}" text "${text}")
  file(WRITE "${pc}" "${text}")
endif()
