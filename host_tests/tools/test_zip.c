/* test_zip.c: archives that are made here, byte by byte, good ones and hostile ones. */
#include "cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zip.h"

enum { CAPACITY = 4096, MOST_BYTES = 2000 };

/* An archive that grows. */
typedef struct archive {
  uint8_t bytes[CAPACITY];
  size_t size;
} archive;

static void put(archive *to, const void *bytes, size_t size) {
  assert_true(to->size + size <= CAPACITY);
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
}

static void put_number(archive *to, uint64_t number, int count) {
  for (int i = 0; i < count; i++) {
    const uint8_t byte = (uint8_t)(number >> 8 * i);
    put(to, &byte, 1);
  }
}

/* One member, and what is said of it where that is not the truth. */
typedef struct member {
  const char *name;
  const void *packed;
  size_t packed_size;
  uint64_t size;
  uint32_t checksum;
  uint16_t method;
  uint16_t flags;
  size_t header;
} member;

static const uint8_t thousand[] = {0x4b, 0x4c, 0x1c, 0x05, 0xa3, 0x60,
                                   0x14, 0x0c, 0x77, 0x00, 0x00};
static const member letters = {
    .name = "b.npy", .packed = "abcdef", .packed_size = 6, .size = 6, .checksum = 0x4b8e39ef};
static const member many = {.name = "a.npy",
                            .packed = thousand,
                            .packed_size = sizeof thousand,
                            .size = 1000,
                            .checksum = 0x9a38da03,
                            .method = 8};

static void put_header(archive *to, member *of) {
  of->header = to->size;
  put(to, "PK\3\4", 4);
  put_number(to, 20, 2);
  put_number(to, of->flags, 2);
  put_number(to, of->method, 2);
  put_number(to, 0, 4);
  const bool follows = (of->flags & 8) != 0;
  put_number(to, follows ? 0 : of->checksum, 4);
  put_number(to, follows ? 0 : of->packed_size, 4);
  put_number(to, follows ? 0 : of->size, 4);
  put_number(to, strlen(of->name), 2);
  put_number(to, 4, 2);
  put(to, of->name, strlen(of->name));
  put_number(to, 0x7777, 2); /* an extra field of no bytes */
  put_number(to, 0, 2);
  put(to, of->packed, of->packed_size);
  if (follows) {
    put(to, "PK\7\10", 4);
    put_number(to, of->checksum, 4);
    put_number(to, of->packed_size, 4);
    put_number(to, of->size, 4);
  }
}

/* With its sizes and its place in 64 bits, where `is_wide`. */
static void put_entry(archive *to, const member *of, bool is_wide) {
  put(to, "PK\1\2", 4);
  put_number(to, 20, 2);
  put_number(to, 20, 2);
  put_number(to, of->flags, 2);
  put_number(to, of->method, 2);
  put_number(to, 0, 4);
  put_number(to, of->checksum, 4);
  put_number(to, is_wide ? UINT32_MAX : of->packed_size, 4);
  put_number(to, is_wide ? UINT32_MAX : of->size, 4);
  put_number(to, strlen(of->name), 2);
  put_number(to, is_wide ? 28 : 0, 2);
  put_number(to, 0, 8);
  put_number(to, 0, 2);
  put_number(to, is_wide ? UINT32_MAX : of->header, 4);
  put(to, of->name, strlen(of->name));
  if (is_wide) {
    put_number(to, 1, 2);
    put_number(to, 24, 2);
    put_number(to, of->size, 8);
    put_number(to, of->packed_size, 8);
    put_number(to, of->header, 8);
  }
}

static void put_end(archive *to, size_t directory, size_t count, bool is_wide) {
  const size_t size = to->size - directory;
  const size_t record = to->size;
  if (is_wide) {
    put(to, "PK\6\6", 4);
    put_number(to, 44, 8);
    put_number(to, 45, 2);
    put_number(to, 45, 2);
    put_number(to, 0, 8);
    put_number(to, count, 8);
    put_number(to, count, 8);
    put_number(to, size, 8);
    put_number(to, directory, 8);
    put(to, "PK\6\7", 4);
    put_number(to, 0, 4);
    put_number(to, record, 8);
    put_number(to, 1, 4);
  }
  put(to, "PK\5\6", 4);
  put_number(to, 0, 4);
  put_number(to, is_wide ? 0xffff : count, 2);
  put_number(to, is_wide ? 0xffff : count, 2);
  put_number(to, is_wide ? UINT32_MAX : size, 4);
  put_number(to, is_wide ? UINT32_MAX : directory, 4);
  put_number(to, 5, 2);
  put(to, "hello", 5);
}

static archive archive_of(member *members, size_t count, bool is_wide) {
  archive made = {.size = 0};
  for (size_t i = 0; i < count; i++) {
    put_header(&made, &members[i]);
  }
  const size_t directory = made.size;
  for (size_t i = 0; i < count; i++) {
    put_entry(&made, &members[count - 1 - i], is_wide); /* in whatever order */
  }
  put_end(&made, directory, count, is_wide);
  return made;
}

static FILE *file_of(const archive *from) {
  FILE *const file = tmpfile();
  assert_non_null(file);
  assert_int_equal(fwrite(from->bytes, 1, from->size, file), from->size);
  assert_int_equal(fflush(file), 0);
  return file;
}

/* ---- Good ones ------------------------------------------------------------------------------ */

/* What a member holds, taken a few bytes at a time. */
static relayout_status read_member(const zip_directory *of, const zip_member *from, uint8_t *bytes,
                                   size_t *size, relayout_error *error) {
  zip_reader *reader;
  relayout_status status = zip_reader_open(of, from, &reader, error);
  *size = 0;
  for (size_t got = 7; status == RELAYOUT_OK && got == 7;) {
    assert_true(*size + 7 <= MOST_BYTES);
    status = zip_reader_read(reader, bytes + *size, 7, &got, error);
    *size += status == RELAYOUT_OK ? got : 0;
  }
  zip_reader_close(reader);
  return status;
}

static bool inflates(void) {
#ifdef RELAYOUT_HAVE_ZLIB
  return true;
#else
  return false;
#endif
}

static void expect_both(const archive *given) {
  FILE *const file = file_of(given);
  zip_directory of;
  relayout_error error;
  uint8_t bytes[MOST_BYTES];
  size_t size;
  if (zip_open(fileno(file), given->size, &of, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(of.count, 2);
  assert_string_equal(of.members[0].name, "b.npy");
  assert_string_equal(of.members[1].name, "a.npy");
  assert_int_equal(read_member(&of, &of.members[0], bytes, &size, &error), RELAYOUT_OK);
  assert_int_equal(size, 6);
  assert_memory_equal(bytes, "abcdef", 6);
  const relayout_status status = read_member(&of, &of.members[1], bytes, &size, &error);
  if (inflates()) {
    assert_int_equal(status, RELAYOUT_OK);
    assert_int_equal(size, 1000);
    for (size_t i = 0; i < size; i++) {
      assert_int_equal(bytes[i], 'a');
    }
  } else {
    assert_int_equal(status, RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "RELAYOUT_ZLIB"));
  }
  zip_free(&of);
  fclose(file);
}

static void test_good_archives(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    member members[] = {letters, many};
    members[0].flags = members[1].flags = i / 2 == 1 ? 8 : 0; /* sizes behind the bytes */
    const archive given = archive_of(members, 2, i % 2 == 1);
    expect_both(&given);
  }
}

static void test_empty_archive(void **state) {
  (void)state;
  const archive given = archive_of(NULL, 0, false);
  FILE *const file = file_of(&given);
  zip_directory of;
  assert_int_equal(zip_open(fileno(file), given.size, &of, NULL), RELAYOUT_OK);
  assert_int_equal(of.count, 0);
  zip_free(&of);
  fclose(file);
}

/* ---- Hostile ones --------------------------------------------------------------------------- */

/* That the archive is refused, or each of its members, with such a message. */
static void refuse(const archive *given, const char *message) {
  FILE *const file = file_of(given);
  zip_directory of;
  relayout_error error;
  relayout_status status = zip_open(fileno(file), given->size, &of, &error);
  if (status == RELAYOUT_OK) {
    uint8_t bytes[MOST_BYTES];
    size_t size;
    assert_true(of.count > 0);
    status = read_member(&of, &of.members[0], bytes, &size, &error);
    zip_free(&of);
  }
  assert_true(status == RELAYOUT_INVALID_TEXT || status == RELAYOUT_UNSUPPORTED);
  if (strstr(error.message, message) == NULL) {
    fail_msg("said '%s', not '%s'", error.message, message);
  }
  fclose(file);
}

static void refuse_one(member of, const char *message) {
  const archive given = archive_of(&of, 1, false);
  refuse(&given, message);
}

static void test_lying_members(void **state) {
  (void)state;
  member of = letters;
  of.checksum += 1;
  refuse_one(of, "do not have the size or checksum");
  of = letters;
  of.size = 7;
  refuse_one(of, "cannot hold 7 bytes packed in 6");
  of = letters;
  of.method = 12;
  refuse_one(of, "method 12");
  of = letters;
  of.flags = 1;
  refuse_one(of, "is encrypted");
  if (!inflates()) {
    return;
  }
  of = many;
  of.size = 1001; /* more than there is */
  refuse_one(of, "do not have the size or checksum");
  of = many;
  of.size = 999;
  refuse_one(of, "do not have the size or checksum");
  of = many;
  of.size = UINT32_MAX - 1; /* a bomb */
  refuse_one(of, "cannot hold 4294967294 bytes packed in 11");
  of = many;
  of.packed = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  refuse_one(of, "do not have the size or checksum");
}

/* Numbers of the one member's header and entry, and of the end, one after the other. */
static void test_lying_records(void **state) {
  (void)state;
  member of = letters;
  const archive good = archive_of(&of, 1, false);
  const size_t entry = 30 + 5 + 4 + 6, end = entry + 46 + 5;
  static const char none[] = "directory";
  const struct {
    size_t at;
    uint8_t byte;
    const char *message;
  } cases[] = {
      {0, 'X', "differs from"},
      {8, 8, "differs from"},
      {18, 7, "differs from"},
      {26, 9, "differs from"},
      {28, 200, "differs from"},
      {entry, 'X', "entry 0"},
      {entry + 20, 90, "something else"},
      {entry + 28, 99, "entry 0"},
      {entry + 30, 99, "entry 0"},
      {entry + 42, 1, "differs from"},
      {entry + 45, 0x7f, "something else"},
      {entry + 46, 0, "entry 0"},
      {end, 'X', none},
      {end + 4, 1, "several files"},
      {end + 10, 2, none},
      {end + 12, 1, none},
      {end + 16, 0xff, none},
      {end + 20, 4, none},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    archive bad = good;
    assert_true(bad.bytes[cases[i].at] != cases[i].byte);
    bad.bytes[cases[i].at] = cases[i].byte;
    print_message("byte %zu\n", cases[i].at);
    refuse(&bad, cases[i].message);
  }
  for (size_t size = 0; size < good.size; size++) {
    archive bad = good;
    bad.size = size;
    refuse(&bad, "");
  }
}

/* Two members of the same bytes, and two of one name. */
static void test_shared(void **state) {
  (void)state;
  member of[] = {letters, letters};
  archive bad = archive_of(of, 2, false);
  refuse(&bad, "two members are called 'b.npy'");
  of[0] = letters;
  of[1] = letters;
  of[1].name = "c.npy";
  bad = (archive){.size = 0};
  put_header(&bad, &of[0]);
  of[1].header = of[0].header;
  const size_t directory = bad.size;
  put_entry(&bad, &of[0], false);
  put_entry(&bad, &of[1], false);
  put_end(&bad, directory, 2, false);
  refuse(&bad, "something else");
}

static void test_lying_wide_records(void **state) {
  (void)state;
  member of = letters;
  const archive good = archive_of(&of, 1, true);
  const size_t entry = 30 + 5 + 4 + 6, end = entry + 46 + 5 + 28;
  const struct {
    size_t at;
    uint8_t byte;
    const char *message;
  } cases[] = {
      {entry + 46 + 5 + 2, 99, "entry 0"},
      {entry + 46 + 5 + 11, 0x80, "cannot hold"},
      {entry + 46 + 5 + 19, 0x80, "something"},
      {entry + 46 + 5 + 27, 0xff, "something"},
      {end, 'X', "no ZIP64 record"},
      {end + 16, 1, "several files"},
      {end + 39, 0xff, "directory"},
      {end + 47, 0xff, "directory"},
      {end + 55, 0xff, "directory"},
      {end + 56 + 8, 0xff, "ZIP64 record"},
      {end + 56 + 15, 0xff, "ZIP64 record"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    archive bad = good;
    bad.bytes[cases[i].at] = cases[i].byte;
    print_message("byte %zu\n", cases[i].at);
    refuse(&bad, cases[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_archives), cmocka_unit_test(test_empty_archive),
      cmocka_unit_test(test_lying_members), cmocka_unit_test(test_lying_records),
      cmocka_unit_test(test_shared),        cmocka_unit_test(test_lying_wide_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
