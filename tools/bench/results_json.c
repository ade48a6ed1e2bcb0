#include "results_json.h"

#include "json.h"

static void write_shapes(json_writer *json, const bench_case *of) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  json_text(json, "name", of->name);
  relayout_shape_format(&of->from, text, sizeof text);
  json_text(json, "from", text);
  relayout_shape_format(&of->to, text, sizeof text);
  json_text(json, "to", text);
}

static void write_measured(json_writer *json, const bench_result *result) {
  json_open_object(json, NULL);
  write_shapes(json, &result->of);
  json_unsigned(json, "bytes", result->bytes);
  json_number(json, "median_s", result->median_s);
  json_number(json, "gbps", result->gbps);
  json_number(json, "fraction", result->fraction);
  json_number(json, "copy_gbps", result->copy_gbps);
  json_text(json, "copy", result->copy);
  json_number(json, "spread", result->spread);
  json_number(json, "median_wall_s", result->median_wall_s);
  json_unsigned(json, "repetitions", result->repetitions);
  json_text(json, "strategy", relayout_strategy_name(result->strategy));
  json_close_object(json);
}

static void write_skipped(json_writer *json, const bench_result *result) {
  json_open_object(json, NULL);
  write_shapes(json, &result->of);
  json_text(json, "reason", result->skipped);
  json_close_object(json);
}

void results_json_write(const bench_results *results, const bench_summary *summary, FILE *file) {
  json_writer json = json_begin(file);
  json_open_object(&json, NULL);
  json_text(&json, "version", relayout_version());
  json_text(&json, "suite", results->suite);
  json_text(&json, "cache", results->is_hot ? "hot" : "cold");
  json_text(&json, "device", results->device.name);
  json_text(&json, "description", results->device.description);
  json_text(&json, "platform", results->device.platform);
  json_text(&json, "driver", results->device.driver);
  json_unsigned(&json, "compute_units", results->device.compute_units);
  json_text(&json, "clock", results->clock);
  json_number(&json, "copy_gbps", summary->copy_gbps);
  json_open_array(&json, "cases");
  for (size_t i = 0; i < results->count; i++) {
    if (results->cases[i].skipped[0] == '\0') {
      write_measured(&json, &results->cases[i]);
    }
  }
  json_close_array(&json);
  json_open_array(&json, "skipped");
  for (size_t i = 0; i < results->count; i++) {
    if (results->cases[i].skipped[0] != '\0') {
      write_skipped(&json, &results->cases[i]);
    }
  }
  json_close_array(&json);
  json_number(&json, "geomean_fraction", summary->geomean);
  json_number(&json, "median_fraction", summary->median);
  json_number(&json, "min_fraction", summary->worst);
  json_close_object(&json);
  json_end(&json);
}
