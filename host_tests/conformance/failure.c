/* Writing failures down. */
#include "conformance/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that ends with what is put in last, cut where it is full. */
typedef struct words {
  char text[512];
} words;

static void append(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(words *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t length = strlen(w->text);
  vsnprintf(w->text + length, sizeof(w->text) - length, format, arguments);
  va_end(arguments);
}

/* No command takes strides. */
static void append_strides(words *w, const char *side, int32_t rank, const int64_t *strides) {
  if (strides == NULL) {
    return;
  }
  append(w, "%s byte strides", side);
  for (int32_t d = 0; d < rank; ++d) {
    append(w, " %lld", (long long)strides[d]);
  }
  append(w, ", ");
}

/* Of those that are not the host's. */
static void append_byte_order(words *w, const char *side, bool is_swapped) {
  const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  if (is_swapped) {
    append(w, "%s %s-endian, ", side, host_is_little ? "big" : "little");
  }
}

void failure_describe(const relayout_device *device, const request *asked, char *text,
                      size_t size) {
  char from_text[RELAYOUT_SHAPE_TEXT_SIZE];
  char to_text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(asked->from, from_text, sizeof(from_text));
  relayout_shape_format(asked->to, to_text, sizeof(to_text));
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_get_info(device, &info, NULL);
  const oracle_options *options = &asked->options;
  words flags = {""};
  if (options->scale != 1) {
    append(&flags, "--scale %.17g ", options->scale);
  }
  if (options->wraps) {
    append(&flags, "--wrap ");
  }
  if (options->to_nearest) {
    append(&flags, "--round nearest ");
  }
  words strides = {""};
  append_strides(&strides, "source", asked->from->rank, options->source_byte_strides);
  append_strides(&strides, "destination", asked->to->rank, options->destination_byte_strides);
  append_byte_order(&strides, "source", options->source_is_swapped);
  append_byte_order(&strides, "destination", options->destination_is_swapped);
  snprintf(text, size, "relayout convert --device '%s' --from '%s' --to '%s' %sIN OUT # %s",
           info.name, from_text, to_text, flags.text, strides.text);
}

void failure_add(conformance_report *report, const relayout_device *device, const request *asked,
                 const char *format, ...) {
  report->failures += 1;
  if (report->failures > 1) {
    return;
  }
  char *const text = report->first_failure;
  failure_describe(device, asked, text, sizeof(report->first_failure));
  const size_t length = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, sizeof(report->first_failure) - length, format, arguments);
  va_end(arguments);
}
