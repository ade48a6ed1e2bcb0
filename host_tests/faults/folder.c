/* folder.c: makes, empties and reads the cache folder of a test. */
#include "faults/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/harness.h"
#include "scratch.h"

static char home[SCRATCH_PATH];
static char above[SCRATCH_PATH + 8];   /* a folder that is missing at first */
static char folder[SCRATCH_PATH + 32]; /* and what the library makes in it */

void folder_make(void) {
  scratch_make(home);
  snprintf(above, sizeof above, "%s/cache", home);
  snprintf(folder, sizeof folder, "%s/relayout", above);
  setenv("XDG_CACHE_HOME", above, 1);
  unsetenv("RELAYOUT_CACHE");
}

void folder_end(void) {
  scratch_remove(home);
}

const char *folder_path(void) {
  return folder;
}

void folder_remove(void) {
  scratch_remove(above);
}

void folder_keep_only(const char *name, const char *text) {
  char path[sizeof folder + FOLDER_NAME];
  folder_remove();
  mkdir(above, 0700);
  mkdir(folder, 0700);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  scratch_write(path, text, strlen(text));
}

/* How many files there are, and the name of one. */
static int count_files(char name[FOLDER_NAME]) {
  DIR *const listing = opendir(folder);
  if (listing == NULL) {
    return 0;
  }
  int count = 0;
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    if (entry->d_name[0] != '.') {
      ++count;
      snprintf(name, FOLDER_NAME, "%.*s", FOLDER_NAME - 1, entry->d_name);
    }
  }
  closedir(listing);
  return count;
}

char *folder_read_only(char name[FOLDER_NAME]) {
  const int count = count_files(name);
  if (count > 1 && !trial_struck("unlinkat")) {
    trial_fail("%d files in the cache folder, among them %s", count, name);
  }
  if (count != 1) {
    return NULL;
  }
  char path[sizeof folder + FOLDER_NAME];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  size_t size = 0;
  char *const text = (char *)scratch_read(path, &size);
  text[size] = '\0';
  return text;
}
