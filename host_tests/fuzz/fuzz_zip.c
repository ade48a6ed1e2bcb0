/* fuzz_zip.c: any bytes either are refused with a message fit to print, or are an archive whose
 * members lie apart, and hold as many bytes as it says or are refused too. */
#define _GNU_SOURCE /* memfd_create */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "promise.h"
#include "zip.h"

enum { MOST_BYTES = 1 << 20 /* of a member that are taken */ };

static void check_member(const zip_directory *of, const zip_member *member) {
  static uint8_t bytes[4096];
  zip_reader *reader = NULL;
  relayout_error error;
  relayout_status status = zip_reader_open(of, member, &reader, &error);
  uint64_t total = 0;
  size_t got = sizeof bytes;
  while (status == RELAYOUT_OK && got == sizeof bytes && total < MOST_BYTES) {
    status = zip_reader_read(reader, bytes, sizeof bytes, &got, &error);
    total += status == RELAYOUT_OK ? got : 0;
  }
  zip_reader_close(reader);
  if (status != RELAYOUT_OK) {
    check_file_error(status, &error);
    return;
  }
  require(total == member->size || total >= MOST_BYTES, "a member holds what is said of it");
}

static void check_archive(const zip_directory *of, size_t size) {
  for (size_t i = 0; i < of->count; i++) {
    const zip_member *const member = &of->members[i];
    require(member->header <= member->limit && member->limit <= size &&
                member->packed_size <= member->limit - member->header,
            "a member lies in the file");
    require(i == 0 || of->members[i - 1].limit <= member->header, "members lie apart");
    check_member(of, member);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int file = memfd_create("archive", MFD_CLOEXEC);
  require(file >= 0 && write(file, data, size) == (ssize_t)size, "there is a file");
  zip_directory of;
  relayout_error error;
  const relayout_status status = zip_open(file, size, &of, &error);
  if (status == RELAYOUT_OK) {
    check_archive(&of, size);
    zip_free(&of);
  } else {
    check_file_error(status, &error);
  }
  close(file);
  return 0;
}
