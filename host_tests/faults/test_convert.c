/* test_convert.c: `relayout convert` when a call fails: a message and an exit code, the output
 * whole or as it was, and no other file beside it. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/harness.h"
#include "faults/moves.h"
#include "faults/process.h"
#include "scratch.h"

static move transposed = {.from_text = "u16[64,96]", .to_text = "u16[64,96]{0,1}"};

/* ---- Files ---- */

static char home[SCRATCH_PATH];
static file_bytes old;              /* what an output holds before */
static file_bytes raw;              /* and after: as raw bytes */
static file_bytes as_npy;           /* as .npy */
static file_bytes as_model;         /* as .safetensors */
static file_bytes one_tensor;       /* as a model of one tensor */
static file_bytes as_gguf;          /* as a .gguf file */
static file_bytes small;            /* numbers of 8 bits, */
static file_bytes in_blocks;        /* and these in blocks of a .gguf file */
static file_bytes in_rows;          /* numbers of 4 bits in blocks of 4 rows, interleaved */
static const char folder[] = "out"; /* where outputs go */

static void write_npy(const char *path) {
  static const char text[] =
      "{'descr': '<u2', 'fortran_order': False, 'shape': (64, 96), }                      \n";
  const size_t head_size = 10;
  const size_t text_size = sizeof text - 1;
  uint8_t *const bytes = malloc(head_size + text_size + transposed.source_size);
  memcpy(bytes, "\x93NUMPY\x01\x00", 8);
  bytes[8] = (uint8_t)text_size;
  bytes[9] = 0;
  memcpy(bytes + head_size, text, text_size);
  memcpy(bytes + head_size + text_size, transposed.source, transposed.source_size);
  file_write(path, bytes, head_size + text_size + transposed.source_size);
  free(bytes);
}

/* The header that `text` begins, and behind it the matrix, as it is in this memory, and 3 bytes. */
static file_bytes model_of(const char *text, const uint8_t *matrix, size_t matrix_size) {
  char header[512];
  const size_t size =
      (size_t)snprintf(header, sizeof header,
                       "{%s,\"data_offsets\":[0,%zu]},\"x\":{\"dtype\":\"U8\",\"shape\":[3],"
                       "\"data_offsets\":[%zu,%zu]}}",
                       text, matrix_size, matrix_size, matrix_size + 3);
  const size_t padded = (8 + size + 63) / 64 * 64 - 8;
  uint8_t *const bytes = calloc(1, 8 + padded + matrix_size + 3);
  bytes[0] = (uint8_t)(padded & 0xff);
  bytes[1] = (uint8_t)(padded >> 8);
  memset(bytes + 8, ' ', padded);
  memcpy(bytes + 8, header, size);
  memcpy(bytes + 8 + padded, matrix, matrix_size);
  memcpy(bytes + 8 + padded + matrix_size, "xyz", 3);
  return (file_bytes){bytes, 8 + padded + matrix_size + 3};
}

static void make_models(void) {
  EXPECT(transposed.source_size == 12288);
  /* Escapes, for which jansson needs more memory than it has at first. */
  file_bytes model = model_of("\"__metadata__\":{\"note\":\"0123456789 0123456789 \\n\\u00e9\"},"
                              "\"w\":{\"dtype\":\"U16\",\"shape\":[64,96]",
                              transposed.source, transposed.source_size);
  file_write("in.safetensors", model.bytes, model.size);
  free(model.bytes);
  as_model = model_of("\"__metadata__\":{\"note\":\"0123456789 0123456789 \\n\xc3\xa9\","
                      "\"relayout.layout.w\":\"u16[64,96]{0,1}\"},"
                      "\"w\":{\"dtype\":\"U16\",\"shape\":[96,64]",
                      transposed.expected + MOVE_GUARD, transposed.source_size);
}

static void make_one_tensor(void) {
  static const char text[] = "{\"w\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}";
  static uint8_t bytes[64 + 3];
  memset(bytes, ' ', sizeof bytes);
  memcpy(bytes, "\x38\0\0\0\0\0\0\0", 8);
  memcpy(bytes + 8, text, sizeof text - 1);
  memcpy(bytes + 64, "xyz", 3);
  file_write("in.three", bytes + 64, 3);
  one_tensor = (file_bytes){bytes, sizeof bytes};
}

/* Puts a number, the lowest byte first, and a text with its length before it. */
static uint8_t *put_number(uint8_t *at, size_t bytes, uint64_t number) {
  for (size_t i = 0; i < bytes; ++i) {
    *at++ = (uint8_t)(number >> 8 * i & 0xff);
  }
  return at;
}

static uint8_t *put_text(uint8_t *at, const char *text) {
  at = put_number(at, 8, strlen(text));
  memcpy(at, text, strlen(text));
  return at + strlen(text);
}

/* A .gguf file of one key and one tensor w, [64,96] or turned around, whose layout is another
 * key's. */
static file_bytes gguf_of(uint32_t type, bool is_turned, const uint8_t *data, size_t size) {
  uint8_t *const bytes = calloc(1, 512 + size);
  memcpy(bytes, "GGUF", 4);
  uint8_t *at = put_number(bytes + 4, 4, 3);
  at = put_number(put_number(at, 8, 1), 8, is_turned ? 2 : 1);
  at = put_number(put_text(at, "general.quantization_version"), 4, 4);
  at = put_number(at, 4, 2);
  if (is_turned) {
    at = put_number(put_text(at, "relayout.layout.w"), 4, 8);
    at = put_text(at, "s16[64,96]{0,1}");
  }
  at = put_number(put_text(at, "w"), 4, 2);
  at = put_number(put_number(at, 8, is_turned ? 64 : 96), 8, is_turned ? 96 : 64);
  at = put_number(put_number(at, 4, type), 8, 0);
  const size_t begin = ((size_t)(at - bytes) + 31) / 32 * 32;
  memcpy(bytes + begin, data, size);
  return (file_bytes){bytes, begin + size};
}

/* Files of 16-bit numbers, and of q8_0: each block's greatest number is 127, so its scale is 1, and
 * it holds the numbers themselves. */
static void make_gguf(void) {
  enum { COUNT = 64 * 96, BLOCK = 32, RECORD = 34, TYPE_Q8_0 = 8, TYPE_I16 = 25 };
  static uint8_t numbers[COUNT];
  static uint8_t records[COUNT / BLOCK * RECORD];
  for (size_t i = 0; i < COUNT; ++i) {
    numbers[i] = (uint8_t)(i % BLOCK == 5 ? 127 : i * 37 % 127);
    records[i / BLOCK * RECORD + 2 + i % BLOCK] = numbers[i];
    records[i / BLOCK * RECORD + 1] = 0x3c;
  }
  small = (file_bytes){numbers, sizeof numbers};
  in_blocks = gguf_of(TYPE_Q8_0, false, records, sizeof records);
  as_gguf = gguf_of(TYPE_I16, true, transposed.expected + MOVE_GUARD, transposed.source_size);
  file_bytes plain = gguf_of(TYPE_I16, false, transposed.source, transposed.source_size);
  file_write("in.gguf", plain.bytes, plain.size);
  file_write("blocks.gguf", in_blocks.bytes, in_blocks.size);
  file_write("in.s8", small.bytes, small.size);
  free(plain.bytes);
}

/* Numbers of 4 bits in one byte each, and in q4_0_4_8: each block's least is -8, so its scale is 1.
 * A byte has two numbers of a row, each 8 greater: one of the first half of a block and, in its
 * high bits, the one 16 columns further on. The bytes are then XORed with 0x88, which takes the 8
 * away again. */
static void make_rows(void) {
  enum { ROWS = 64, COLUMNS = 96, BLOCK = 32, FOUR = 4 * 18, TYPE_Q4_0_4_8 = 32 };
  static uint8_t numbers[ROWS * COLUMNS];
  static uint8_t records[ROWS * COLUMNS / BLOCK * FOUR / 4];
  for (size_t row = 0; row < ROWS; ++row) {
    for (size_t column = 0; column < COLUMNS; ++column) {
      const size_t in_block = column % BLOCK;
      const int value = in_block == 7 ? -8 : (int)((row * 5 + column * 3) % 15) - 7;
      uint8_t *const four = records + (row / 4 * (COLUMNS / BLOCK) + column / BLOCK) * FOUR;
      const size_t byte = in_block % 16;
      numbers[row * COLUMNS + column] = (uint8_t)value;
      four[row % 4 * 2 + 1] = 0x3c;
      four[8 + byte / 8 * 32 + row % 4 * 8 + byte % 8] |=
          (uint8_t)((value & 15) << (in_block < 16 ? 0 : 4));
    }
  }
  in_rows = gguf_of(TYPE_Q4_0_4_8, false, records, sizeof records);
  file_write("four.s8", numbers, sizeof numbers);
}

static void empty_folder(void) {
  scratch_remove(folder);
  if (mkdir(folder, 0700) != 0) {
    perror(folder);
    exit(1);
  }
}

/* ---- One run ---- */

typedef struct expectation {
  const char *path; /* where the result is expected */
  const file_bytes *before;
  const file_bytes *after;
} expectation;

/* The command's own words on what failed, and the exit code of that: 1. */
static void check_words(const command_result *result) {
  const fault_report *const report = fault_reported();
  if (result->signal != 0) {
    trial_fail("the command died of signal %d, %s", result->signal, strsignal(result->signal));
  } else if (result->code != 0 && (result->code != 1 || !report->struck)) {
    trial_fail("exit code %d is no answer to that: %s", result->code, result->said);
  } else if (result->code != 0 && strncmp(result->said, "relayout: ", 10) != 0) {
    trial_fail("it failed with `%s`", result->said);
  }
}

/* A new output stays where it is when its directory cannot be brought to the disk. */
static bool is_in_place(const expectation *expected, const file_bytes *found) {
  return file_same(found, expected->after) && (trial_struck("openat") || trial_struck("fsync"));
}

static void check_output(const expectation *expected, bool ok) {
  const file_bytes found = file_read(expected->path);
  if (!file_same(&found, ok ? expected->after : expected->before) &&
      !is_in_place(expected, &found)) {
    trial_fail("the command %s, and its output of %zu bytes is %s", ok ? "succeeded" : "failed",
               found.size,
               file_same(&found, expected->after)    ? "the new one"
               : file_same(&found, expected->before) ? "the old one"
                                                     : "neither the old nor the new one");
  }
  const size_t files = found.bytes != NULL;
  const size_t count = scratch_count(folder);
  if (count != files && fault_reported()->kind != FAULT_REMOVAL) {
    trial_fail("%zu files are in the output's folder, not %zu", count, files);
  }
  free(found.bytes);
}

/* Runs the command with failures, and then once without any. */
static void check_command(command_call *call, const expectation *expected) {
  call->faulty = true;
  const command_result result = command_run(call);
  check_words(&result);
  check_output(expected, result.code == 0);
  call->faulty = false;
  const command_result again = command_run(call);
  if (again.code != 0) {
    trial_fail("without a failure: exit code %d: %s", again.code, again.said);
  }
  check_output(expected, true);
}

/* ---- Scenarios ---- */

static const file_bytes none = {NULL, 0};

static void raw_to_new(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--from", transposed.from_text, "--to",
                                 transposed.to_text, "in.raw", "out/new.raw"}};
  check_command(&call, &(expectation){"out/new.raw", &none, &raw});
}

static void raw_to_old(const scenario *it) {
  (void)it;
  empty_folder();
  file_write("out/old.raw", old.bytes, old.size);
  command_call call = {.words = {"--device", "cpu", "--from", transposed.from_text, "--to",
                                 transposed.to_text, "in.raw", "out/old.raw"}};
  check_command(&call, &(expectation){"out/old.raw", &old, &raw});
}

static void npy_to_new(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {
      .words = {"--device", "cpu", "--verify", "--to", "{0,1}", "in.npy", "out/new.npy"}};
  check_command(&call, &(expectation){"out/new.npy", &none, &as_npy});
}

static void npy_to_old(const scenario *it) {
  (void)it;
  empty_folder();
  file_write("out/old.npy", old.bytes, old.size);
  command_call call = {.words = {"--device", "cpu", "--to", "{0,1}", "in.npy", "out/old.npy"}};
  check_command(&call, &(expectation){"out/old.npy", &old, &as_npy});
}

/* Through a link from another directory. */
static void raw_to_link(const scenario *it) {
  (void)it;
  empty_folder();
  file_write("out/target.raw", old.bytes, old.size);
  unlink("link.raw");
  EXPECT(symlink("out/target.raw", "link.raw") == 0);
  command_call call = {.words = {"--device", "cpu", "--from", transposed.from_text, "--to",
                                 transposed.to_text, "in.raw", "link.raw"}};
  check_command(&call, &(expectation){"out/target.raw", &old, &raw});
}

/* From a pipe: nobody knows how much comes. */
static void raw_from_pipe(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--from", transposed.from_text, "--to",
                                 transposed.to_text, "-", "out/new.raw"},
                       .input = "in.raw"};
  check_command(&call, &(expectation){"out/new.raw", &none, &raw});
}

/* One tensor of two is relaid. */
static void model_to_new(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--tensor", "w*", "--to", "{0,1}",
                                 "in.safetensors", "out/new.safetensors"}};
  check_command(&call, &(expectation){"out/new.safetensors", &none, &as_model});
}

static void model_to_raw(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--tensor", "w", "--to", "{0,1}",
                                 "in.safetensors", "out/new.raw"}};
  check_command(&call, &(expectation){"out/new.raw", &none, &raw});
}

static void gguf_to_new(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {
      .words = {"--device", "cpu", "--tensor", "w", "--to", "{0,1}", "in.gguf", "out/new.gguf"}};
  check_command(&call, &(expectation){"out/new.gguf", &none, &as_gguf});
}

/* A part at a time, the last of which is a smaller one. */
static void raw_to_blocks(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--tensor", "w", "--from", "s8[64,96]", "--to",
                                 "q8_0", "in.s8", "out/new.gguf"}};
  check_command(&call, &(expectation){"out/new.gguf", &none, &in_blocks});
}

static void raw_to_rows(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--tensor", "w", "--from", "s8[64,96]", "--to",
                                 "q4_0_4_8", "four.s8", "out/new.gguf"}};
  check_command(&call, &(expectation){"out/new.gguf", &none, &in_rows});
}

static void blocks_to_raw(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {
      .words = {"--device", "cpu", "--tensor", "w", "--to", "s8", "blocks.gguf", "out/new.raw"}};
  check_command(&call, &(expectation){"out/new.raw", &none, &small});
}

/* ---- Several files ---- */

static const char index_text[] = "{\n"
                                 "  \"weight_map\": {\n"
                                 "    \"w\": \"in.safetensors\",\n"
                                 "    \"x\": \"in.safetensors\"\n"
                                 "  },\n"
                                 "  \"metadata\": {\n"
                                 "    \"total_size\": 12291\n"
                                 "  }\n"
                                 "}\n";

/* Each file is whole or not there, and the index only where the file is that it names. */
static void check_set(bool ok) {
  const file_bytes wanted_index = {(uint8_t *)(uintptr_t)index_text, sizeof index_text - 1};
  const file_bytes file = file_read("out/in.safetensors");
  const file_bytes index = file_read("out/new.safetensors.index.json");
  const bool has_file = file_same(&file, &as_model);
  const bool has_index = file_same(&index, &wanted_index);
  if ((ok || file.bytes != NULL) && !has_file) {
    trial_fail("the file of %zu bytes is not the new one", file.size);
  }
  if ((ok || index.bytes != NULL) && (!has_index || !has_file)) {
    trial_fail("the index of %zu bytes is not the new one, or names nothing", index.size);
  }
  const size_t files = (file.bytes != NULL) + (index.bytes != NULL);
  if (scratch_count(folder) != files && fault_reported()->kind != FAULT_REMOVAL) {
    trial_fail("other files are in the output's folder than these %zu", files);
  }
  free(file.bytes);
  free(index.bytes);
}

static void set_to_set(const scenario *it) {
  (void)it;
  static const char old_index[] =
      "{\"weight_map\":{\"w\":\"in.safetensors\",\"x\":\"in.safetensors\"}}";
  empty_folder();
  file_write("in.safetensors.index.json", old_index, sizeof old_index - 1);
  command_call call = {.words = {"--device", "cpu", "--tensor", "w", "--to", "{0,1}",
                                 "in.safetensors.index.json", "out/new.safetensors.index.json"},
                       .faulty = true};
  const command_result result = command_run(&call);
  check_words(&result);
  check_set(result.code == 0);
  call.faulty = false;
  const command_result again = command_run(&call);
  if (again.code != 0) {
    trial_fail("without a failure: exit code %d: %s", again.code, again.said);
  }
  check_set(true);
}

/* ---- Elements and scales ---- */

static file_bytes ones; /* scales of small, each block of which has the greatest number there is */

static void make_ones(void) {
  enum { COUNT = 64 * 96 / 32 };
  static float scales[COUNT];
  for (size_t i = 0; i < COUNT; ++i) {
    scales[i] = 1;
  }
  ones = (file_bytes){(uint8_t *)scales, sizeof scales};
  file_write("in.scales", ones.bytes, ones.size);
}

/* Each file is whole or not there, and the elements only where their scales are. */
static void check_scaled(bool ok) {
  const file_bytes elements = file_read("out/new.raw");
  const file_bytes scales = file_read("out/scales.raw");
  const bool has_scales = file_same(&scales, &ones);
  if ((ok || scales.bytes != NULL) && !has_scales) {
    trial_fail("the scales, of %zu bytes, are not the new ones", scales.size);
  }
  if ((ok || elements.bytes != NULL) && (!file_same(&elements, &small) || !has_scales)) {
    trial_fail("the elements, of %zu bytes, are not the new ones, or alone", elements.size);
  }
  const size_t files = (elements.bytes != NULL) + (scales.bytes != NULL);
  if (scratch_count(folder) != files && fault_reported()->kind != FAULT_REMOVAL) {
    trial_fail("other files are in the output's folder than these %zu", files);
  }
  free(elements.bytes);
  free(scales.bytes);
}

static void scaled_to_scaled(const scenario *it) {
  (void)it;
  static const char text[] = "s8[64,96] * f32[64,3]";
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--from", text, "--from-scales", "in.scales",
                                 "--to", text, "--to-scales", "out/scales.raw", "--scale-rule",
                                 "amax", "in.s8", "out/new.raw"},
                       .faulty = true};
  const command_result result = command_run(&call);
  check_words(&result);
  check_scaled(result.code == 0);
  call.faulty = false;
  const command_result again = command_run(&call);
  if (again.code != 0) {
    trial_fail("without a failure: exit code %d: %s", again.code, again.said);
  }
  check_scaled(true);
}

/* ---- Files of several devices ---- */

enum { HALVES = 2 };
static const char *const half_paths[HALVES] = {"out/half-0.safetensors", "out/half-1.safetensors"};
static const char rules[] = "w {replicated} {devices=[2,1]<=[2]} {0,1}\n"
                            "x {replicated} {replicated}\n";
static file_bytes halves[HALVES]; /* w as the rows of two devices, turned; and x on both */

static void make_half(int number) {
  const size_t half = transposed.source_size / HALVES;
  static const char text[] = "\"__metadata__\":{\"note\":\"0123456789 0123456789 \\n\xc3\xa9\","
                             "\"relayout.layout.w\":\"u16[32,96]{0,1}\"},"
                             "\"w\":{\"dtype\":\"U16\",\"shape\":[96,32]";
  uint8_t *const matrix = malloc(half);
  for (size_t i = 0; i < half / 2; ++i) { /* row i % 32 of this device's, and column i / 32 */
    memcpy(matrix + 2 * i, transposed.source + 2 * ((32 * number + i % 32) * 96 + i / 32), 2);
  }
  halves[number] = model_of(text, matrix, half);
  free(matrix);
}

/* Each file is whole or not there. */
static void check_halves(bool ok) {
  size_t files = 0;
  for (int i = 0; i < HALVES; ++i) {
    const file_bytes found = file_read(half_paths[i]);
    if ((ok || found.bytes != NULL) && !file_same(&found, &halves[i])) {
      trial_fail("%s, of %zu bytes, is not the new one", half_paths[i], found.size);
    }
    files += found.bytes != NULL;
    free(found.bytes);
  }
  if (scratch_count(folder) != files && fault_reported()->kind != FAULT_REMOVAL) {
    trial_fail("other files are in the output's folder than these %zu", files);
  }
}

static void model_to_shards(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--rules", "rules", "in.safetensors",
                                 "out/half-{device}.safetensors"},
                       .faulty = true};
  const command_result result = command_run(&call);
  check_words(&result);
  check_halves(result.code == 0);
  call.faulty = false;
  const command_result again = command_run(&call);
  if (again.code != 0) {
    trial_fail("without a failure: exit code %d: %s", again.code, again.said);
  }
  check_halves(true);
}

static void raw_to_model(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "cpu", "--tensor", "w", "--from", "u8[3]", "--to",
                                 "{0}", "in.three", "out/new.safetensors"}};
  check_command(&call, &(expectation){"out/new.safetensors", &none, &one_tensor});
}

static void raw_on_any(const scenario *it) {
  (void)it;
  empty_folder();
  command_call call = {.words = {"--device", "auto", "--from", transposed.from_text, "--to",
                                 transposed.to_text, "in.raw", "out/new.raw"}};
  check_command(&call, &(expectation){"out/new.raw", &none, &raw});
}

static const scenario scenarios[] = {
    {.name = "raw_to_new", .run = raw_to_new},
    {.name = "raw_to_old", .run = raw_to_old},
    {.name = "npy_to_new", .run = npy_to_new},
    {.name = "npy_to_old", .run = npy_to_old},
    {.name = "raw_to_link", .run = raw_to_link},
    {.name = "raw_from_pipe", .run = raw_from_pipe},
    {.name = "model_to_new", .run = model_to_new},
    {.name = "model_to_raw", .run = model_to_raw},
    {.name = "gguf_to_new", .run = gguf_to_new},
    {.name = "raw_to_blocks", .run = raw_to_blocks},
    {.name = "raw_to_rows", .run = raw_to_rows},
    {.name = "blocks_to_raw", .run = blocks_to_raw},
    {.name = "set_to_set", .run = set_to_set},
    {.name = "scaled_to_scaled", .run = scaled_to_scaled},
    {.name = "model_to_shards", .run = model_to_shards},
    {.name = "raw_to_model", .run = raw_to_model},
    {.name = "raw_auto", .run = raw_on_any, .is_long = true},
};

static const fault_request variations[] = {
    {0, false, 0}, {0, false, 1}, {0, true, 0}, {0, false, 2}, {0, true, 1}};

/* What the command gives when nothing fails; its data by the oracle. */
static file_bytes known_result(const char *input, const char *output) {
  const command_call call = {.words = {"--device", "cpu", "--from", transposed.from_text, "--to",
                                       transposed.to_text, input, output}};
  const command_result result = command_run(&call);
  const file_bytes made = file_read(output);
  const size_t size = transposed.destination_size;
  if (result.code != 0 || made.size < size ||
      memcmp(made.bytes + made.size - size, transposed.expected + MOVE_GUARD, size) != 0) {
    trial_fail("without a failure: exit code %d, %zu bytes: %s", result.code, made.size,
               result.said);
    exit(1);
  }
  return made;
}

static bool begin(void) {
  static uint8_t old_bytes[1000];
  move_make(&transposed);
  if (chdir(home) != 0) {
    return false;
  }
  memset(old_bytes, 'o', sizeof old_bytes);
  old = (file_bytes){old_bytes, sizeof old_bytes};
  file_write("in.raw", transposed.source, transposed.source_size);
  write_npy("in.npy");
  make_models();
  make_one_tensor();
  make_gguf();
  make_rows();
  make_ones();
  make_half(0);
  make_half(1);
  file_write("rules", (const uint8_t *)rules, sizeof rules - 1);
  empty_folder();
  raw = known_result("in.raw", "out/known.raw");
  as_npy = known_result("in.npy", "out/known.npy");
  EXPECT(raw.size == transposed.destination_size);
  return true;
}

int main(int argument_count, char **arguments) {
  const harness all = {.scenarios = scenarios,
                       .count = sizeof scenarios / sizeof scenarios[0],
                       .variations = variations,
                       .variation_count = sizeof variations / sizeof variations[0],
                       .quick_variations = 2,
                       .begin = begin};
  json_set_alloc_funcs(malloc, free); /* those that can fail */
  scratch_make(home);
  setenv("XDG_CACHE_HOME", home, 1);
  const int code = harness_run(&all, argument_count, arguments);
  scratch_remove(home);
  return code;
}
