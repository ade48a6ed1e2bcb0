/* traits.c: the tiles that the CPU's kernels like, and what these take. */
#include "cpu/device.h"
#include "cpu/program.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES };

/* Two lines on either side make tiles of about as many rows and columns as processors fetch ahead at a
 * time; of wide elements it may be more. Rows that lie pages apart are worth reading farther, where it
 * does not make too many of narrow elements. */
static rlt_runs short_runs(int64_t element_bytes, bool is_far) {
  if (element_bytes >= 8) {
    return (rlt_runs){.read_bytes = 256, .write_bytes = 256};
  }
  return (rlt_runs){.read_bytes = is_far && element_bytes > 1 ? 256 : 128, .write_bytes = 128};
}

/* Lines that follow each other in the destination are sooner there to be written. */
static rlt_runs cached_runs(int64_t element_bytes) {
  return element_bytes <= 2 ? (rlt_runs){.read_bytes = 64, .write_bytes = 256}
                            : (rlt_runs){.read_bytes = 128, .write_bytes = 512};
}

/* What turning a block takes, in plain copies of a line: narrow elements are moved more often. */
static double block_rate(const rlt_cpu_kernels *kernels, int64_t element_bytes) {
  const double lines =
      (double)kernels->block_rows * kernels->block_columns * (double)element_bytes / LINE_BYTES;
  return lines * (element_bytes == 1 ? 0.42 : element_bytes == 2 ? 0.3 : 0.28);
}

rlt_traits rlt_cpu_traits(const relayout_device *device, int64_t element_bytes) {
  const rlt_cpu_device *const own = (const rlt_cpu_device *)device;
  const rlt_cpu_kernels *const kernels = rlt_cpu_kernels_of(own->instructions, element_bytes);
  return (rlt_traits){
      .line_bytes = LINE_BYTES,
      /* Enough for copies to be at their best, and a megabyte still makes work for four. */
      .run_columns_bytes = 256 * 1024,
      .run_tile_bytes = 64 * 1024,
      .assembly_bytes = RLT_CPU_ASSEMBLY_BYTES,
      .packed_assembly_bytes = RLT_CPU_PACKED_ASSEMBLY_BYTES,
      .assembly_least_bytes = 4 * 1024,
      .assembly_together_bytes = 16 * 1024,
      .assembly_runs = short_runs(element_bytes, false),
      .assembly_far_runs = short_runs(element_bytes, true),
      .assembly_apart_runs = short_runs(element_bytes, true),
      .cached_runs = cached_runs(element_bytes),
      .joined_runs = {.read_bytes = 1024, .write_bytes = 256},
      .straight_run_bytes = 512,
      .cache_bytes = own->cache_bytes,
      .carries_lines = true,
      .widens = true,
      .swapped_rows = 512,
      .block_rows = kernels->block_rows,
      .block_columns = kernels->block_columns,
      .most_teeth = kernels->most_teeth,
      .rates = {.line_again = 0.05,
                .line_in_parts = 1,
                .run = 0.02,
                .straight_run = 2.2,
                .block = block_rate(kernels, element_bytes),
                .line = 0.19,
                .element = 0.1,
                .tile = 0,
                .page = 0.09},
  };
}
