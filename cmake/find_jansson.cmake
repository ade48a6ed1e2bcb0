# relayout_jansson: the JSON library of the command, which nothing else needs.
find_path(RELAYOUT_JANSSON_INCLUDE jansson.h)
find_library(RELAYOUT_JANSSON_LIBRARY jansson)
mark_as_advanced(RELAYOUT_JANSSON_INCLUDE RELAYOUT_JANSSON_LIBRARY)
if(NOT RELAYOUT_JANSSON_INCLUDE OR NOT RELAYOUT_JANSSON_LIBRARY)
  message(FATAL_ERROR
          "The relayout command needs jansson for JSON and for safetensors. Install it (Debian: "
          "libjansson-dev); or build the command without these, with -DRELAYOUT_JSON=OFF; or the "
          "library alone, with -DRELAYOUT_BUILD_TOOLS=OFF -DRELAYOUT_BUILD_TESTS=OFF.")
endif()
add_library(relayout_jansson INTERFACE)
target_include_directories(relayout_jansson SYSTEM INTERFACE ${RELAYOUT_JANSSON_INCLUDE})
target_link_libraries(relayout_jansson INTERFACE ${RELAYOUT_JANSSON_LIBRARY})
