#include "table.h"

#include "size_text.h"

/* Wide enough for the names of all suites. */
enum { NAME_WIDTH = 22 };

void table_begin(const bench_results *results, FILE *file) {
  fprintf(file, "%s on %s: %s%s%s%s\n", results->suite, results->device.name,
          results->device.description, results->device.platform[0] != '\0' ? " (" : "",
          results->device.platform, results->device.platform[0] != '\0' ? ")" : "");
  fprintf(file,
          "%s; the %s clock counts; 'of copy' is against the best plain copy of as many bytes\n\n",
          results->is_hot ? "warm in the cache" : "cold in the cache", results->clock);
  fprintf(file, "%-*s %-9s %10s %11s %11s %7s %7s %7s\n", NAME_WIDTH, "CASE", "STRATEGY", "BYTES",
          "MEDIAN", "WALL", "GB/S", "COPY", "OF COPY");
}

static void print_time(double seconds, FILE *file) {
  if (seconds < 1e-3) {
    fprintf(file, " %8.2f us", seconds * 1e6);
  } else {
    fprintf(file, " %8.2f ms", seconds * 1e3);
  }
}

void table_row(const bench_result *row, FILE *file) {
  fprintf(file, "%-*s ", NAME_WIDTH, row->of.name);
  if (row->skipped[0] != '\0') {
    fprintf(file, "skipped: %s\n", row->skipped);
    return;
  }
  char bytes[SIZE_TEXT_CAPACITY];
  size_text(row->bytes, bytes);
  fprintf(file, "%-9s %10s", relayout_strategy_name(row->strategy), bytes);
  print_time(row->median_s, file);
  print_time(row->median_wall_s, file);
  fprintf(file, " %7.2f %7.2f %7.3f%s\n", row->gbps, row->copy_gbps, row->fraction,
          row->was_shrunk ? "  shrunk to fit" : "");
}

void table_end(const bench_results *results, const bench_summary *summary, FILE *file) {
  if (summary->measured > 0) {
    fprintf(file, "\n%-8s %6.3f of copy\n%-8s %6.3f\n%-8s %6.3f  %s\n", "geomean", summary->geomean,
            "median", summary->median, "worst", summary->worst, summary->worst_name);
    fprintf(file, "%-8s %6.2f GB/s\n", "copy", summary->copy_gbps);
  }
  if (summary->skipped > 0) {
    fprintf(file, "%zu of %zu cases skipped\n", summary->skipped, results->count);
  }
}
