# Turns page/ into a source file: the page's frame, its style, and its script, in one function that
# leaves no names.
#   cmake -DFOLDER=page -DTO=page_assets.cc -P assets.cmake
file(READ ${FOLDER}/page.html frame)
file(READ ${FOLDER}/page.css style)
set(script "\"use strict\";\n(() => {\n")
foreach(part data words paint lanes events queue spreads main)
  file(READ ${FOLDER}/${part}.js text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
foreach(part frame style script)
  if("${${part}}" MATCHES "\\)page\"")
    message(FATAL_ERROR "page/: )page\" ends what it is kept in")
  endif()
endforeach()
file(WRITE ${TO} "// Made from page/ by assets.cmake.\n#include \"page.h\"\n\nnamespace atmost::report {\n
const std::string_view kPageFrame = R\"page(${frame})page\";\n
const std::string_view kPageStyle = R\"page(${style})page\";\n
const std::string_view kPageScript = R\"page(${script})page\";\n
}  // namespace atmost::report\n")
