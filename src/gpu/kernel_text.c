/* kernel_text.c: puts a kernel's text together: its macros, its constants and the files of cl/. */
#include "gpu/kernel_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "gpu/spec.h"
#include "gpu/target.h"

static void add_before(rlt_sides_before before, rlt_source *text) {
  char written[128];
  rlt_text lines = rlt_text_in(written, sizeof written);
  rlt_text_add(&lines,
               "#define DESTINATION_BEFORE %" PRId64 "L\n#define SOURCE_BEFORE %" PRId64 "L\n",
               before.destination, before.source);
  rlt_source_add_text(text, written);
}

static void write_text(const rlt_launch_spec *spec, rlt_sides_before before, const char *name,
                       rlt_source_dialect dialect, rlt_source *made) {
  rlt_source whole = {NULL, 0, 0, false};
  const char *sources[RLT_KERNEL_SOURCES];
  rlt_kernel_sources_of(&spec->options, sources);
  if (dialect == RLT_SOURCE_CPP) {
    rlt_source_add_text(&whole, rlt_kernel_text("cpp"));
    rlt_source_add_text(&whole, "#define CPP 1\n");
  }
  rlt_kernel_add_macros(&spec->options, &whole);
  add_before(before, &whole);
  for (size_t i = 0; i < RLT_KERNEL_SOURCES; ++i) {
    rlt_source_add_text(&whole, sources[i]);
  }
  /* Conditions of what is compiled in are constants, and not all loops can be unrolled. */
  rlt_source_add_text(made, "#if defined(__clang__)\n"
                            "#pragma clang diagnostic push\n"
                            "#pragma clang diagnostic ignored \"-Wconstant-logical-operand\"\n"
                            "#pragma clang diagnostic ignored \"-Wpass-failed\"\n"
                            "#endif\n\n");
  rlt_source_make_alone(&whole, name, dialect, made);
  rlt_source_add_text(made, "\n#if defined(__clang__)\n#pragma clang diagnostic pop\n#endif\n");
  rlt_source_free(&whole);
}

static relayout_status make_text(const rlt_launch_spec *spec, rlt_sides_before before,
                                 const char *name, rlt_source_dialect dialect,
                                 rlt_alone_kernel *made, relayout_error *error) {
  if (spec->table_bytes > RLT_MOST_TABLE_BYTES) {
    return rlt_fail(
        error, RELAYOUT_UNSUPPORTED,
        "the schedule's tables take %" PRId64
        " bytes; the constants of a text have %d at most: a plan with another schedule, "
        "such as one of another method or with smaller tiles, can be handed out",
        spec->table_bytes, (int)RLT_MOST_TABLE_BYTES);
  }
  *made = (rlt_alone_kernel){.group_count = spec->group_count,
                             .group_size = spec->options.group_size,
                             .local_bytes = spec->local_bytes,
                             .has_source = spec->options.kernel != RLT_KERNEL_FILL};
  write_text(spec, before, name, dialect, &made->source);
  if (made->source.lacks_memory) {
    rlt_source_free(&made->source);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the text of a kernel");
  }
  return RELAYOUT_OK;
}

relayout_status rlt_kernel_text_make(const rlt_schedule *schedule, rlt_sides_before before,
                                     const char *name, rlt_source_dialect dialect,
                                     rlt_alone_kernel *made, relayout_error *error) {
  rlt_launch_spec spec;
  relayout_status status = rlt_launch_spec_make_alone(schedule, RLT_GPU_MOST_OFFSET, &spec, error);
  if (status == RELAYOUT_OK) {
    status = make_text(&spec, before, name, dialect, made, error);
  }
  rlt_launch_spec_free(&spec);
  return status;
}
