/* test_captured_launches.c: what capture_launches leaves is what was asked for, and replay_launch
 * sees when a device does something else.
 *
 *   test_captured_launches CAPTURE REPLAY    the two programs */
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "captured_launch.h"
#include "cmocka_all.h"
#include "scratch.h"
#include "smaller_case.h"

enum { NO_DEVICE = 5, SKIPPED = 77, PATH = 2 * SCRATCH_PATH, ROWS = 70, COLUMNS = 50, TAIL = 8192 };

static const char *capture_program;
static const char *replay_program;
static char scratch[SCRATCH_PATH];

/* The exit code of a program with these arguments; what it prints goes into a file. */
static int run(const char *program, const char *arguments) {
  char command[2 * PATH];
  const int length =
      snprintf(command, sizeof command, "'%s' %s >'%s/printed' 2>&1", program, arguments, scratch);
  assert_in_range(length, 1, sizeof command - 1);
  const int status = system(command);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static char *path_of(const char *folder, const char *file, char path[PATH]) {
  assert_in_range(snprintf(path, PATH, "%s/%s/%s", scratch, folder, file), 1, PATH - 1);
  return path;
}

/* Captures into the folder of this name. */
static int capture(const char *folder, const char *arguments) {
  char words[PATH];
  snprintf(words, sizeof words, "'%s/%s' %s", scratch, folder, arguments);
  return run(capture_program, words);
}

static int replay(const char *launch, const char *arguments) {
  char words[PATH];
  snprintf(words, sizeof words, "'%s/%s' %s", scratch, launch, arguments);
  return run(replay_program, words);
}

static void read_launch(const char *folder, captured_launch *launch) {
  char path[PATH];
  assert_int_equal(captured_launch_read(path_of(folder, ".", path), launch), EXIT_CODE_OK);
}

/* ---- A transposition and the zeros behind it, as two launches ---- */

static const char transposed[] = "--from 'f32[70,50]' --to '{0,1:L(8192)}'";

static void check_destination(const captured_launch *fill, const captured_launch *move) {
  uint32_t source[ROWS * COLUMNS];
  uint32_t found[TAIL];
  assert_int_equal(move->arguments[4].bytes, sizeof source);
  assert_int_equal(move->arguments[0].bytes, sizeof found);
  memcpy(source, move->arguments[4].before, sizeof source);
  memcpy(found, move->arguments[0].after, sizeof found);
  for (size_t row = 0; row < ROWS; ++row) {
    for (size_t column = 0; column < COLUMNS; ++column) {
      assert_int_equal(found[column * ROWS + row], source[row * COLUMNS + column]);
    }
  }
  for (size_t i = ROWS * COLUMNS; i < TAIL; ++i) {
    assert_int_equal(found[i], 0);
  }
  for (size_t i = 0; i < sizeof found; ++i) {
    assert_int_equal(fill->arguments[0].before[i], 0xa5);
  }
  assert_memory_equal(fill->arguments[0].after, move->arguments[0].before, sizeof found);
}

static void check_launch(const captured_launch *launch, const char *kernel, const char *name) {
  char declared[64];
  snprintf(declared, sizeof declared, "ENTRY(%s)", kernel);
  assert_string_equal(launch->kernel, name);
  assert_non_null(strstr(launch->source, declared));
  assert_string_equal(launch->from, "f32[70,50]{1,0}");
  assert_string_equal(launch->to, "f32[70,50]{0,1:L(8192)}");
  assert_memory_equal(launch->schedule, kernel, strlen(kernel));
  /* As for a GPU, not as for PoCL. */
  assert_non_null(strstr(launch->options, " -DNATIVE=0 "));
  assert_non_null(strstr(launch->options, " -DGRID_AXIS=0 "));
  assert_int_equal(launch->local[0], 64);
  assert_int_equal(launch->global[0] % 64, 0);
  for (int d = 1; d < 3; ++d) {
    assert_int_equal(launch->global[d], 1);
    assert_int_equal(launch->local[d], 1);
  }
}

/* A destination and where it starts, a grid, what is filled in; a source and where it starts. */
static void check_arguments(const captured_launch *launch, size_t count) {
  static const captured_kind kinds[] = {CAPTURED_BUFFER, CAPTURED_VALUE,  CAPTURED_BUFFER,
                                        CAPTURED_VALUE,  CAPTURED_BUFFER, CAPTURED_VALUE};
  assert_int_equal(launch->argument_count, count);
  for (size_t i = 0; i < count; ++i) {
    const captured_argument *const argument = &launch->arguments[i];
    assert_int_equal(argument->kind, kinds[i]);
    assert_int_equal(argument->before != NULL, kinds[i] == CAPTURED_BUFFER);
    assert_int_equal(argument->after != NULL, i == 0);
    for (size_t byte = 0; kinds[i] == CAPTURED_VALUE && i != 1 && byte < argument->bytes; ++byte) {
      assert_int_equal(argument->value[byte], 0);
    }
  }
}

static void test_contents(void **state) {
  (void)state;
  captured_launch fill;
  captured_launch move;
  assert_int_equal(capture("contents", transposed), EXIT_CODE_OK);
  read_launch("contents/000-relayout_fill_16", &fill);
  read_launch("contents/001-relayout_transpose_4", &move);
  check_launch(&fill, "fill", "relayout_fill_16");
  check_launch(&move, "transpose", "relayout_transpose_4");
  check_arguments(&fill, 4);
  check_arguments(&move, 6);
  check_destination(&fill, &move);
  captured_launch_free(&fill);
  captured_launch_free(&move);
}

/* Others read the files without what is here. */
static void test_files(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"kernel\":\"relayout_transpose_4\",\"options\":\"-cl-std=CL1.2 ",
      "\",\"global\":[",
      ",1,1],\"local\":[64,1,1],\"case\":\"own\",\"from\":\"f32[70,50]{1,0}\",\"to\":\"",
      "\",\"schedule\":\"transpose word=4 ",
      "\",\"group_size\":64,\"arguments\":[{\"kind\":\"buffer\",\"bytes\":32768,"
      "\"before\":\"arg0.before\",\"after\":\"arg0.after\"},"
      "{\"kind\":\"value\",\"bytes\":8,\"hex\":\"0000000000000000\"},"
      "{\"kind\":\"buffer\",\"bytes\":",
      "{\"kind\":\"buffer\",\"bytes\":14000,\"before\":\"arg4.before\"},"};
  char path[PATH];
  size_t size = 0;
  assert_int_equal(capture("files", transposed), EXIT_CODE_OK);
  unsigned char *const bytes =
      scratch_read(path_of("files/001-relayout_transpose_4", "launch.json", path), &size);
  char *const text = calloc(1, size + 1);
  assert_non_null(text);
  memcpy(text, bytes, size);
  const char *at = text;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    at = strstr(at, texts[i]);
    assert_non_null(at);
  }
  free(text);
  free(bytes);
  free(scratch_read(path_of("files/001-relayout_transpose_4", "explained.json", path), &size));
  assert_in_range(size, sizeof "{\"parts\":[]}", 1 << 20);
  free(scratch_read(path_of("files/001-relayout_transpose_4", "arg4.before", path), &size));
  assert_int_equal(size, ROWS * COLUMNS * sizeof(uint32_t));
  free(scratch_read(path_of("files/001-relayout_transpose_4", "arg0.after", path), &size));
  assert_int_equal(size, TAIL * sizeof(uint32_t));
}

static void flip_byte(const char *folder, const char *file, size_t at) {
  char path[PATH];
  size_t size = 0;
  unsigned char *const bytes = scratch_read(path_of(folder, file, path), &size);
  assert_in_range(at, 0, size - 1);
  bytes[at] ^= 1;
  scratch_write(path, bytes, size);
  free(bytes);
}

static void test_replay(void **state) {
  (void)state;
  static const char launch[] = "replay/001-relayout_transpose_4";
  assert_int_equal(capture("replay", transposed), EXIT_CODE_OK);
  assert_int_equal(replay("replay/000-relayout_fill_16", "--repeat 1"), EXIT_CODE_OK);
  assert_int_equal(replay(launch, "--repeat 2"), EXIT_CODE_OK);
  assert_int_equal(replay(launch, "--repeat=1 --device opencl:1000:0"), EXIT_CODE_NO_DEVICE);
  assert_int_equal(replay(launch, "--device cpu"), EXIT_CODE_NO_DEVICE);
  flip_byte(launch, "arg0.after", 12345);
  assert_int_equal(replay(launch, "--repeat 1"), EXIT_CODE_DIFFERENT);
  flip_byte(launch, "arg0.after", 12345);
  assert_int_equal(replay(launch, "--repeat 1"), EXIT_CODE_OK);
  flip_byte(launch, "arg4.before", 0);
  assert_int_equal(replay(launch, "--repeat 1"), EXIT_CODE_DIFFERENT);
}

/* ---- Without a run ---- */

static void check_source(const char *folder, char options[CAPTURED_OPTIONS_SIZE]) {
  captured_launch launch;
  assert_int_equal(captured_launch_read(folder, &launch), EXIT_CODE_OK);
  for (size_t i = 0; i < launch.argument_count; ++i) {
    assert_null(launch.arguments[i].before);
    assert_null(launch.arguments[i].after);
  }
  snprintf(options, CAPTURED_OPTIONS_SIZE, "%s", launch.options);
  captured_launch_free(&launch);
}

/* Each program once, and nothing but what it is compiled from. */
static void test_sources(void **state) {
  (void)state;
  char pattern[PATH];
  glob_t found;
  char options[2][CAPTURED_OPTIONS_SIZE];
  assert_int_equal(capture("sources", "--suite matrix --suite matrix-u8 --sources"), EXIT_CODE_OK);
  assert_int_equal(glob(path_of("sources", "*", pattern), 0, NULL, &found), 0);
  assert_int_equal(found.gl_pathc, 2); /* of eight cases */
  for (size_t i = 0; i < 2; ++i) {
    check_source(found.gl_pathv[i], options[i]);
    assert_int_equal(scratch_count(found.gl_pathv[i]), 2);
  }
  assert_string_not_equal(options[0], options[1]);
  globfree(&found);
  captured_launch launch;
  read_launch("sources/000-relayout_transpose_4", &launch);
  assert_string_equal(launch.to, "f32[8192,8192]{0,1}");
  assert_int_equal(launch.arguments[0].bytes, 4 * 8192 * 8192);
  captured_launch_free(&launch);
  assert_int_equal(replay("sources/000-relayout_transpose_4", ""), EXIT_CODE_BAD_INPUT);
}

static void test_offered(void **state) {
  (void)state;
  assert_int_equal(capture("offered", "--suite matrix --sources --offered"), EXIT_CODE_OK);
  char path[PATH];
  glob_t found;
  assert_int_equal(glob(path_of("offered", "*", path), 0, NULL, &found), 0);
  assert_true(found.gl_pathc > 1);
  globfree(&found);
}

/* Rows of 16 floats can be moved 16 bytes at a time, but not from the second float on. */
static void test_unaligned(void **state) {
  (void)state;
  static const char *const words[] = {"copy word=16 ", "copy word=4 "};
  static const char *const sizes[] = {"16", "4"};
  static const char *const options[] = {"", "--unaligned"};
  for (uint64_t start = 0; start < 2; ++start) {
    char arguments[PATH];
    char folder[32];
    captured_launch launch;
    uint64_t starts[2];
    snprintf(arguments, sizeof arguments, "--from 'f32[64,16]' --to '{1,0:PD(64,32)}' --sources %s",
             options[start]);
    snprintf(folder, sizeof folder, "start%d", (int)start);
    assert_int_equal(capture(folder, arguments), EXIT_CODE_OK);
    snprintf(folder, sizeof folder, "start%d/000-relayout_copy_%s", (int)start, sizes[start]);
    read_launch(folder, &launch);
    assert_memory_equal(launch.schedule, words[start], strlen(words[start]));
    memcpy(&starts[0], launch.arguments[1].value, sizeof starts[0]);
    memcpy(&starts[1], launch.arguments[5].value, sizeof starts[1]);
    assert_int_equal(starts[0], start);
    assert_int_equal(starts[1], start);
    assert_int_equal(launch.arguments[0].bytes, 4 * (64 * 32 + start));
    captured_launch_free(&launch);
  }
}

/* ---- What cannot be done ---- */

static void test_refused(void **state) {
  (void)state;
  assert_int_equal(run(capture_program, ""), EXIT_CODE_USAGE);
  assert_int_equal(capture("refused", ""), EXIT_CODE_USAGE);
  assert_int_equal(capture("refused", "--suite ml --from 'f32[2]' --to '{0}'"), EXIT_CODE_USAGE);
  assert_int_equal(capture("refused", "--from 'f32[2]'"), EXIT_CODE_USAGE);
  assert_int_equal(capture("refused", "--suite ml --unknown"), EXIT_CODE_USAGE);
  assert_int_equal(capture("refused", "--suite ml --bytes many"), EXIT_CODE_USAGE);
  assert_int_equal(capture("refused", "--suite ml --schedule fly"), EXIT_CODE_USAGE);
  assert_int_equal(capture("refused", "--suite ml --offered --unaligned"), EXIT_CODE_USAGE);
  assert_int_equal(capture("no-shape", "--from 'f32[2' --to '{0}'"), EXIT_CODE_BAD_INPUT);
  assert_int_equal(capture("no-suite", "--suite nothing"), EXIT_CODE_BAD_INPUT);
  assert_int_equal(capture("no-case", "--suite ml --case nothing"), EXIT_CODE_BAD_INPUT);
  assert_int_equal(capture("no-schedule", "--from 'f32[2]' --to '{0}' --schedule 'fly'"),
                   EXIT_CODE_BAD_INPUT);
  assert_int_equal(capture("no-schedule", "--suite ml --sources"),
                   EXIT_CODE_FAILURE); /* is there */
  assert_int_equal(capture("refused", "--suite ml --device cpu"), EXIT_CODE_NO_DEVICE);
  assert_int_equal(run(replay_program, ""), EXIT_CODE_USAGE);
  assert_int_equal(replay("nothing", ""), EXIT_CODE_BAD_INPUT);
  assert_int_equal(replay("nothing", "--repeat 0"), EXIT_CODE_USAGE);
}

/* ---- What is said of a launch that cannot be right ---- */

#define RANGE "\"kernel\":\"k\",\"global\":[4,1,1],\"local\":[2,1,1],"

static void test_malformed(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      "{}",
      "{\"kernel\":\"k\",\"global\":[4,1,1],\"arguments\":[{\"kind\":\"local\",\"bytes\":4}]}",
      "{\"kernel\":\"k\",\"global\":[3,1,1],\"local\":[2,1,1],"
      "\"arguments\":[{\"kind\":\"local\",\"bytes\":4}]}",
      "{\"kernel\":\"k\",\"global\":[4,1],\"local\":[2,1],"
      "\"arguments\":[{\"kind\":\"local\",\"bytes\":4}]}",
      "{" RANGE "\"arguments\":[{\"kind\":\"local\",\"bytes\":4}]} and more",
      "{" RANGE "\"arguments\":[{\"kind\":\"image\",\"bytes\":4}]}",
      "{" RANGE "\"arguments\":[{\"kind\":\"local\",\"bytes\":-4}]}",
      "{" RANGE "\"arguments\":[{\"kind\":\"local\",\"bytes\":1e300}]}",
      "{" RANGE "\"arguments\":[{\"kind\":\"value\",\"bytes\":4,\"hex\":\"0000\"}]}",
      "{" RANGE "\"arguments\":[{\"kind\":\"value\",\"bytes\":1,\"hex\":\"0\"}]}",
      "{" RANGE "\"arguments\":[{\"kind\":\"value\",\"bytes\":1,\"hex\":\"0x\"}]}",
      "{" RANGE "\"arguments\":[{\"kind\":\"buffer\",\"bytes\":4,\"after\":\"arg0.after\"}]}",
      "{" RANGE "\"arguments\":[{\"kind\":\"buffer\",\"bytes\":4,\"before\":\"arg0.before\"}]}",
  };
  enum { TEXTS = sizeof texts / sizeof texts[0] };
  char path[PATH];
  char folder[PATH];
  path_of("malformed", ".", folder);
  captured_launch launch = {.kernel = "k",
                            .source = (char[]){"kernel"},
                            .global = {4, 1, 1},
                            .local = {2, 1, 1},
                            .argument_count = 1,
                            .arguments = {{.kind = CAPTURED_LOCAL, .bytes = 4}}};
  snprintf(path, sizeof path, "%s/malformed", scratch);
  assert_int_equal(captured_launch_write(&launch, path), EXIT_CODE_OK);
  path_of("malformed", "launch.json", path);
  for (size_t i = 0; i < TEXTS; ++i) {
    scratch_write(path, texts[i], strlen(texts[i]));
    assert_int_equal(captured_launch_read(folder, &launch), EXIT_CODE_BAD_INPUT);
    captured_launch_free(&launch);
  }
  static const char right[] = "{" RANGE "\"arguments\":[{\"kind\":\"local\",\"bytes\":4}]}";
  scratch_write(path, right, strlen(right));
  assert_int_equal(captured_launch_read(folder, &launch), EXIT_CODE_OK);
  assert_string_equal(launch.source, "kernel");
  captured_launch_free(&launch);
}

/* ---- Smaller cases ---- */

static bench_case case_of(const char *from, const char *to) {
  bench_case made = {.is_generic = false};
  assert_int_equal(relayout_shape_parse(from, &made.from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse(to, &made.to, NULL), RELAYOUT_OK);
  return made;
}

static void test_smaller_cases(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    size_t bytes;
    const char *smaller_from, *smaller_to;
  } cases[] = {
      /* What fits stays. */
      {"f32[8,9]{1,0}", "f32[8,9]{0,1}", 288, "f32[8,9]{1,0}", "f32[8,9]{0,1}"},
      /* Both are innermost: 8192 and 4096 are halved, the longer one first. */
      {"f32[8192,4096]{1,0}", "f32[8192,4096]{0,1}", 1 << 20, "f32[512,512]{1,0}",
       "f32[512,512]{0,1}"},
      /* 4097 = 1 + 16 * 256, 8191 = 255 + 31 * 256: what is beside 256 stays. */
      {"f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}", 80000000, "f32[4097,4095]{1,0}",
       "f32[4097,4095]{0,1}"},
      /* Channels stay, and the images' longest rows; first go the other 224, then the images. */
      {"u8[32,224,224,3]{3,2,1,0}", "u8[32,224,224,3]{2,1,3,0}", 2200000,
       "u8[32,96,224,3]{3,2,1,0}", "u8[32,96,224,3]{2,1,3,0}"},
      /* Padding stays in proportion, and so does a tail. */
      {"f32[8192,4000]{1,0}", "f32[8192,4000]{1,0:PD(8192,4096)}", 70000000, "f32[4096,4000]{1,0}",
       "f32[4096,4000]{1,0:PD(4096,4096)}"},
      {"u8[1000]{0}", "u8[1000]{0:L(1024)}", 600, "u8[488]{0}", "u8[488]{0:L(512)}"},
      /* Of twos those in the middle go. */
      {"u8[2,2,2]{2,1,0}", "u8[2,2,2]{0,1,2}", 4, "u8[2,1,2]{2,1,0}", "u8[2,1,2]{0,1,2}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[RELAYOUT_SHAPE_TEXT_SIZE];
    bench_case made = case_of(cases[i].from, cases[i].to);
    assert_true(smaller_case_make(&made, cases[i].bytes));
    relayout_shape_format(&made.from, text, sizeof text);
    assert_string_equal(text, cases[i].smaller_from);
    relayout_shape_format(&made.to, text, sizeof text);
    assert_string_equal(text, cases[i].smaller_to);
  }
  bench_case odd = case_of("f32[1]", "f32[1]");
  assert_false(smaller_case_make(&odd, 3));
}

static int remove_scratch(void **state) {
  (void)state;
  scratch_remove(scratch);
  return 0;
}

int main(int count, char **values) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_smaller_cases), cmocka_unit_test(test_malformed),
      cmocka_unit_test(test_refused),       cmocka_unit_test(test_contents),
      cmocka_unit_test(test_files),         cmocka_unit_test(test_replay),
      cmocka_unit_test(test_sources),       cmocka_unit_test(test_offered),
      cmocka_unit_test(test_unaligned),
  };
  if (count != 3) {
    fprintf(stderr, "wants CAPTURE and REPLAY\n");
    return 1;
  }
  capture_program = values[1];
  replay_program = values[2];
  scratch_make(scratch);
  if (capture("device", "--from 'f32[1]' --to '{0}' --sources") == NO_DEVICE) {
    scratch_remove(scratch);
    return SKIPPED;
  }
  return cmocka_run_group_tests_name("captured launches", tests, NULL, remove_scratch);
}
