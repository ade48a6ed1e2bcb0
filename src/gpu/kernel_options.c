/* kernel_options.c: what kernels are called and made of, as their compilers are told. */
#include "gpu/kernel_options.h"

#include <string.h>

#include "gpu/kernel_source.h"

const char *rlt_kernel_name(rlt_kernel kernel) {
  static const char *const names[] = {
#define KERNEL_NAME(name, text) text,
      RLT_KERNEL_TABLE(KERNEL_NAME)
#undef KERNEL_NAME
  };
  return names[kernel];
}

void rlt_kernel_function(const rlt_kernel_options *options, char name[RLT_KERNEL_NAME_SIZE]) {
  rlt_text text = rlt_text_in(name, RLT_KERNEL_NAME_SIZE);
  rlt_text_add(&text, "relayout_%s_%d", rlt_kernel_name(options->kernel), (int)options->word_bytes);
}

const char *rlt_kernel_text(const char *name) {
  const rlt_kernel_source *source = rlt_kernel_sources;
  while (strcmp(source->name, name) != 0) {
    ++source;
  }
  return source->text;
}

/* Whether elements arrive other than they left. */
static bool changes(const rlt_kernel_options *options) {
  return rlt_converts(&options->conversion) || options->converts_by_table ||
         options->source_bits > 0 || options->destination_bits > 0;
}

static void add_conversion(const rlt_kernel_options *options, rlt_text *text) {
  rlt_conversion_add_options(&options->conversion, text);
  rlt_text_add(text, "%s%s%s", options->source_swapped ? " -DFROM_SWAPPED=1" : "",
               options->destination_swapped ? " -DTO_SWAPPED=1" : "",
               options->only_swaps ? " -DKEEPS_VALUES=1" : "");
}

void rlt_kernel_add_options(const rlt_kernel_options *options, int32_t grid_axis, bool native,
                            rlt_text *text) {
  if (options->kernel == RLT_KERNEL_MANY) {
    rlt_text_add(text, " -DGROUP=%d -DGRID_AXIS=%d -DNARROW=0", (int)options->group_size,
                 (int)grid_axis);
    return;
  }
  rlt_text_add(text, " -DWORD_BYTES=%d -DWIDE=%d -DGROUP=%d -DGRID_AXIS=%d -DNATIVE=%d",
               (int)options->word_bytes, options->wide, (int)options->group_size, (int)grid_axis,
               native);
  rlt_text_add(text, " -DSOURCE_BYTES=%d -DSOURCE_BITS=%d -DDESTINATION_BITS=%d -DINDEX_PROGRAM=%d",
               (int)options->source_bytes, (int)options->source_bits,
               (int)options->destination_bits, options->numbers > 0);
  rlt_text_add(text, " -DREVERSED_BITS=%d -DDESTINATION_HIGH=%d", (int)options->reversed_bits,
               options->destination_high);
  rlt_text_add(text, " -DNUMBERS=%d -DTABLE=%d -DCONVERTS=%d -DCHANGES=%d", (int)options->numbers,
               options->converts_by_table, rlt_converts(&options->conversion), changes(options));
  if (rlt_converts(&options->conversion)) {
    add_conversion(options, text);
  }
  if (options->tile_rows > 0) {
    rlt_text_add(text, " -DTILE_ROWS=%d -DTILE_COLUMNS=%d", (int)options->tile_rows,
                 (int)options->tile_columns);
  }
  if (options->channels > 0) {
    rlt_text_add(text, " -DCHANNELS=%d -DJOINS=%d", (int)options->channels, options->joins);
  }
  if (options->batch > 0) {
    rlt_text_add(text, " -DBATCH=%d", (int)options->batch);
  }
  rlt_text_add(text, "%s%s", options->specialized ? " -DSPECIALIZED=1" : "",
               options->alone ? " -DALONE=1" : "");
}

void rlt_kernel_sources_of(const rlt_kernel_options *options,
                           const char *sources[RLT_KERNEL_SOURCES]) {
  const bool converts = rlt_converts(&options->conversion);
  const bool is_written = options->kernel == RLT_KERNEL_MANY;
  const bool has_program = options->numbers > 0 && !options->alone;
  sources[0] = is_written ? "" : rlt_kernel_text("arguments");
  sources[1] = options->specialized ? options->text : "";
  sources[2] = is_written ? "" : rlt_kernel_text("tile");
  sources[3] = converts || is_written ? rlt_kernel_text("convert") : "";
  sources[4] = converts ? rlt_kernel_text("by_float") : "";
  sources[5] = is_written ? options->text : rlt_kernel_text("element");
  sources[6] = is_written ? "" : rlt_kernel_text("work_group");
  sources[7] = has_program ? rlt_kernel_text("index_program") : "";
  sources[8] = rlt_kernel_text(is_written ? "many_kernel" : rlt_kernel_name(options->kernel));
}

/* " -DNAME=VALUE" becomes a line. */
void rlt_kernel_add_macros(const rlt_kernel_options *options, rlt_source *text) {
  char written[RLT_KERNEL_OPTIONS_SIZE];
  rlt_text list = rlt_text_in(written, sizeof written);
  /* Arrays are set before what may set a part of them: PoCL 7.1 wants it. */
  rlt_kernel_add_options(options, 0, true, &list);
  for (const char *at = strstr(written, " -D"); at != NULL; at = strstr(at, " -D")) {
    at += strlen(" -D");
    const size_t name = strcspn(at, "=");
    const size_t value = strcspn(at, " ");
    rlt_source_add_text(text, "#define ");
    rlt_source_add(text, at, name);
    rlt_source_add_text(text, " ");
    rlt_source_add(text, at + name + 1, value - name - 1);
    rlt_source_add_text(text, "\n");
  }
}
