/* results_json.c: a benchmark's results written as JSON. */
#include "results_json.h"

#include "json_writer.h"

static void write_shapes(json_writer *json, const bench_case *of) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  json_writer_text(json, "name", of->name);
  relayout_shape_format(&of->from, text, sizeof text);
  json_writer_text(json, "from", text);
  relayout_shape_format(&of->to, text, sizeof text);
  json_writer_text(json, "to", text);
}

static void write_peer_result(json_writer *json, const bench_peer *peer,
                              const bench_peer_result *result) {
  json_writer_open_object(json, NULL);
  json_writer_text(json, "name", peer->name);
  if (result->state == BENCH_PEER_MEASURED) {
    json_writer_number(json, "median_s", result->median_s);
    json_writer_number(json, "fraction", result->fraction);
    json_writer_text(json, "result", result->is_exact ? "exact" : "inexact");
  } else {
    json_writer_text(json, "reason",
                     result->state == BENCH_PEER_WRONG ? "the result is wrong" : result->message);
  }
  json_writer_close_object(json);
}

static void write_peer_results(json_writer *json, const bench_results *results,
                               const bench_result *result) {
  json_writer_open_array(json, "peers");
  for (size_t i = 0; i < results->peer_count; i++) {
    if (result->peers[i].state > BENCH_PEER_IDLE) {
      write_peer_result(json, &results->peers[i], &result->peers[i]);
    }
  }
  json_writer_close_array(json);
}

static void write_measured(json_writer *json, const bench_results *results,
                           const bench_result *result) {
  json_writer_open_object(json, NULL);
  write_shapes(json, &result->of);
  json_writer_unsigned(json, "bytes", result->bytes);
  json_writer_number(json, "median_s", result->median_s);
  json_writer_number(json, "gbps", result->gbps);
  json_writer_number(json, "fraction", result->fraction);
  json_writer_number(json, "predicted_fraction", result->predicted);
  json_writer_text(json, "schedule", result->schedule);
  json_writer_text(json, "method", result->method);
  json_writer_number(json, "copy_gbps", result->copy_gbps);
  json_writer_text(json, "copy", result->copy);
  json_writer_number(json, "spread", result->spread);
  json_writer_number(json, "median_wall_s", result->median_wall_s);
  json_writer_unsigned(json, "repetitions", result->repetitions);
  if (results->with_peers) {
    write_peer_results(json, results, result);
  }
  json_writer_close_object(json);
}

static void write_leads(json_writer *json, const bench_results *results,
                        const bench_summary *summary) {
  json_writer_open_array(json, "peers");
  for (size_t i = 0; i < results->peer_count; i++) {
    const bench_lead *const lead = &summary->leads[i];
    json_writer_open_object(json, NULL);
    json_writer_text(json, "name", results->peers[i].name);
    if (results->peers[i].missing != NULL) {
      json_writer_text(json, "missing", results->peers[i].missing);
    } else {
      json_writer_unsigned(json, "cases", lead->measured);
      json_writer_number(json, "geomean_lead", lead->geomean);
      json_writer_number(json, "min_lead", lead->worst);
    }
    json_writer_close_object(json);
  }
  json_writer_close_array(json);
}

static void write_skipped(json_writer *json, const bench_result *result) {
  json_writer_open_object(json, NULL);
  write_shapes(json, &result->of);
  json_writer_text(json, "reason", result->skipped);
  json_writer_close_object(json);
}

void results_json_write(const bench_results *results, const bench_summary *summary, FILE *file) {
  json_writer json = json_writer_begin(file);
  json_writer_open_object(&json, NULL);
  json_writer_text(&json, "version", relayout_version());
  json_writer_text(&json, "suite", results->suite);
  json_writer_text(&json, "cache", results->is_hot ? "hot" : "cold");
  json_writer_text(&json, "device", results->device.name);
  json_writer_text(&json, "description", results->device.description);
  json_writer_text(&json, "platform", results->device.platform);
  json_writer_text(&json, "driver", results->device.driver);
  json_writer_unsigned(&json, "compute_units", results->device.compute_units);
  json_writer_text(&json, "clock", results->clock);
  if (results->pages != NULL) {
    json_writer_text(&json, "pages", results->pages);
  }
  json_writer_text(&json, "effort",
                   results->effort == RELAYOUT_PLAN_MEASURE ? "measure" : "estimate");
  if (results->is_unverified) {
    json_writer_text(&json, "verified", "no");
  }
  json_writer_number(&json, "copy_gbps", summary->copy_gbps);
  json_writer_open_array(&json, "cases");
  for (size_t i = 0; i < results->count; i++) {
    if (results->cases[i].skipped[0] == '\0') {
      write_measured(&json, results, &results->cases[i]);
    }
  }
  json_writer_close_array(&json);
  json_writer_open_array(&json, "skipped");
  for (size_t i = 0; i < results->count; i++) {
    if (results->cases[i].skipped[0] != '\0') {
      write_skipped(&json, &results->cases[i]);
    }
  }
  json_writer_close_array(&json);
  if (results->with_peers) {
    write_leads(&json, results, summary);
  }
  json_writer_number(&json, "geomean_fraction", summary->geomean);
  json_writer_number(&json, "median_fraction", summary->median);
  json_writer_number(&json, "min_fraction", summary->worst);
  json_writer_close_object(&json);
  json_writer_end(&json);
}
