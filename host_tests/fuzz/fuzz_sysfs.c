/* fuzz_sysfs.c: whatever stands in the files in which Linux tells of caches becomes facts that a
 * machine can have. Each line of the input is a file's content; an empty one is a file that is
 * missing. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "facts_round.h"
#include "fuzz_target.h"
#include "machine/sysfs.h"
#include "scratch.h"

enum { PROCESSORS = 2, INDICES = 2, PATH_SIZE = 2 * SCRATCH_PATH };

/* Writes the next line of the text to a file, with its end, and takes it off. */
static void write_line(const char *path, const char **text, size_t *left) {
  if (*left == 0) {
    return;
  }
  const char *const end = memchr(*text, '\n', *left);
  const size_t length = end == NULL ? *left : (size_t)(end - *text) + 1;
  if (end != *text) {
    scratch_write(path, *text, length);
  }
  *text += length;
  *left -= length;
}

static void write_files(const char *folder, const char *text, size_t size) {
  static const char *const names[] = {
      "level", "type", "size", "ways_of_associativity", "shared_cpu_list", "coherency_line_size"};
  char path[PATH_SIZE];
  for (int processor = 0; processor < PROCESSORS; ++processor) {
    snprintf(path, sizeof path, "%s/cpu%d", folder, processor);
    require(mkdir(path, 0700) == 0, "there is room for files");
    snprintf(path, sizeof path, "%s/cpu%d/cache", folder, processor);
    require(mkdir(path, 0700) == 0, "there is room for files");
    for (int index = 0; index < INDICES; ++index) {
      snprintf(path, sizeof path, "%s/cpu%d/cache/index%d", folder, processor, index);
      require(mkdir(path, 0700) == 0, "there is room for files");
      for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        snprintf(path, sizeof path, "%s/cpu%d/cache/index%d/%s", folder, processor, index,
                 names[i]);
        write_line(path, &text, &size);
      }
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char folder[SCRATCH_PATH];
  rlt_machine facts = {0};
  scratch_make(folder);
  write_files(folder, size > 0 ? (const char *)data : "", size);
  rlt_sysfs_read_caches(folder, 0, PROCESSORS - 1, &facts);
  check_facts_round(&facts);
  scratch_remove(folder);
  return 0;
}
