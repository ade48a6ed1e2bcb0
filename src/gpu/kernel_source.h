/* kernel_source.h: the OpenCL C files of cl/, embedded at build time. */
#ifndef RLT_GPU_KERNEL_SOURCE_H
#define RLT_GPU_KERNEL_SOURCE_H

/* The file's name without .cl, and its NUL-terminated text. The table ends with two nulls. */
typedef struct rlt_kernel_source {
  const char *name;
  const char *text;
} rlt_kernel_source;

extern const rlt_kernel_source rlt_kernel_sources[];

#endif
