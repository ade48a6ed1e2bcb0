/* chart.c: a benchmark's results drawn as an SVG picture. */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_NAMED = 100, /* cases that are shown by name */
  LEAST_WIDTH = 640,
  NAMED_SLOT = 18,   /* pixels from one bar to the next */
  MANY_WIDTH = 1152, /* that all bars share when there are many */
  LEFT = 64,
  RIGHT = 84,
  TOP = 92,
  PLOT_HEIGHT = 320,
  BARE_BOTTOM = 52,
  LETTER = 7, /* pixels a letter of a name takes */
  PEER_COLOURS = 2
};

/* Where things are, in pixels. */
typedef struct frame {
  double plot_width;
  double width;
  double height;
  double slot;
  double top_fraction; /* the fraction at the plot's upper end */
  bool is_named;
} frame;

static const char style[] =
    "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#57606a}"
    ".title{font-size:17px;font-weight:600;fill:#1f2328}"
    ".back{fill:#fff}.grid{stroke:#d8dee4;stroke-width:1}"
    ".bar{fill:#3b82c4}.bar:hover{fill:#1f5f99}.worst{fill:#d9822b}.worst:hover{fill:#b5651d}"
    ".copy{stroke:#1a7f4b;stroke-width:2}.onCopy{fill:#1a7f4b;font-weight:600}"
    ".peer0{stroke:#cf222e;stroke-width:2}.peer1{stroke:#9a6700;stroke-width:2}"
    ".mean{stroke:#8250df;stroke-width:1.5;stroke-dasharray:6 4}.onMean{fill:#8250df}"
    "@media (prefers-color-scheme:dark){text{fill:#9198a1}.title{fill:#f0f6fc}.back{fill:#0d1117}"
    ".grid{stroke:#30363d}.peer0{stroke:#ff7b72}.peer1{stroke:#e3b341}.bar{fill:#4f9ae0}.bar:hover{"
    "fill:#8cc0f0}"
    ".copy{stroke:#3fb97a}.onCopy{fill:#3fb97a}.mean{stroke:#ab7df8}.onMean{fill:#ab7df8}}";

static void print_escaped(const char *text, FILE *file) {
  for (const char *c = text; *c != '\0'; c++) {
    switch (*c) {
    case '&':
      fputs("&amp;", file);
      break;
    case '<':
      fputs("&lt;", file);
      break;
    case '>':
      fputs("&gt;", file);
      break;
    case '"':
      fputs("&quot;", file);
      break;
    default:
      /* XML knows no other control characters, and drivers name devices as they like. */
      fputc((unsigned char)*c < 0x20 ? ' ' : *c, file);
    }
  }
}

static double y_of(const frame *in, double fraction) {
  return TOP + PLOT_HEIGHT * (1 - fraction / in->top_fraction);
}

static frame frame_of(size_t count, const bench_result *const *shown) {
  size_t longest = 0;
  double highest = 1;
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(shown[i]->of.name);
    longest = length > longest ? length : longest;
    highest = shown[i]->fraction > highest ? shown[i]->fraction : highest;
  }
  frame made = {.is_named = count <= MOST_NAMED};
  made.plot_width = made.is_named ? (double)count * NAMED_SLOT : MANY_WIDTH;
  made.width = fmax(made.plot_width + LEFT + RIGHT, LEAST_WIDTH);
  made.plot_width = made.width - LEFT - RIGHT;
  made.slot = made.plot_width / (double)(count > 0 ? count : 1);
  made.slot = made.is_named ? fmin(made.slot, 2.0 * NAMED_SLOT) : made.slot;
  made.height = TOP + PLOT_HEIGHT + (made.is_named ? 28 + LETTER * (double)longest : BARE_BOTTOM);
  made.top_fraction = ceil((highest + 0.04) * 20) / 20;
  return made;
}

static void print_head(const bench_results *results, const bench_summary *summary, const frame *in,
                       FILE *file) {
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
          "height=\"%.0f\" role=\"img\">\n<title>",
          in->width, in->height, in->width, in->height);
  print_escaped(results->suite, file);
  fputs(" on ", file);
  print_escaped(results->device.description, file);
  fprintf(file, "</title>\n<style>%s</style>\n", style);
  fputs("<rect class=\"back\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n", file);
  fprintf(file, "<text class=\"title\" x=\"%d\" y=\"32\">relayout, ", LEFT);
  print_escaped(results->suite, file);
  fprintf(file, " on %s</text>\n<text x=\"%d\" y=\"52\">", results->device.name, LEFT);
  print_escaped(results->device.description, file);
  fprintf(file, "</text>\n<text x=\"%d\" y=\"70\">", LEFT);
  fprintf(file, "%zu cases: geomean %.2f, median %.2f, worst %.2f of a plain copy",
          summary->measured, summary->geomean, summary->median, summary->worst);
  if (summary->measured > 0) {
    fputs(" (", file);
    print_escaped(summary->worst_name, file);
    fputc(')', file);
  }
  if (summary->skipped > 0) {
    fprintf(file, "; %zu skipped", summary->skipped);
  }
  fputs("</text>\n", file);
}

static void print_line(const frame *in, const char *class, double fraction, FILE *file) {
  fprintf(file, "<line class=\"%s\" x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", class, LEFT,
          LEFT + in->plot_width, y_of(in, fraction), y_of(in, fraction));
}

static void print_grid(const frame *in, FILE *file) {
  for (int quarter = 0; quarter / 4.0 <= in->top_fraction; quarter++) {
    print_line(in, "grid", quarter / 4.0, file);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>\n", LEFT - 8,
            y_of(in, quarter / 4.0) + 4, quarter / 4.0);
  }
}

static void print_bar(const frame *in, size_t at, const bench_result *result, bool is_worst,
                      FILE *file) {
  const double x = LEFT + in->slot * (double)at;
  /* Bars without names touch, and a little more than that, lest the background shine through. */
  const double gap = in->is_named ? in->slot / 6 : -0.2;
  const double y = y_of(in, result->fraction);
  fprintf(file,
          "<rect class=\"bar%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"><title>",
          is_worst ? " worst" : "", x + gap, y, in->slot - 2 * gap, y_of(in, 0) - y);
  print_escaped(result->of.name, file);
  fprintf(file, ": %.3f of copy, %.2f GB/s of %.2f, %s</title></rect>\n", result->fraction,
          result->gbps, result->copy_gbps, result->method);
  if (in->is_named) {
    const double middle = x + in->slot / 2 + 4;
    fprintf(file, "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"end\">",
            middle, y_of(in, 0) + 8);
    print_escaped(result->of.name, file);
    fputs("</text>\n", file);
  }
}

/* A dash across the bar for each peer that could do the case. */
static void print_peers(const frame *in, size_t at, const bench_results *results,
                        const bench_result *result, FILE *file) {
  const double x = LEFT + in->slot * (double)at;
  for (size_t i = 0; i < results->peer_count; i++) {
    if (result->peers[i].state == BENCH_PEER_MEASURED) {
      const double y = y_of(in, fmin(result->peers[i].fraction, in->top_fraction));
      fprintf(file,
              "<line class=\"peer%zu\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\"><title>",
              i % PEER_COLOURS, x + 1, x + in->slot - 1, y, y);
      print_escaped(result->of.name, file);
      fprintf(file, ": %s %.3f of copy</title></line>\n", results->peers[i].name,
              result->peers[i].fraction);
    }
  }
}

static void print_legend(const bench_results *results, const bench_summary *summary, FILE *file) {
  double x = LEFT;
  for (size_t i = 0; i < results->peer_count; i++) {
    if (summary->leads[i].measured > 0) {
      fprintf(file,
              "<line class=\"peer%zu\" x1=\"%.1f\" x2=\"%.1f\" y1=\"84\" y2=\"84\"/>\n"
              "<text x=\"%.1f\" y=\"88\">%s</text>\n",
              i % PEER_COLOURS, x, x + 14, x + 20, results->peers[i].name);
      x += 40 + LETTER * (double)strlen(results->peers[i].name);
    }
  }
}

static void print_lines_on_top(const bench_summary *summary, const frame *in, FILE *file) {
  const double end = LEFT + in->plot_width + 6;
  print_line(in, "copy", 1, file);
  fprintf(file, "<text class=\"onCopy\" x=\"%.1f\" y=\"%.1f\">copy</text>\n", end, y_of(in, 1) + 4);
  fprintf(file, "<text class=\"onCopy\" x=\"%.1f\" y=\"%.1f\">%.1f GB/s</text>\n", end,
          y_of(in, 1) + 20, summary->copy_gbps);
  if (summary->measured > 0) {
    print_line(in, "mean", summary->geomean, file);
    fprintf(file, "<text class=\"onMean\" x=\"%.1f\" y=\"%.1f\">mean %.2f</text>\n", end,
            y_of(in, summary->geomean) + 4, summary->geomean);
  }
}

static int compare_fractions(const void *a, const void *b) {
  const double left = (*(const bench_result *const *)a)->fraction;
  const double right = (*(const bench_result *const *)b)->fraction;
  return (left > right) - (left < right);
}

bool chart_write(const bench_results *results, const bench_summary *summary, FILE *file) {
  const bench_result **const shown = calloc(results->count + 1, sizeof *shown);
  if (shown == NULL) {
    return false;
  }
  size_t count = 0;
  for (size_t i = 0; i < results->count; i++) {
    if (results->cases[i].skipped[0] == '\0') {
      shown[count] = &results->cases[i];
      count += 1;
    }
  }
  const frame in = frame_of(count, shown);
  if (!in.is_named) {
    qsort(shown, count, sizeof *shown, compare_fractions);
  }
  print_head(results, summary, &in, file);
  print_grid(&in, file);
  for (size_t i = 0; i < count; i++) {
    print_bar(&in, i, shown[i], shown[i]->of.name == summary->worst_name, file);
  }
  if (in.is_named) {
    for (size_t i = 0; i < count; i++) {
      print_peers(&in, i, results, shown[i], file);
    }
    print_legend(results, summary, file);
  }
  if (!in.is_named) {
    fprintf(file, "<text x=\"%d\" y=\"%.1f\">from the worst case to the best</text>\n", LEFT,
            y_of(&in, 0) + 24);
  }
  print_lines_on_top(summary, &in, file);
  fputs("</svg>\n", file);
  free(shown);
  return true;
}
