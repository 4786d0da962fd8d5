# At installation: links of the documents to what is installed elsewhere (headers) or not
# at all (what only developers need) become their text. In: documents, the folder, below the prefix
# or absolute.
cmake_path(ABSOLUTE_PATH documents BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
file(GLOB_RECURSE pages "$ENV{DESTDIR}${documents}/*.md")
set(elsewhere "(docs/)?internals(/[^)]*)?|(\\.\\./)?include/atmost/[^)]*|(\\.\\./)?CONTRIBUTING\\.md")
foreach(page IN LISTS pages)
  file(READ "${page}" text)
  string(REGEX REPLACE "\\[([^]]*)\\]\\((${elsewhere})\\)" "\\1" text "${text}")
  file(WRITE "${page}" "${text}")
endforeach()
