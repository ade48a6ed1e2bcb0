# Writes OUTPUT, a C file that holds each of KERNELS as a NUL-terminated array and a table of them.
# cmake -DKERNELS=a.cl;b.cl -DOUTPUT=file.c -P embed_kernels.cmake
set(arrays "")
set(table "")
foreach(kernel IN LISTS KERNELS)
  get_filename_component(name ${kernel} NAME_WE)
  file(READ ${kernel} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(.{80})" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const char ${name}_source[] = {\n${bytes}0x00};\n\n")
  string(APPEND table "    {\"${name}\", ${name}_source},\n")
endforeach()
file(WRITE ${OUTPUT}
"/* Made from cl/ at build time. */
#include \"opencl/kernel_source.h\"

${arrays}const rlt_kernel_source rlt_kernel_sources[] = {
${table}    {0, 0}};
")
