/* table.c: what processors fetch for relayouts, as a table: to see what a change of schedules does
 * on machines that are not at hand.
 *
 *     cache_table [--processor NAME] [--case PART_OF_A_NAME] [--vector BYTES] [--schedules]
 *                 [--runs READxWRITE [--blocks READxWRITE] [--prefetch TILESxLEVEL] [--loads]]
 *                 [--schedule TEXT]
 *
 * What stands in the second line takes the place of all blockings of the processor's row of tuning,
 * in bytes; TEXT that of what is chosen. / */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/traffic.h"

typedef struct blocking {
  const char *processor; /* NULL: all */
  const char *part_of_case;
  bool shows_schedules;
  int32_t vector_bytes;
  traffic_change change;
} blocking;

static bool read_flag(const char *name, blocking *made) {
  if (strcmp(name, "--schedules") == 0) {
    made->shows_schedules = true;
  } else if (strcmp(name, "--loads") == 0) {
    made->change.blocking.loads = true;
  } else {
    return false;
  }
  return true;
}

static rlt_reach read_pair(const char *text) {
  char *end;
  const int64_t first = strtoll(text, &end, 10);
  return (rlt_reach){first, *end == 'x' ? strtoll(end + 1, NULL, 10) : 0};
}

static bool read_option(const char *name, const char *value, blocking *made) {
  if (strcmp(name, "--processor") == 0) {
    made->processor = value;
  } else if (strcmp(name, "--case") == 0) {
    made->part_of_case = value;
  } else if (strcmp(name, "--schedule") == 0) {
    made->change.schedule = value;
  } else if (strcmp(name, "--vector") == 0) {
    made->vector_bytes = (int32_t)strtol(value, NULL, 10);
  } else if (strcmp(name, "--runs") == 0) {
    made->change.blocking.runs = read_pair(value);
  } else if (strcmp(name, "--blocks") == 0) {
    made->change.blocking.blocks = read_pair(value);
  } else if (strcmp(name, "--prefetch") == 0) {
    const rlt_reach pair = read_pair(value);
    made->change.blocking.prefetch =
        (rlt_prefetch){(int32_t)pair.read_bytes, (int32_t)pair.write_bytes};
  } else {
    return false;
  }
  return true;
}

static bool read_blocking(int count, char **arguments, blocking *made) {
  for (int i = 1; i < count; ++i) {
    if (read_flag(arguments[i], made)) {
      continue;
    }
    if (i + 1 == count || !read_option(arguments[i], arguments[i + 1], made)) {
      fprintf(stderr, "what is %s?\n", arguments[i]);
      return false;
    }
    ++i;
  }
  return true;
}

static void print_head(void) {
  printf("%-34s | %-26s | %-19s | %-13s | %-11s | %s\n", "", "source, per line of it",
         "fetched per line", "left per line", "pages", "tables");
  printf("%-15s %-18s | %5s %5s %5s %8s | %5s %6s %6s | %6s %6s | %5s %5s | %5s %5s\n", "processor",
         "case", "L1", "L2", "L3", "L1 waits", "buf", "dst L1", "dst L2", "stream", "parts", "TLB1",
         "TLB2", "L2", "L3");
}

static void print_row(const processor *on, const traffic_case *of, const blocking *as) {
  processor with = *on;
  with.vector_bytes = as->vector_bytes > 0 ? as->vector_bytes : on->vector_bytes;
  traffic found;
  traffic_find(&with, of, &as->change, &found);
  printf("%-15s %-18s | %5.2f %5.2f %5.2f %8.2f | %5.2f %6.2f %6.2f | %6.2f %6.2f | %5.2f %5.2f "
         "| %5.2f %5.2f",
         on->name, of->name, found.source[0], found.source[1], found.source[2], found.waits,
         found.buffers, found.destination[0], found.destination[1], found.streamed, found.in_parts,
         found.pages[0], found.pages[1], found.page_tables[1], found.page_tables[2]);
  printf(as->shows_schedules ? "  %s\n" : "\n", found.schedule);
}

int main(int argc, char **argv) {
  blocking made = {
      .change.blocking = {.blocks = {RLT_PAGE_BYTES, RLT_PAGE_BYTES}, .prefetch = {1, 1}}};
  if (!read_blocking(argc, argv, &made)) {
    return 2;
  }
  print_head();
  for (size_t p = 0; p < PROCESSORS; ++p) {
    if (made.processor != NULL && strcmp(processors[p].name, made.processor) != 0) {
      continue;
    }
    for (size_t c = 0; c < traffic_case_count; ++c) {
      if (made.part_of_case == NULL || strstr(traffic_cases[c].name, made.part_of_case) != NULL) {
        print_row(&processors[p], &traffic_cases[c], &made);
      }
    }
  }
  return 0;
}
