/* kernel_cases.c: kernels of the conformance suite's relayouts in a language, and what they are to
 * write.
 *
 *     kernel_cases LANGUAGE FOLDER
 *
 * Writes into the folder: `emitted`, the text of all kernels; `calls.inc`, functions of one
 * signature that call them, for languages that compile as C; `cases`, for each relayout its
 * kernels, with their texts and launches, and its memory: the source, the destination as it is
 * before, and as the oracle says it is after, with guards around each. In the environment
 * RELAYOUT_EMIT_CASES and RELAYOUT_EMIT_SEED say how many relayouts at most, and which;
 * RELAYOUT_EMIT_MOST how many bytes a side has at most. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/cases.h"
#include "conformance/random.h"
#include "relayout/kernel.h"
#include "view_of.h"

#define PROGRAM "kernel_cases"
#include "case_files.h"

enum { GUARD = 128, GUARD_BYTE = 0xf9, MOST_BYTES = 1 << 16 };

typedef struct output {
  relayout_language language;
  relayout_device *device;
  FILE *text;
  FILE *calls;
  FILE *cases;
  uint64_t wanted;
  uint64_t most_bytes;
  uint64_t requests; /* that the suite has */
  uint64_t seen;
  uint64_t written;
  uint64_t kernels;
} output;

static void write_number(const output *to, uint64_t number) {
  fwrite(&number, sizeof number, 1, to->cases);
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Elements take whole bytes of memory, or share one. */
static size_t element_bytes(const relayout_shape *shape) {
  const int64_t bits = oracle_element_bits(shape);
  return bits < 8 ? 1 : (size_t)bits / 8;
}

/* With a guard before and behind it; `shift` is added to the one before. */
static void write_memory(const output *to, const unsigned char *bytes, size_t size, size_t shift) {
  for (size_t i = 0; i < GUARD + shift; ++i) {
    fputc(GUARD_BYTE, to->cases);
  }
  if (size > 0) {
    fwrite(bytes, 1, size, to->cases);
  }
  for (size_t i = 0; i < GUARD; ++i) {
    fputc(GUARD_BYTE, to->cases);
  }
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static void write_call(const output *to, const relayout_kernel *kernel) {
  const bool is_c = to->language == RELAYOUT_LANGUAGE_C;
  const bool has_source = is_c || kernel->argument_count > 2;
  fprintf(to->calls,
          "static void call_%" PRIu64 "(unsigned char *to, unsigned long long to_offset,"
          "\n    const unsigned char *from, unsigned long long from_offset) {\n",
          to->kernels);
  if (is_c) {
    fprintf(to->calls, "  %s(from + from_offset, to + to_offset);\n}\n", kernel->name);
  } else if (has_source) {
    fprintf(to->calls,
            "  %s((%s_k_word *)to, to_offset, (const %s_k_source_word *)from, "
            "from_offset);\n}\n",
            kernel->name, kernel->name, kernel->name);
  } else {
    fprintf(to->calls, "  (void)from, (void)from_offset;\n  %s((%s_k_word *)to, to_offset);\n}\n",
            kernel->name, kernel->name);
  }
}

static void write_kernel(output *to, const relayout_kernel *kernel) {
  char name[80] = "";
  snprintf(name, sizeof name, "%s", kernel->name);
  require(strlen(kernel->source) == kernel->source_length, "the text's length is wrong");
  write_number(to, kernel->global_size);
  write_number(to, kernel->local_size);
  write_number(to, (uint64_t)kernel->argument_count);
  fwrite(name, 1, sizeof name, to->cases);
  write_number(to, kernel->source_length);
  fwrite(kernel->source, 1, kernel->source_length, to->cases);
  fprintf(to->text, "%s\n", kernel->source);
  write_call(to, kernel);
  ++to->kernels;
}

static void write_plan(output *to, const relayout_plan *plan, relayout_schedule_use use) {
  char name[32];
  int32_t count = 0;
  relayout_error error = {.message = ""};
  relayout_kernel_options options = RELAYOUT_KERNEL_OPTIONS_INIT;
  snprintf(name, sizeof name, "case_%" PRIu64, to->written);
  options.language = to->language;
  options.name = name;
  options.use = use;
  require(relayout_plan_count_kernels(plan, &options, &count, &error) == RELAYOUT_OK,
          error.message);
  write_number(to, (uint64_t)count);
  for (int32_t i = 0; i < count; ++i) {
    relayout_kernel kernel = RELAYOUT_KERNEL_INIT;
    require(relayout_plan_get_kernel(plan, i, &options, &kernel, &error) == RELAYOUT_OK,
            error.message);
    write_kernel(to, &kernel);
    relayout_kernel_free(&kernel);
  }
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static void write_case(output *to, const request *asked, const relayout_plan *plan) {
  const bool is_shifted = to->written % 2 == 1;
  const size_t source_shift = is_shifted ? element_bytes(asked->from) : 0;
  const size_t destination_shift = is_shifted ? element_bytes(asked->to) : 0;
  trial made;
  require(trial_make(asked, &made), "no memory");
  write_plan(to, plan, is_shifted ? RELAYOUT_SCHEDULE_AT_ANY_OFFSET : RELAYOUT_SCHEDULE_ALIGNED);
  write_number(to, 2 * GUARD + source_shift + made.source_size);
  write_number(to, 2 * GUARD + destination_shift + made.destination_size);
  write_number(to, GUARD + source_shift + made.source_origin);
  write_number(to, GUARD + destination_shift + made.destination_origin);
  write_memory(to, made.source, made.source_size, source_shift);
  write_memory(to, made.before, made.destination_size, destination_shift);
  write_memory(to, made.after, made.destination_size, destination_shift);
  trial_free(&made);
  ++to->written;
}

static void count_case(void *context, const request *asked) {
  (void)asked;
  ++((output *)context)->requests;
}

static void visit_case(void *context, const request *asked) {
  output *const to = context;
  const uint64_t number = to->seen++;
  const bool is_taken =
      number * to->wanted / to->requests != (number + 1) * to->wanted / to->requests;
  if (!is_taken || oracle_byte_size(asked->from) > to->most_bytes ||
      oracle_byte_size(asked->to) > to->most_bytes) {
    return;
  }
  const relayout_view from = view_of(asked->from, asked->options.source_byte_strides);
  const relayout_view views[] = {from, view_of(asked->to, asked->options.destination_byte_strides)};
  const relayout_plan_options options = request_plan_options(asked);
  relayout_error error = {.message = ""};
  relayout_plan *plan = NULL;
  require(relayout_plan_create_between(to->device, &views[0], &views[1], &options, &plan, &error) ==
              RELAYOUT_OK,
          error.message);
  write_case(to, asked, plan);
  relayout_plan_destroy(plan);
}

int main(int argument_count, char **arguments) {
  require(argument_count == 3, "usage: kernel_cases LANGUAGE FOLDER");
  output to = {.wanted = setting("RELAYOUT_EMIT_CASES", 100),
               .most_bytes = setting("RELAYOUT_EMIT_MOST", MOST_BYTES)};
  const uint64_t seed = setting("RELAYOUT_EMIT_SEED", 1);
  require(relayout_language_parse(arguments[1], &to.language, NULL) == RELAYOUT_OK, arguments[1]);
  require(relayout_gpu_device_create(NULL, &to.device, NULL) == RELAYOUT_OK, "no device");
  to.text = create(arguments[2], "emitted");
  to.calls = create(arguments[2], "calls.inc");
  to.cases = create(arguments[2], "cases");
  cases_visit(CONFORMANCE_QUICK, false, seed, count_case, &to);
  cases_visit(CONFORMANCE_QUICK, false, seed, visit_case, &to);
  fprintf(to.calls, "static const call all[] = {\n");
  for (uint64_t i = 0; i < to.kernels; ++i) {
    fprintf(to.calls, "  call_%" PRIu64 ",\n", i);
  }
  fprintf(to.calls, "};\n");
  relayout_device_destroy(to.device);
  printf("%" PRIu64 " of %" PRIu64 " relayouts, %" PRIu64 " kernels\n", to.written, to.requests,
         to.kernels);
  return fclose(to.text) + fclose(to.calls) + fclose(to.cases) == 0 ? 0 : 1;
}
