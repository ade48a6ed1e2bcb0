/* zip.c: PKWARE's APPNOTE.TXT, as far as NumPy's files go. Numbers have their lowest byte first. */
#include "zip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RELAYOUT_HAVE_ZLIB
#include <zlib.h>
#endif

#include "fail.h"

enum {
  END_SIZE = 22, /* of records, without what may follow in them */
  MOST_COMMENT = 65535,
  LOCATOR_SIZE = 20,
  WIDE_END_SIZE = 56,
  ENTRY_SIZE = 46,
  HEADER_SIZE = 30,
  STORED = 0,
  DEFLATED = 8,
  ENCRYPTED = 1,          /* flags */
  SIZES_FOLLOW = 8,       /* the member's own header does not know its sizes */
  WIDE_EXTRA = 1,         /* an entry's field with numbers of 64 bits */
  MOST_GAIN = 1032,       /* bytes that deflate makes of one */
  CHUNK_SIZE = 64 * 1024, /* what is read at a time */
  CHECKSUM_ENTRIES = 256
};

static uint64_t number_at(const uint8_t *bytes, int count) {
  uint64_t number = 0;
  for (int i = count - 1; i >= 0; i--) {
    number = number << 8 | bytes[i];
  }
  return number;
}

static bool is_record(const uint8_t *bytes, char third, char fourth) {
  return bytes[0] == 'P' && bytes[1] == 'K' && bytes[2] == (uint8_t)third &&
         bytes[3] == (uint8_t)fourth;
}

/* All of them, or a failure. */
static relayout_status read_at(int file, uint64_t place, void *bytes, size_t size,
                               relayout_error *error) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = pread(file, (uint8_t *)bytes + done, size - done, (off_t)(place + done));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return fail_with(error, RELAYOUT_INVALID_TEXT,
                       "the archive cannot be read at byte %" PRIu64 ": %s", place + done,
                       count < 0 ? strerror(errno) : "it ends there");
    }
    done += (size_t)count;
  }
  return RELAYOUT_OK;
}

/* ---- The end of the archive ----------------------------------------------------------------- */

/* What the records at the end say of the directory. */
typedef struct ending {
  uint64_t count;
  uint64_t size;
  uint64_t place;
  uint64_t end; /* the directory ends here at the latest */
} ending;

static relayout_status check_ending(const ending *found, relayout_error *error) {
  if (found->place > found->end || found->size > found->end - found->place ||
      found->count > found->size / ENTRY_SIZE) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "the archive's directory of %" PRIu64 " members would have %" PRIu64
                     " bytes from byte %" PRIu64 " on, before byte %" PRIu64,
                     found->count, found->size, found->place, found->end);
  }
  return found->size <= ZIP_MOST_DIRECTORY_BYTES
             ? RELAYOUT_OK
             : fail_with(error, RELAYOUT_UNSUPPORTED,
                         "the archive's directory has %" PRIu64 " bytes; at most %d are read",
                         found->size, ZIP_MOST_DIRECTORY_BYTES);
}

/* Of an archive with ZIP64's records, of which the one before the end says where the other is. */
static relayout_status read_wide_ending(int file, const uint8_t locator[LOCATOR_SIZE],
                                        uint64_t before, ending *found, relayout_error *error) {
  uint8_t bytes[WIDE_END_SIZE];
  const uint64_t place = number_at(locator + 8, 8);
  if (before < WIDE_END_SIZE || place > before - WIDE_END_SIZE) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "the archive's ZIP64 record would be at byte %" PRIu64
                     ", behind the one that says so",
                     place);
  }
  const relayout_status status = read_at(file, place, bytes, sizeof bytes, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (!is_record(bytes, 6, 6)) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "no ZIP64 record is at byte %" PRIu64, place);
  }
  if (number_at(bytes + 16, 4) != 0 || number_at(bytes + 20, 4) != 0) {
    return fail_with(error, RELAYOUT_UNSUPPORTED, "the archive is one of several files");
  }
  *found = (ending){.count = number_at(bytes + 32, 8),
                    .size = number_at(bytes + 40, 8),
                    .place = number_at(bytes + 48, 8),
                    .end = place};
  return check_ending(found, error);
}

/* The record whose comment ends where the file does; -1 where there is none. */
static int64_t find_end(const uint8_t *tail, size_t size) {
  for (size_t i = size - END_SIZE + 1; i > 0; i--) {
    const uint8_t *const at = tail + i - 1;
    if (is_record(at, 5, 6) && number_at(at + 20, 2) == size - END_SIZE - (i - 1)) {
      return (int64_t)(i - 1);
    }
  }
  return -1;
}

/* `tail` ends where the file does. */
static relayout_status read_tail(int file, uint64_t size, const uint8_t *tail, size_t tail_size,
                                 ending *found, relayout_error *error) {
  const int64_t at = find_end(tail, tail_size);
  if (at < 0) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "this is not a zip archive: it does not end with a directory");
  }
  const uint8_t *const record = tail + at;
  const uint64_t end = size - tail_size + (uint64_t)at;
  if (at >= LOCATOR_SIZE && is_record(record - LOCATOR_SIZE, 6, 7)) {
    return read_wide_ending(file, record - LOCATOR_SIZE, end - LOCATOR_SIZE, found, error);
  }
  if (number_at(record + 4, 2) != 0 || number_at(record + 6, 2) != 0) {
    return fail_with(error, RELAYOUT_UNSUPPORTED, "the archive is one of several files");
  }
  *found = (ending){.count = number_at(record + 10, 2),
                    .size = number_at(record + 12, 4),
                    .place = number_at(record + 16, 4),
                    .end = end};
  return check_ending(found, error);
}

static relayout_status read_ending(int file, uint64_t size, ending *found, relayout_error *error) {
  const uint64_t most = END_SIZE + MOST_COMMENT + LOCATOR_SIZE;
  const size_t tail_size = (size_t)(size < most ? size : most);
  if (size < END_SIZE) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "this is not a zip archive: it has %" PRIu64 " bytes", size);
  }
  uint8_t *const tail = malloc(tail_size);
  if (tail == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu bytes of an archive",
                     tail_size);
  }
  relayout_status status = read_at(file, size - tail_size, tail, tail_size, error);
  if (status == RELAYOUT_OK) {
    status = read_tail(file, size, tail, tail_size, found, error);
  }
  free(tail);
  return status;
}

/* ---- The directory -------------------------------------------------------------------------- */

/* Of numbers that 32 bits do not hold, those of 64 bits: in this order, those that are needed. */
static bool read_wide_numbers(const uint8_t *extra, size_t size, zip_member *member) {
  uint64_t *const numbers[] = {&member->size, &member->packed_size, &member->header};
  bool is_needed = false;
  for (size_t i = 0; i < 3; i++) {
    is_needed = is_needed || *numbers[i] == UINT32_MAX;
  }
  while (is_needed && size >= 4) {
    const size_t length = (size_t)number_at(extra + 2, 2);
    if (length > size - 4) {
      return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < 3 && number_at(extra, 2) == WIDE_EXTRA; i++) {
      if (*numbers[i] == UINT32_MAX && at + 8 <= length) {
        *numbers[i] = number_at(extra + 4 + at, 8);
        at += 8;
      }
    }
    is_needed = number_at(extra, 2) != WIDE_EXTRA;
    extra += 4 + length;
    size -= 4 + length;
  }
  return true;
}

/* One entry of the directory; its name is moved to where a NUL has room behind it. */
static relayout_status read_entry(const uint8_t *bytes, size_t left, size_t number, char **names,
                                  zip_member *member, size_t *taken, relayout_error *error) {
  if (left < ENTRY_SIZE || !is_record(bytes, 1, 2)) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "entry %zu of the archive's directory does not begin as an entry does",
                     number);
  }
  const size_t name = (size_t)number_at(bytes + 28, 2);
  const size_t extra = (size_t)number_at(bytes + 30, 2);
  *taken = ENTRY_SIZE + name + extra + (size_t)number_at(bytes + 32, 2);
  *member = (zip_member){.name = *names,
                         .flags = (uint16_t)number_at(bytes + 8, 2),
                         .method = (uint16_t)number_at(bytes + 10, 2),
                         .checksum = (uint32_t)number_at(bytes + 16, 4),
                         .packed_size = number_at(bytes + 20, 4),
                         .size = number_at(bytes + 24, 4),
                         .header = number_at(bytes + 42, 4)};
  if (*taken > left || memchr(bytes + ENTRY_SIZE, '\0', name) != NULL ||
      !read_wide_numbers(bytes + ENTRY_SIZE + name, extra, member)) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "entry %zu of the archive's directory has lengths or sizes that do not fit it",
                     number);
  }
  memcpy(*names, bytes + ENTRY_SIZE, name);
  (*names)[name] = '\0';
  *names += name + 1;
  return RELAYOUT_OK;
}

static int compare_places(const void *a, const void *b) {
  const zip_member *const left = a;
  const zip_member *const right = b;
  return left->header < right->header ? -1 : left->header > right->header;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* That no two members share a byte; and where each ends. */
static relayout_status check_places(zip_directory *of, uint64_t end, relayout_error *error) {
  qsort(of->members, of->count, sizeof *of->members, compare_places);
  for (size_t i = 0; i < of->count; i++) {
    zip_member *const member = &of->members[i];
    member->limit = i + 1 < of->count ? of->members[i + 1].header : end;
    const uint64_t least = HEADER_SIZE + strlen(member->name);
    if (member->limit > end || member->header > member->limit ||
        member->limit - member->header < least ||
        member->packed_size > member->limit - member->header - least) {
      return fail_with(error, RELAYOUT_INVALID_TEXT,
                       "member '%s' would have %" PRIu64 " bytes from byte %" PRIu64
                       " on, where something else begins at byte %" PRIu64,
                       member->name, member->packed_size, member->header, member->limit);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_names(const zip_directory *of, relayout_error *error) {
  const char **const names = malloc((of->count + 1) * sizeof *names);
  if (names == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the names of %zu members",
                     of->count);
  }
  for (size_t i = 0; i < of->count; i++) {
    names[i] = of->members[i].name;
  }
  qsort(names, of->count, sizeof *names, compare_names);
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 1; i < of->count && status == RELAYOUT_OK; i++) {
    if (strcmp(names[i - 1], names[i]) == 0) {
      status = fail_with(error, RELAYOUT_INVALID_TEXT, "two members are called '%s'", names[i]);
    }
  }
  free(names);
  return status;
}

static relayout_status read_entries(const uint8_t *bytes, const ending *found, zip_directory *made,
                                    relayout_error *error) {
  size_t at = 0;
  char *names = made->names;
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < (size_t)found->count && status == RELAYOUT_OK; i++) {
    size_t taken = 0;
    status = read_entry(bytes + at, (size_t)found->size - at, i, &names, &made->members[i], &taken,
                        error);
    made->count = i + 1;
    at += taken;
  }
  if (status == RELAYOUT_OK) {
    status = check_places(made, found->place, error);
  }
  return status == RELAYOUT_OK ? check_names(made, error) : status;
}

relayout_status zip_open(int file, uint64_t size, zip_directory *made, relayout_error *error) {
  ending found = {.count = 0};
  *made = (zip_directory){.file = file};
  relayout_status status = read_ending(file, size, &found, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  uint8_t *const bytes = malloc((size_t)found.size + 1);
  made->members = calloc((size_t)found.count + 1, sizeof *made->members);
  made->names = malloc((size_t)found.size + 1);
  if (bytes == NULL || made->members == NULL || made->names == NULL) {
    status = fail_with(error, RELAYOUT_OUT_OF_MEMORY,
                       "no memory for an archive's directory of %" PRIu64 " bytes", found.size);
  }
  if (status == RELAYOUT_OK) {
    status = read_at(file, found.place, bytes, (size_t)found.size, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_entries(bytes, &found, made, error);
  }
  free(bytes);
  if (status != RELAYOUT_OK) {
    zip_free(made);
  }
  return status;
}

void zip_free(zip_directory *of) {
  free(of->members);
  free(of->names);
  *of = (zip_directory){.file = -1};
}

/* ---- A member ------------------------------------------------------------------------------- */

struct zip_reader {
  const char *name;
  int file;
  uint64_t first;
  uint64_t at;          /* in the file */
  uint64_t packed_left; /* from there on */
  uint64_t left;        /* of what the member holds */
  uint32_t wanted;      /* its checksum, */
  uint32_t checksum;    /* and that of what was read, all bits the other way round */
  bool is_deflated;
  uint32_t table[CHECKSUM_ENTRIES];
#ifdef RELAYOUT_HAVE_ZLIB
  z_stream stream;
  uint8_t packed[CHUNK_SIZE];
#endif
};

static void make_table(uint32_t table[CHECKSUM_ENTRIES]) {
  for (uint32_t i = 0; i < CHECKSUM_ENTRIES; i++) {
    uint32_t rest = i;
    for (int bit = 0; bit < 8; bit++) {
      rest = rest >> 1 ^ (rest % 2 == 1 ? UINT32_C(0xedb88320) : 0);
    }
    table[i] = rest;
  }
}

static void count_in(zip_reader *reader, const uint8_t *bytes, size_t size) {
  uint32_t checksum = reader->checksum;
  for (size_t i = 0; i < size; i++) {
    checksum = reader->table[(checksum ^ bytes[i]) & 0xff] ^ checksum >> 8;
  }
  reader->checksum = checksum;
}

/* That the member's own header says the same as the directory. */
static relayout_status check_header(const zip_member *member, const uint8_t bytes[HEADER_SIZE],
                                    uint64_t *first, relayout_error *error) {
  const uint64_t name = number_at(bytes + 26, 2);
  const bool has_sizes = (member->flags & SIZES_FOLLOW) == 0;
  const uint64_t packed = number_at(bytes + 18, 4);
  const uint64_t size = number_at(bytes + 22, 4);
  *first = member->header + HEADER_SIZE + name + number_at(bytes + 28, 2);
  const bool agrees = is_record(bytes, 3, 4) && number_at(bytes + 8, 2) == member->method &&
                      name == strlen(member->name) &&
                      (!has_sizes || ((packed == member->packed_size || packed == UINT32_MAX) &&
                                      (size == member->size || size == UINT32_MAX))) &&
                      *first <= member->limit && member->packed_size <= member->limit - *first;
  return agrees ? RELAYOUT_OK
                : fail_with(error, RELAYOUT_INVALID_TEXT,
                            "the header of member '%s' differs from the archive's directory",
                            member->name);
}

static relayout_status check_packing(const zip_member *member, relayout_error *error) {
  if ((member->flags & ENCRYPTED) != 0) {
    return fail_with(error, RELAYOUT_UNSUPPORTED, "member '%s' is encrypted", member->name);
  }
  if (member->method != STORED && member->method != DEFLATED) {
    return fail_with(error, RELAYOUT_UNSUPPORTED,
                     "member '%s' is packed by method %d, neither stored nor deflated",
                     member->name, member->method);
  }
#ifndef RELAYOUT_HAVE_ZLIB
  if (member->method == DEFLATED) {
    return fail_with(
        error, RELAYOUT_UNSUPPORTED,
        "member '%s' is deflated, and this command was built without zlib "
        "(RELAYOUT_ZLIB): write the file anew with numpy.savez, which deflates nothing",
        member->name);
  }
#endif
  const bool can_be = member->method == STORED ? member->size == member->packed_size
                                               : member->size / MOST_GAIN <= member->packed_size;
  return can_be ? RELAYOUT_OK
                : fail_with(error, RELAYOUT_INVALID_TEXT,
                            "member '%s' cannot hold %" PRIu64 " bytes packed in %" PRIu64,
                            member->name, member->size, member->packed_size);
}

relayout_status zip_reader_open(const zip_directory *of, const zip_member *member,
                                zip_reader **made, relayout_error *error) {
  uint8_t header[HEADER_SIZE];
  uint64_t first = 0;
  *made = NULL;
  relayout_status status = check_packing(member, error);
  if (status == RELAYOUT_OK) {
    status = read_at(of->file, member->header, header, sizeof header, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_header(member, header, &first, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  zip_reader *const reader = calloc(1, sizeof *reader);
  bool is_made = reader != NULL;
#ifdef RELAYOUT_HAVE_ZLIB
  /* A negative size of the window: there is no header of zlib's own. */
  is_made = is_made && (member->method == STORED || inflateInit2(&reader->stream, -15) == Z_OK);
#endif
  if (!is_made) {
    free(reader);
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory to read member '%s'", member->name);
  }
  make_table(reader->table);
  reader->name = member->name;
  reader->file = of->file;
  reader->first = reader->at = first;
  reader->packed_left = member->packed_size;
  reader->left = member->size;
  reader->wanted = member->checksum;
  reader->checksum = UINT32_MAX;
  reader->is_deflated = member->method == DEFLATED;
  *made = reader;
  return RELAYOUT_OK;
}

void zip_reader_close(zip_reader *reader) {
#ifdef RELAYOUT_HAVE_ZLIB
  if (reader != NULL && reader->is_deflated) {
    inflateEnd(&reader->stream);
  }
#endif
  free(reader);
}

uint64_t zip_reader_place(const zip_reader *reader) {
  return reader->is_deflated ? 0 : reader->first;
}

static relayout_status fail_lying(const zip_reader *reader, relayout_error *error) {
  return fail_with(
      error, RELAYOUT_INVALID_TEXT,
      "the bytes of member '%s' do not have the size or checksum that the directory has",
      reader->name);
}

static relayout_status read_stored(zip_reader *reader, uint8_t *bytes, size_t size,
                                   relayout_error *error) {
  const relayout_status status = read_at(reader->file, reader->at, bytes, size, error);
  reader->at += size;
  return status;
}

#ifdef RELAYOUT_HAVE_ZLIB
static relayout_status refill(zip_reader *reader, relayout_error *error) {
  const size_t size = (size_t)(reader->packed_left < CHUNK_SIZE ? reader->packed_left : CHUNK_SIZE);
  const relayout_status status = read_at(reader->file, reader->at, reader->packed, size, error);
  reader->stream.next_in = reader->packed;
  reader->stream.avail_in = (uInt)size;
  reader->at += size;
  reader->packed_left -= size;
  return status;
}

static relayout_status inflate_some(zip_reader *reader, uint8_t *bytes, size_t size,
                                    relayout_error *error) {
  z_stream *const stream = &reader->stream;
  while (size > 0) {
    if (stream->avail_in == 0 && reader->packed_left > 0) {
      const relayout_status status = refill(reader, error);
      if (status != RELAYOUT_OK) {
        return status;
      }
    }
    const size_t wanted = size < CHUNK_SIZE ? size : CHUNK_SIZE;
    stream->next_out = bytes;
    stream->avail_out = (uInt)wanted;
    const int result = inflate(stream, Z_NO_FLUSH);
    const size_t made = wanted - stream->avail_out;
    bytes += made;
    size -= made;
    const bool goes_on = result == Z_OK && (made > 0 || stream->avail_in == 0) &&
                         (made > 0 || reader->packed_left > 0);
    if (size > 0 && !goes_on) {
      return fail_lying(reader, error);
    }
  }
  return RELAYOUT_OK;
}
#endif

relayout_status zip_reader_read(zip_reader *reader, void *bytes, size_t size, size_t *got,
                                relayout_error *error) {
  const size_t wanted = reader->left < size ? (size_t)reader->left : size;
  relayout_status status = RELAYOUT_OK;
  *got = 0;
  if (!reader->is_deflated) {
    status = read_stored(reader, bytes, wanted, error);
  }
#ifdef RELAYOUT_HAVE_ZLIB
  if (reader->is_deflated) {
    status = inflate_some(reader, bytes, wanted, error);
  }
#endif
  if (status != RELAYOUT_OK) {
    return status;
  }
  count_in(reader, bytes, wanted);
  reader->left -= wanted;
  if (reader->left == 0 && (reader->checksum ^ UINT32_MAX) != reader->wanted) {
    return fail_lying(reader, error);
  }
  *got = wanted;
  return RELAYOUT_OK;
}
