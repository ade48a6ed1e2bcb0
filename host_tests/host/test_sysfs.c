/* Reading caches from folders such as Linux has for its processors: those of processors that there
 * are, and of some that say little or nonsense. */
#include "machine/sysfs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmocka_all.h"
#include "scratch.h"

/* ---- Folders of processors ---- */

/* The files of one indexN, as Linux prints them; NULL: there is no such file. */
typedef struct index_files {
  const char *level;
  const char *type;
  const char *size;
  const char *ways;
  const char *line;
  const char *shared;
} index_files;

enum { MOST_INDICES = 5 };
typedef struct processor_files {
  int32_t number;
  index_files indices[MOST_INDICES]; /* up to one without a level */
} processor_files;

static void write_file(const char *folder, const char *name, const char *text) {
  if (text != NULL) {
    char path[SCRATCH_PATH + 100];
    char line[8192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    scratch_write(path, line, (size_t)snprintf(line, sizeof line, "%s\n", text));
  }
}

static void write_processor(const char *root, const processor_files *files) {
  char folder[SCRATCH_PATH + 50];
  snprintf(folder, sizeof folder, "%s/cpu%d", root, files->number);
  assert_int_equal(mkdir(folder, 0700), 0);
  snprintf(folder, sizeof folder, "%s/cpu%d/cache", root, files->number);
  assert_int_equal(mkdir(folder, 0700), 0);
  for (int i = 0; i < MOST_INDICES && files->indices[i].level != NULL; ++i) {
    const index_files *const index = &files->indices[i];
    snprintf(folder, sizeof folder, "%s/cpu%d/cache/index%d", root, files->number, i);
    assert_int_equal(mkdir(folder, 0700), 0);
    write_file(folder, "level", index->level);
    write_file(folder, "type", index->type);
    write_file(folder, "size", index->size);
    write_file(folder, "ways_of_associativity", index->ways);
    write_file(folder, "coherency_line_size", index->line);
    write_file(folder, "shared_cpu_list", index->shared);
  }
}

/* What is read of these processors, of which there may be one or two. */
static rlt_machine read_back(const processor_files *first, const processor_files *last) {
  char root[SCRATCH_PATH];
  scratch_make(root);
  write_processor(root, first);
  if (last != first) {
    write_processor(root, last);
  }
  rlt_machine facts = {.line_bytes = 999, .caches = {{9, 9, 9}, {9, 9, 9}, {9, 9, 9}}};
  rlt_sysfs_read_caches(root, first->number, last->number, &facts);
  scratch_remove(root);
  return facts;
}

typedef struct expected {
  int64_t line_bytes;
  rlt_cache_facts caches[RLT_CACHE_LEVELS];
} expected;

static void check(const char *name, const rlt_machine *facts, const expected *wanted) {
  if (facts->line_bytes != wanted->line_bytes) {
    fail_msg("%s: lines of %d, not %d bytes", name, (int)facts->line_bytes,
             (int)wanted->line_bytes);
  }
  for (int level = 0; level < RLT_CACHE_LEVELS; ++level) {
    const rlt_cache_facts *const has = &facts->caches[level];
    const rlt_cache_facts *const wants = &wanted->caches[level];
    if (has->bytes != wants->bytes || has->ways != wants->ways || has->shared != wants->shared) {
      fail_msg("%s: level %d is %lld:%d:%d, not %lld:%d:%d", name, level + 1, (long long)has->bytes,
               has->ways, has->shared, (long long)wants->bytes, wants->ways, wants->shared);
    }
  }
}

/* ---- Processors of one kind ---- */

static const struct {
  const char *name;
  processor_files files;
  expected wanted;
} kinds[] = {
    {"Zen 3, 8 cores of two threads",
     {15,
      {{"1", "Data", "32K", "8", "64", "7,15"},
       {"1", "Instruction", "32K", "8", "64", "7,15"},
       {"2", "Unified", "512K", "8", "64", "7,15"},
       {"3", "Unified", "32768K", "16", "64", "0-15"}}},
     {64, {{32768, 8, 2}, {524288, 8, 2}, {33554432, 16, 16}}}},
    {"Sapphire Rapids, 56 cores of two threads",
     {0,
      {{"1", "Data", "48K", "12", "64", "0,112"},
       {"1", "Instruction", "32K", "8", "64", "0,112"},
       {"2", "Unified", "2048K", "16", "64", "0,112"},
       {"3", "Unified", "107520K", "15", "64", "0-55,112-167"}}},
     {64, {{49152, 12, 2}, {2097152, 16, 2}, {110100480, 15, 112}}}},
    {"Neoverse N1, without a third level that Linux sees",
     {3,
      {{"1", "Data", "64K", "4", "64", "3"},
       {"1", "Instruction", "64K", "4", "64", "3"},
       {"2", "Unified", "1024K", "8", "64", "3"}}},
     {64, {{65536, 4, 1}, {1048576, 8, 1}}}},
    {"Apple's, with longer lines behind the first level and no third one",
     {4,
      {{"1", "Data", "128K", "8", "64", "4"},
       {"1", "Instruction", "192K", "6", "64", "4"},
       {"2", "Unified", "12M", "12", "128", "4-7"}}},
     {128, {{131072, 8, 1}, {12582912, 12, 4}}}},
    {"a board that tells no sizes",
     {0, {{"1", "Data", NULL, NULL, "64", "0"}, {"2", "Unified", NULL, NULL, "64", "0-3"}}},
     {64, {{0}}}},
    {"sizes alone", {0, {{"1", "Data", "32K", NULL, NULL, NULL}}}, {0, {{32768, 0, 0}}}},
    {"no cache at all", {.number = 0}, {0, {{0}}}},
    {"a fourth level",
     {0,
      {{"1", "Data", "32K", "8", "64", "0"},
       {"2", "Unified", "256K", "4", "64", "0"},
       {"3", "Unified", "6144K", "12", "64", "0-3"},
       {"4", "Unified", "131072K", "16", "64", "0-3"}}},
     {64, {{32768, 8, 1}, {262144, 4, 1}, {6291456, 12, 4}}}},
    {"a second level of which nothing is known hides the third",
     {0,
      {{"1", "Data", "32K", "8", "64", "0"},
       {"2", "Unified", "-256K", "4", "64", "0"},
       {"3", "Unified", "6144K", "12", "64", "0-3"}}},
     {64, {{32768, 8, 1}}}},
};

static void test_kinds(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    const rlt_machine facts = read_back(&kinds[i].files, &kinds[i].files);
    check(kinds[i].name, &facts, &kinds[i].wanted);
  }
}

/* ---- Two kinds ---- */

/* Of 16 processors the first have the larger first level, and share it; the last have the larger
 * second one, of which each has less. */
static void test_hybrid(void **state) {
  (void)state;
  static const processor_files performance = {0,
                                              {{"1", "Data", "48K", "12", "64", "0-1"},
                                               {"2", "Unified", "1280K", "10", "64", "0-1"},
                                               {"3", "Unified", "30720K", "12", "64", "0-15"}}};
  static const processor_files efficiency = {15,
                                             {{"1", "Data", "32K", "8", "64", "15"},
                                              {"2", "Unified", "2048K", "16", "64", "12-15"},
                                              {"3", "Unified", "30720K", "12", "64", "0-15"}}};
  static const expected wanted = {64, {{49152, 12, 2}, {2097152, 16, 4}, {31457280, 12, 16}}};
  rlt_machine facts = read_back(&performance, &efficiency);
  check("performance first", &facts, &wanted);
  facts = read_back(&efficiency, &performance);
  check("efficiency first", &facts, &wanted);

  static const processor_files little = {
      1, {{"1", "Data", "32K", "4", "64", "1"}, {"2", "Unified", "128K", "4", "32", "1"}}};
  static const expected smaller = {64, {{49152, 12, 2}, {131072, 4, 1}}};
  facts = read_back(&performance, &little);
  check("a last one without a third level", &facts, &smaller);

  /* Of a level that is a byte for two, a processor has nothing, as of one that is not told of. */
  static const processor_files odd = {
      0, {{"1", "Data", "32K", "8", "64", "0-1"}, {"2", "Unified", "1", "1", "64", "0-1"}}};
  static const processor_files silent = {1, {{"1", "Data", "48X", "12", "64", "1"}}};
  static const expected none = {64, {{0}}};
  facts = read_back(&odd, &silent);
  check("a last one without any level", &facts, &none);
}

/* ---- Nonsense ---- */

static void test_sizes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t bytes;
  } cases[] = {
      {"48K", 49152},
      {"49152", 49152},
      {"2M", 2097152},
      {"1G", 1073741824},
      {"1048576G", INT64_C(1) << 50},
      {"1048577G", 0},
      {"9223372036854775807", 0},
      {"9223372036854775807K", 0},
      {"99999999999999999999999999", 0},
      {"36028797018963968K", 0}, /* 2^65 bytes */
      {"0", 0},
      {"0K", 0},
      {"", 0},
      {"K", 0},
      {"-1", 0},
      {"+1", 0},
      {" 48K", 0},
      {"48 K", 0},
      {"48KB", 0},
      {"48k", 0},
      {"48T", 0},
      {"0x30", 0},
      {"unknown", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const processor_files files = {0, {{"1", "Data", cases[i].text, "8", "64", "0"}}};
    const rlt_machine facts = read_back(&files, &files);
    if (facts.caches[0].bytes != cases[i].bytes) {
      fail_msg("size '%s' is %lld bytes, not %lld", cases[i].text, (long long)facts.caches[0].bytes,
               (long long)cases[i].bytes);
    }
    assert_int_equal(facts.caches[0].ways, cases[i].bytes > 0 ? 8 : 0);
  }
}

static void test_lists_of_processors(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int32_t count;
  } cases[] = {
      {"0", 1},
      {"5", 1},
      {"0-15", 16},
      {"0-3,8-11", 8},
      {"0,2,4,6", 4},
      {"65536", 1},
      {"0-65535", 65536},
      {"0-65537", 0},
      {"3-1", 0},
      {"", 0},
      {"-", 0},
      {"1-", 0},
      {"-1", 0},
      {"1,", 0},
      {",1", 0},
      {"1,,2", 0},
      {"1;2", 0},
      {"1 2", 0},
      {"all", 0},
      {"0-1-2", 0},
      {"0-99999999999999999999", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const processor_files files = {0, {{"1", "Data", "48K", "8", "64", cases[i].text}}};
    const rlt_machine facts = read_back(&files, &files);
    if (facts.caches[0].shared != cases[i].count) {
      fail_msg("'%s' are %d processors, not %d", cases[i].text, facts.caches[0].shared,
               cases[i].count);
    }
  }
}

/* Half of a thousand processors, each by itself; and more than any line of a file has. */
static void test_long_lists(void **state) {
  (void)state;
  char list[8000];
  size_t length = 0;
  for (int i = 0; i < 500; ++i) {
    length += (size_t)sprintf(list + length, "%s%d", i == 0 ? "" : ",", 2 * i);
  }
  processor_files files = {0, {{"1", "Data", "48K", "8", "64", list}}};
  rlt_machine facts = read_back(&files, &files);
  assert_int_equal(facts.caches[0].shared, 500);

  memset(list, '1', sizeof list - 1);
  list[sizeof list - 1] = '\0';
  files.indices[0].ways = list;
  facts = read_back(&files, &files);
  assert_int_equal(facts.caches[0].bytes, 49152);
  assert_int_equal(facts.caches[0].ways, 0);
  assert_int_equal(facts.caches[0].shared, 0);
}

static void test_other_nonsense(void **state) {
  (void)state;
  static const struct {
    processor_files files;
    expected wanted;
  } cases[] = {
      {{0, {{"0", "Data", "48K", "8", "64", "0"}, {"1", "Data", "32K", "8", "64", "0"}}},
       {64, {{32768, 8, 1}}}},
      {{0, {{"1", "Trace", "48K", "8", "64", "0"}}}, {0, {{0}}}},
      {{0, {{"1", NULL, "48K", "8", "64", "0"}}}, {0, {{0}}}},
      {{0, {{"one", "Data", "48K", "8", "64", "0"}}}, {0, {{0}}}},
      {{0, {{"1", "Data", "48K", "1048577", "8192", "0"}}}, {0, {{49152, 0, 1}}}},
      {{0, {{"1", "Data", "48K", "2147483648", "96", "0"}}}, {0, {{49152, 0, 1}}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char name[20];
    snprintf(name, sizeof name, "case %zu", i);
    const rlt_machine facts = read_back(&cases[i].files, &cases[i].files);
    check(name, &facts, &cases[i].wanted);
  }
}

static void test_no_folder(void **state) {
  (void)state;
  static const expected nothing = {0, {{0}}};
  rlt_machine facts = {.line_bytes = 64, .caches = {{1, 1, 1}}};
  rlt_sysfs_read_caches("/nonexistent/folder", 0, 0, &facts);
  check("no folder", &facts, &nothing);
  char folder[8192];
  memset(folder, 'x', sizeof folder - 1);
  folder[sizeof folder - 1] = '\0';
  rlt_sysfs_read_caches(folder, 0, 1, &facts);
  check("a path that is too long", &facts, &nothing);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds),      cmocka_unit_test(test_hybrid),
      cmocka_unit_test(test_sizes),      cmocka_unit_test(test_lists_of_processors),
      cmocka_unit_test(test_long_lists), cmocka_unit_test(test_other_nonsense),
      cmocka_unit_test(test_no_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
