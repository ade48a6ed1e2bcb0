# Makes what completes the command's words in shells, in the binary directory's completion/. Each
# shell's file has options.awk in it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/tools/completion/options.awk)
file(READ ${PROJECT_SOURCE_DIR}/tools/completion/options.awk options_awk)
string(STRIP "${options_awk}" options_awk)
foreach(file relayout.bash relayout.fish _relayout)
  configure_file(tools/completion/${file}.in ${PROJECT_BINARY_DIR}/completion/${file} @ONLY)
endforeach()
