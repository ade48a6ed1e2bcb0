/* test_bench_reports.c: what a benchmark makes of its measurements: statistics, table, JSON,
 * picture, comparison. The measurements are made up. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/chart.h"
#include "bench/comparison.h"
#include "bench/results_file.h"
#include "bench/results_json.h"
#include "bench/statistics.h"
#include "bench/table.h"
#include "cmocka_all.h"
#include "shape_of.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12 * fabs(expected))) {
    fail_msg("%.17g is not %.17g", found, expected);
  }
}

/* ---- Statistics ----------------------------------------------------------------------------- */

static void test_statistics(void **state) {
  (void)state;
  double one[] = {7};
  assert_near(statistics_median(one, 1), 7);
  assert_near(statistics_spread(one, 1), 0);
  double odd[] = {5, 1, 9, 2, 8};
  assert_near(statistics_median(odd, 5), 5);
  assert_near(statistics_quantile(odd, 5, 0.25), 2);
  assert_near(statistics_quantile(odd, 5, 1), 9);
  assert_near(statistics_spread(odd, 5), (8.0 - 2.0) / 5);
  double even[] = {4, 1, 3, 2};
  assert_near(statistics_median(even, 4), 2.5);
  assert_near(statistics_quantile(even, 4, 0.25), 1.75);
  assert_near(statistics_quantile(even, 4, 0), 1);
  const double powers[] = {0.25, 1, 4, 16}; /* 2^((-2 + 0 + 2 + 4) / 4) */
  assert_near(statistics_geomean(powers, 4), 2);
}

/* ---- Made-up results ------------------------------------------------------------------------ */

static char two_schedules[] = "transpose word=4 | copy word=4";

static bench_result made_up(const char *name, const char *from, const char *to, double fraction) {
  bench_result made = {.method = "transpose",
                       .schedule = two_schedules,
                       .repetitions = 7,
                       .bytes = 48,
                       .median_s = 0.5,
                       .median_wall_s = 0.75,
                       .gbps = 20 * fraction,
                       .copy_gbps = 20,
                       .copy = "memcpy",
                       .fraction = fraction,
                       .predicted = 0.375,
                       .spread = 0.0625};
  snprintf(made.of.name, sizeof made.of.name, "%s", name);
  made.of.from = shape_of(from);
  made.of.to = shape_of(to);
  return made;
}

static bench_results results_of(bench_result *cases, size_t count) {
  bench_results results = {.suite = "a \"suite\" & <more>",
                           .device = RELAYOUT_DEVICE_INFO_INIT,
                           .clock = "wall",
                           .cases = cases,
                           .count = count};
  snprintf(results.device.name, sizeof results.device.name, "cpu");
  snprintf(results.device.description, sizeof results.device.description, "Chip <1> & \t2");
  results.device.compute_units = 2;
  return results;
}

static bench_summary summary_of(const bench_results *results) {
  bench_summary summary;
  assert_true(bench_summarize(results, &summary));
  return summary;
}

/* Two measured cases and a skipped one between them. */
static bench_results three_cases(bench_result cases[3]) {
  cases[0] = made_up("a", "f32[2,3]{1,0}", "f32[2,3]{0,1}", 0.25);
  cases[1] = made_up("b", "u8[4]{0}", "u8[4]{0}", 0);
  snprintf(cases[1].skipped, sizeof cases[1].skipped, "no \"room\"");
  cases[2] = made_up("c", "u8[4]{0}", "u8[4]{0:PD(8)}", 1);
  cases[2].copy_gbps = 30;
  return results_of(cases, 3);
}

static void test_summary(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = three_cases(cases);
  const bench_summary summary = summary_of(&results);
  assert_int_equal(summary.measured, 2);
  assert_int_equal(summary.skipped, 1);
  assert_near(summary.geomean, 0.5);
  assert_near(summary.median, 0.625);
  assert_near(summary.worst, 0.25);
  assert_string_equal(summary.worst_name, "a");
  assert_near(summary.copy_gbps, 25);
}

static void test_summary_of_nothing(void **state) {
  (void)state;
  bench_result cases[3];
  bench_results results = three_cases(cases);
  results.cases = &cases[1];
  results.count = 1;
  const bench_summary summary = summary_of(&results);
  assert_int_equal(summary.measured, 0);
  assert_int_equal(summary.skipped, 1);
  assert_true(summary.geomean == 0 && summary.worst == 0);
  assert_string_equal(summary.worst_name, "");
}

/* ---- Text that the reports make ------------------------------------------------------------- */

typedef struct sink {
  FILE *file;
  char *text;
  size_t size;
} sink;

static void open_sink(sink *made) {
  made->file = open_memstream(&made->text, &made->size);
  assert_non_null(made->file);
}

static void assert_contains(const char *text, const char *part) {
  if (strstr(text, part) == NULL) {
    fail_msg("'%s' lacks '%s'", text, part);
  }
}

/* To be freed. */
static char *json_of(const bench_results *results) {
  const bench_summary summary = summary_of(results);
  sink out;
  open_sink(&out);
  assert_int_equal(results_json_write(results, &summary, out.file), EXIT_CODE_OK);
  fclose(out.file);
  return out.text;
}

static void test_json(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = three_cases(cases);
  char *const json = json_of(&results);
  const char *const device = strstr(json, "\"suite\"");
  assert_non_null(device);
  assert_string_equal(
      device,
      "\"suite\":\"a \\\"suite\\\" & <more>\",\"cache\":\"cold\",\"device\":\"cpu\","
      "\"description\":\"Chip <1> & \\t2\",\"platform\":\"\",\"driver\":\"\","
      "\"compute_units\":2,\"clock\":\"wall\",\"effort\":\"estimate\",\"copy_gbps\":25,\"cases\":["
      "{\"name\":\"a\",\"from\":\"f32[2,3]{1,0}\",\"to\":\"f32[2,3]{0,1}\",\"bytes\":48,"
      "\"median_s\":0.5,\"gbps\":5,\"fraction\":0.25,\"predicted_fraction\":0.375,"
      "\"schedule\":\"transpose word=4 | copy word=4\",\"method\":\"transpose\","
      "\"copy_gbps\":20,\"copy\":\"memcpy\","
      "\"spread\":0.0625,\"median_wall_s\":0.75,\"repetitions\":7},"
      "{\"name\":\"c\",\"from\":\"u8[4]{0}\",\"to\":\"u8[4]{0:PD(8)}\",\"bytes\":48,"
      "\"median_s\":0.5,\"gbps\":20,\"fraction\":1,\"predicted_fraction\":0.375,"
      "\"schedule\":\"transpose word=4 | copy word=4\",\"method\":\"transpose\","
      "\"copy_gbps\":30,\"copy\":\"memcpy\","
      "\"spread\":0.0625,\"median_wall_s\":0.75,\"repetitions\":7}],"
      "\"skipped\":[{\"name\":\"b\",\"from\":\"u8[4]{0}\",\"to\":\"u8[4]{0}\","
      "\"reason\":\"no \\\"room\\\"\"}],"
      "\"geomean_fraction\":0.5,\"median_fraction\":0.625,\"min_fraction\":0.25}\n");
  free(json);
}

/* The three cases with what two peers did with them, and a third that is not there. */
static bench_results with_peers(bench_result cases[3]) {
  bench_results results = three_cases(cases);
  results.with_peers = true;
  results.peers[0] = (bench_peer){.name = "first", .label = "ONE"};
  results.peers[1] = (bench_peer){.name = "second", .label = "TWO"};
  results.peers[2] = (bench_peer){.name = "third", .label = "3", .missing = "not here"};
  results.peer_count = 3;
  for (size_t i = 0; i < 3; i++) {
    cases[i].peer_count = 3;
    cases[i].peers[0].state = BENCH_PEER_IDLE;
    cases[i].peers[1].state = BENCH_PEER_IDLE;
  }
  cases[0].peers[0] = (bench_peer_result){
      .state = BENCH_PEER_MEASURED, .is_exact = true, .median_s = 4, .fraction = 0.03125};
  cases[2].peers[0] =
      (bench_peer_result){.state = BENCH_PEER_MEASURED, .median_s = 0.25, .fraction = 0.5};
  cases[2].peers[1] = (bench_peer_result){.state = BENCH_PEER_FAILED, .message = "no luck"};
  return results;
}

static void test_leads(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = with_peers(cases);
  const bench_summary summary = summary_of(&results);
  assert_int_equal(summary.leads[0].measured, 2);
  assert_near(summary.leads[0].geomean, 2); /* of 8 and 1/2 */
  assert_near(summary.leads[0].worst, 0.5);
  assert_string_equal(summary.leads[0].worst_name, "c");
  assert_int_equal(summary.leads[1].measured, 0);
  assert_int_equal(summary.leads[2].measured, 0);
}

static void test_peers_in_json(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = with_peers(cases);
  char *const json = json_of(&results);
  assert_contains(json, "\"repetitions\":7,\"peers\":[{\"name\":\"first\","
                        "\"median_s\":4,\"fraction\":0.03125,\"result\":\"exact\"}]},");
  assert_contains(json, "\"peers\":[{\"name\":\"first\",\"median_s\":0.25,\"fraction\":0.5,"
                        "\"result\":\"inexact\"},"
                        "{\"name\":\"second\",\"reason\":\"no luck\"}]}],\"skipped\":");
  assert_contains(json, "}],\"peers\":[{\"name\":\"first\",\"cases\":2,\"geomean_lead\":2,"
                        "\"min_lead\":0.5},{\"name\":\"second\",\"cases\":0,"
                        "\"geomean_lead\":0,\"min_lead\":0},{\"name\":\"third\","
                        "\"missing\":\"not here\"}],\"geomean_fraction\":");
  comparison old;
  relayout_error error;
  assert_int_equal(comparison_parse(json, &old, &error), RELAYOUT_OK);
  assert_int_equal(old.count, 2);
  comparison_free(&old);
  free(json);
}

static void test_peers_in_table(void **state) {
  (void)state;
  bench_result cases[3];
  bench_results results = with_peers(cases);
  const bench_summary summary = summary_of(&results);
  sink out;
  open_sink(&out);
  table_begin(&results, out.file);
  table_row(&cases[0], out.file);
  cases[0].peers[1].state = BENCH_PEER_WRONG;
  table_row(&cases[0], out.file);
  table_row(&cases[2], out.file);
  table_end(&results, &summary, out.file);
  fclose(out.file);
  assert_contains(out.text, "peers, also of copy: first, second, third not here\n");
  assert_contains(out.text, " OF COPY PREDICTED      ONE      TWO\n");
  assert_contains(out.text, " 20.00   0.250     0.375    0.031        -\n");
  assert_contains(out.text, " 20.00   0.250     0.375    0.031    wrong\n");
  assert_contains(out.text, " 30.00   1.000     0.375 ~  0.500   failed\n");
  assert_contains(out.text, "\n2.00 times as fast as first in 2 cases, in the worst 0.50 times  c\n"
                            "~ not bit-exact: ");
  free(out.text);
  results.peer_count = 0;
  open_sink(&out);
  table_begin(&results, out.file);
  fclose(out.file);
  assert_contains(out.text, "peers, also of copy: none on this device\n");
  free(out.text);
}

static void test_table(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = three_cases(cases);
  const bench_summary summary = summary_of(&results);
  cases[2].was_shrunk = true;
  sink out;
  open_sink(&out);
  table_row(&cases[0], out.file);
  table_row(&cases[1], out.file);
  table_row(&cases[2], out.file);
  table_end(&results, &summary, out.file);
  fclose(out.file);
  assert_string_equal(
      out.text,
      "a                      transpose       48 bytes   500.00 ms   750.00 ms    5.00   20.00   "
      "0.250     0.375\n"
      "b                      skipped: no \"room\"\n"
      "c                      transpose       48 bytes   500.00 ms   750.00 ms   20.00   30.00   "
      "1.000"
      "     0.375  shrunk to fit\n"
      "\n"
      "geomean   0.500 of copy\n"
      "median    0.625\n"
      "worst     0.250  a\n"
      "copy      25.00 GB/s\n"
      "1 of 3 cases skipped\n");
  free(out.text);
}

/* ---- The picture ---------------------------------------------------------------------------- */

enum { MOST_NESTING = 16 };

static const char *skip_attributes(const char *at) {
  while (*at == ' ') {
    at += 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
    assert_true(at[0] == '=' && at[1] == '"');
    at += 2 + strcspn(at + 2, "\"<&");
    assert_true(*at == '"');
    at += 1;
  }
  return at;
}

/* Tags pair up, attributes are quoted, there is one outermost element, and of < and & only what XML
 * allows. */
static void assert_well_formed(const char *text) {
  char open[MOST_NESTING][16];
  size_t depth = 0;
  size_t outermost = 0;
  const char *at = text;
  while (*at != '\0') {
    if (*at == '&') {
      const size_t length = strcspn(at, ";");
      assert_true(strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&lt;", 4) == 0 ||
                  strncmp(at, "&gt;", 4) == 0 || strncmp(at, "&quot;", 6) == 0);
      at += length + 1;
      continue;
    }
    if (*at != '<') {
      assert_true((unsigned char)*at >= 0x20 || *at == '\n');
      assert_true(depth > 0 || *at == '\n');
      at += 1;
      continue;
    }
    const bool closes = at[1] == '/';
    at += closes ? 2 : 1;
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
    char name[16];
    assert_in_range(length, 1, sizeof name - 1);
    memcpy(name, at, length);
    name[length] = '\0';
    at = skip_attributes(at + length);
    if (closes) {
      assert_true(depth > 0);
      depth -= 1;
      assert_string_equal(open[depth], name);
    } else if (*at == '/') {
      at += 1;
    } else {
      assert_in_range(depth, 0, MOST_NESTING - 1);
      outermost += depth == 0;
      strcpy(open[depth], name);
      depth += 1;
    }
    assert_true(*at == '>');
    at += 1;
  }
  assert_int_equal(depth, 0);
  assert_int_equal(outermost, 1);
}

static size_t count_of(const char *text, const char *part) {
  size_t count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
    count += 1;
  }
  return count;
}

static char *draw(const bench_results *results) {
  const bench_summary summary = summary_of(results);
  sink out;
  open_sink(&out);
  assert_true(chart_write(results, &summary, out.file));
  fclose(out.file);
  assert_well_formed(out.text);
  return out.text;
}

static void test_picture(void **state) {
  (void)state;
  bench_result cases[3];
  bench_results results = three_cases(cases);
  char *svg = draw(&results);
  assert_int_equal(count_of(svg, "<rect class=\"bar"), 2);
  assert_int_equal(count_of(svg, "<rect class=\"bar worst\""), 1);
  assert_int_equal(count_of(svg, "rotate(-90)"), 2); /* the names */
  assert_int_equal(count_of(svg, "<line class=\"copy\""), 1);
  assert_int_equal(count_of(svg, "http"), 1); /* nothing but the name space */
  assert_contains(svg, "a &quot;suite&quot; &amp; &lt;more&gt;");
  assert_contains(svg, "2 cases: geomean 0.50, median 0.62, worst 0.25 of a plain copy (a); "
                       "1 skipped");
  assert_contains(svg, "a: 0.250 of copy, 5.00 GB/s of 20.00, transpose");
  /* The plot ends at 1.05 and is 320 high: a bar of 1 takes 304.8, one of 0.25 76.2. */
  assert_contains(svg, "height=\"304.8\"");
  assert_contains(svg, "height=\"76.2\"");
  free(svg);
  results.count = 0;
  svg = draw(&results);
  assert_int_equal(count_of(svg, "<rect class=\"bar"), 0);
  free(svg);
}

static void test_peers_in_picture(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = with_peers(cases);
  char *const svg = draw(&results);
  assert_int_equal(count_of(svg, "<line class=\"peer0\""), 3); /* two cases, and the legend */
  assert_int_equal(count_of(svg, "<line class=\"peer1\""), 0);
  assert_contains(svg, "c: first 0.500 of copy");
  /* 92 + 320 * (1 - 0.5 / 1.05) */
  assert_contains(svg, "y1=\"259.6\" y2=\"259.6\"><title>c: first");
  free(svg);
}

static void test_picture_of_many(void **state) {
  (void)state;
  enum { MANY = 720 };
  bench_result *const cases = calloc(MANY, sizeof *cases);
  assert_non_null(cases);
  for (size_t i = 0; i < MANY; i++) {
    cases[i] = made_up("n", "u8[4]{0}", "u8[4]{0}", 0.1 + (double)((i * 7) % MANY) / MANY);
  }
  const bench_results results = results_of(cases, MANY);
  char *const svg = draw(&results);
  assert_int_equal(count_of(svg, "<rect class=\"bar"), MANY);
  assert_int_equal(count_of(svg, "rotate(-90)"), 0);
  /* From the worst to the best: the top of each bar is not below the one before it. */
  double y_before = 1e9;
  for (const char *at = strstr(svg, "class=\"bar"); at != NULL;
       at = strstr(at + 1, "class=\"bar")) {
    const double y = strtod(strstr(at, " y=\"") + 4, NULL);
    assert_true(y <= y_before);
    y_before = y;
  }
  free(svg);
  free(cases);
}

/* ---- Comparison ----------------------------------------------------------------------------- */

static comparison parse(const char *text) {
  comparison old;
  relayout_error error;
  if (comparison_parse(text, &old, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  return old;
}

static void test_written_results_can_be_compared(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = three_cases(cases);
  char *const json = json_of(&results);
  comparison old = parse(json);
  assert_string_equal(old.device, "cpu");
  assert_near(old.geomean, 0.5);
  assert_int_equal(old.count, 2);
  assert_string_equal(old.cases[1].name, "c");
  assert_string_equal(old.cases[1].from, "u8[4]{0}");
  assert_string_equal(old.cases[1].to, "u8[4]{0:PD(8)}");
  assert_near(old.cases[1].fraction, 1);
  assert_near(old.cases[1].spread, 0.0625);
  comparison_free(&old);
  free(json);
}

static void test_verdicts(void **state) {
  (void)state;
  comparison old = parse("{\"device\": \"cpu\", \"cases\": ["
                         "{\"name\": \"a\", \"from\": \"u8[4]{0}\", \"to\": \"u8[4]{0}\", "
                         "\"fraction\": 0.5},"
                         "{\"name\": \"noisy\", \"from\": \"u8[4]{0}\", \"to\": \"u8[4]{0}\", "
                         "\"fraction\": 0.5, \"spread\": 0.3, \"strategy\": \"copy\"}]}");
  static const struct {
    const char *name;
    const char *to;
    double fraction;
    double spread;
    comparison_verdict verdict;
  } cases[] = {
      {"a", "u8[4]{0}", 0.5, 0, COMPARISON_SAME},
      {"a", "u8[4]{0}", 0.46, 0, COMPARISON_SAME},
      {"a", "u8[4]{0}", 0.44, 0, COMPARISON_SLOWER},
      {"a", "u8[4]{0}", 0.44, 0.2, COMPARISON_SAME},
      {"a", "u8[4]{0}", 0.39, 0.2, COMPARISON_SLOWER},
      {"a", "u8[4]{0}", 0.54, 0, COMPARISON_SAME},
      {"a", "u8[4]{0}", 0.56, 0, COMPARISON_FASTER},
      {"a", "u8[4]{0}", 0.56, 0.2, COMPARISON_SAME},
      {"noisy", "u8[4]{0}", 0.36, 0, COMPARISON_SAME},
      {"noisy", "u8[4]{0}", 0.34, 0, COMPARISON_SLOWER},
      {"b", "u8[4]{0}", 0.1, 0, COMPARISON_NEW},
      {"a", "u8[4]{0:PD(8)}", 0.1, 0, COMPARISON_NEW},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench_result result = made_up(cases[i].name, "u8[4]{0}", cases[i].to, cases[i].fraction);
    result.spread = cases[i].spread;
    const comparison_case *matching;
    const comparison_verdict verdict = comparison_judge(&old, &result, &matching);
    if (verdict != cases[i].verdict) {
      fail_msg("%s at %g, spread %g: %d", cases[i].name, cases[i].fraction, cases[i].spread,
               (int)verdict);
    }
    assert_int_equal(matching == NULL, verdict == COMPARISON_NEW);
  }
  comparison_free(&old);
}

static void test_changes_are_told_worst_first(void **state) {
  (void)state;
  comparison old =
      parse("{\"cases\":["
            "{\"name\":\"a\",\"from\":\"u8[4]{0}\",\"to\":\"u8[4]{0}\",\"fraction\":1},"
            "{\"name\":\"b\",\"from\":\"u8[4]{0}\",\"to\":\"u8[4]{0}\",\"fraction\":1},"
            "{\"name\":\"c\",\"from\":\"u8[4]{0}\",\"to\":\"u8[4]{0}\",\"fraction\":0.5},"
            "{\"name\":\"d\",\"from\":\"u8[4]{0}\",\"to\":\"u8[4]{0}\",\"fraction\":1},"
            "{\"name\":\"gone\",\"from\":\"u8[4]{0}\",\"to\":\"u8[4]{0}\",\"fraction\":1}"
            "],\"device\":\"opencl:0:0\"}");
  bench_result cases[] = {
      made_up("a", "u8[4]{0}", "u8[4]{0}", 0.75), made_up("b", "u8[4]{0}", "u8[4]{0}", 0.5),
      made_up("c", "u8[4]{0}", "u8[4]{0}", 1),    made_up("d", "u8[4]{0}", "u8[4]{0}", 1),
      made_up("new", "u8[4]{0}", "u8[4]{0}", 1),  made_up("skipped", "u8[4]{0}", "u8[4]{0}", 1),
  };
  snprintf(cases[5].skipped, sizeof cases[5].skipped, "why");
  const bench_results results = results_of(cases, COUNT(cases));
  sink out;
  open_sink(&out);
  assert_true(comparison_print(&old, &results, out.file));
  fclose(out.file);
  assert_string_equal(out.text, "the other benchmark ran on opencl:0:0\n"
                                "slower  b                       1.000 ->  0.500 of copy (-50 %)\n"
                                "slower  a                       1.000 ->  0.750 of copy (-25 %)\n"
                                "faster  c                       0.500 ->  1.000 of copy (+100 %)\n"
                                "2 slower, 1 faster, 1 unchanged, 1 new, 1 gone\n");
  free(out.text);
  comparison_free(&old);
}

static void test_what_is_no_benchmark_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      "{",
      "[]",
      "{}",
      "{\"cases\":{}}",
      "{\"cases\":[}",
      "{\"cases\":[1]}",
      "{\"cases\":[{}]}",
      "{\"cases\":[]",
      "{\"cases\":[],}",
      "{\"cases\":[]} x",
      "{\"cases\":[{\"name\":\"a\",\"from\":\"x\",\"to\":\"y\"}]}",
      "{\"cases\":[{\"name\":\"a\",\"from\":\"x\",\"fraction\":1}]}",
      "{\"cases\":[{\"name\":\"a\",\"from\":\"x\",\"to\":\"y\",\"fraction\":\"1\"}]}",
      "{\"cases\":[{\"name\":\"a\",\"from\":\"x\",\"to\":\"y\",\"fraction\":0}]}",
      "{\"cases\":[{\"name\":\"a\",\"from\":\"x\",\"to\":\"y\",\"fraction\":1} {}]}",
      "{\"cases\":[],\"more\":tru}",
      "{\"cases\":[],\"more\":\"\\x\"}",
      "{\"cases\":[],\"more\":\"\\u12g4\"}",
      "{\"cases\":[],\"more\":\"no end",
      "{\"cases\":[],\"more\":1.2.3}",
      "{\"cases\":[],\"device\":5}",
  };
  for (size_t i = 0; i < COUNT(texts); i++) {
    comparison old = {.count = 99};
    relayout_error error;
    if (comparison_parse(texts[i], &old, &error) != RELAYOUT_INVALID_TEXT) {
      fail_msg("'%s' was taken", texts[i]);
    }
    assert_int_equal(old.count, 99);
  }
}

/* ---- Results read back ---------------------------------------------------------------------- */

/* What is written, read and written again is the same text, but for the skipped case's place, which
 * the JSON does not hold. */
static void test_results_are_read_back(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = with_peers(cases);
  char *const json = json_of(&results);
  results_file file;
  relayout_error error;
  if (results_file_parse(json, &file, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(file.results.count, 3);
  assert_string_equal(file.results.cases[1].of.name, "c");
  assert_string_equal(file.results.cases[2].skipped, "no \"room\"");
  char *const again = json_of(&file.results);
  assert_string_equal(again, json);
  char *const drawn = draw(&results);
  char *const drawn_again = draw(&file.results);
  assert_string_equal(drawn_again, drawn);
  free(drawn_again);
  free(drawn);
  free(again);
  results_file_free(&file);
  free(json);
}

/* One member that is missing, or of another kind, is named. */
static void test_what_is_no_result_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *member; /* of the written JSON, to be put out of its place */
    const char *named;
  } members[] = {
      {"\"suite\":", "'suite'"},
      {"\"clock\":", "'clock'"},
      {"\"cases\":[{", "'cases'"},
      {"\"from\":", "'from'"},
      {"\"to\":", "'to'"},
      {"\"schedule\":", "'schedule'"},
      {"\"method\":", "'method'"},
      {"\"copy\":", "'copy'"},
      {"\"reason\":\"no \\\"", "'reason'"},
      {"\"fraction\":0.25", "'fraction'"},
  };
  bench_result cases[3];
  const bench_results results = three_cases(cases);
  for (size_t i = 0; i < COUNT(members); i++) {
    char *const json = json_of(&results);
    char *const at = strstr(json, members[i].member);
    assert_non_null(at);
    at[1] = 'x';
    results_file file = {.results.count = 99};
    relayout_error error;
    assert_int_equal(results_file_parse(json, &file, &error), RELAYOUT_INVALID_TEXT);
    assert_contains(error.message, members[i].named);
    assert_int_equal(file.results.count, 99);
    free(json);
  }
}

/* jansson's memory, of which one call gives none. */
static int calls_left;

static void *allocate_or_fail(size_t size) {
  calls_left -= 1;
  return calls_left != 0 ? malloc(size) : NULL;
}

/* Without memory nothing is written, and nothing read. */
static void test_missing_memory_is_told(void **state) {
  (void)state;
  bench_result cases[3];
  const bench_results results = with_peers(cases);
  const bench_summary summary = summary_of(&results);
  char *const json = json_of(&results);
  json_set_alloc_funcs(allocate_or_fail, free);
  exit_code code = EXIT_CODE_FAILURE;
  relayout_status status = RELAYOUT_OUT_OF_MEMORY;
  int calls = 1;
  for (; code != EXIT_CODE_OK || status != RELAYOUT_OK; calls++) {
    sink out;
    open_sink(&out);
    calls_left = calls;
    code = results_json_write(&results, &summary, out.file);
    fclose(out.file);
    assert_string_equal(out.text, code == EXIT_CODE_OK ? json : "");
    free(out.text);
    comparison old = {.count = 99};
    relayout_error error;
    calls_left = calls;
    status = comparison_parse(json, &old, &error);
    assert_int_equal(old.count, status == RELAYOUT_OK ? 2 : 99);
    if (status == RELAYOUT_OK) {
      comparison_free(&old);
    } else {
      assert_int_equal(status, RELAYOUT_OUT_OF_MEMORY);
    }
    results_file file = {.results.count = 99};
    calls_left = calls;
    const relayout_status file_status = results_file_parse(json, &file, &error);
    assert_int_equal(file.results.count, file_status == RELAYOUT_OK ? 3 : 99);
    if (file_status == RELAYOUT_OK) {
      results_file_free(&file);
    } else {
      assert_int_equal(file_status, RELAYOUT_OUT_OF_MEMORY);
    }
  }
  assert_true(calls > 100);
  json_set_alloc_funcs(malloc, free);
  free(json);
}

static void test_texts_are_utf_8(void **state) {
  (void)state;
  bench_result cases[3];
  bench_results results = three_cases(cases);
  results.suite = "caf\xc3\xa9";
  results.clock = "caf\xe9 caf\xc3\xa9";
  char *const json = json_of(&results);
  assert_contains(json, "\"suite\":\"caf\xc3\xa9\",");
  assert_contains(json, "\"clock\":\"caf? caf??\",");
  free(json);
}

static void test_unknown_members_are_skipped(void **state) {
  (void)state;
  comparison old =
      parse(" { \"x\" : [ 1 , -2.5e3 , { \"y\\u0041\" : null , \"z\" : [ ] } , true , false ] ,\n"
            "\"cases\" : [ { \"from\" : \"a\\\"b\" , \"to\" : \"\\u007b0\\u20ac\" , "
            "\"extra\" : { } , \"fraction\" : 0.5 } ] } ");
  assert_int_equal(old.count, 1);
  assert_string_equal(old.cases[0].from, "a\"b");
  assert_string_equal(old.cases[0].to, "{0\xe2\x82\xac");
  assert_near(old.cases[0].fraction, 0.5);
  comparison_free(&old);
  /* Nesting without end is refused, not followed. */
  char deep[4096] = "{\"cases\":[],\"x\":";
  memset(deep + strlen(deep), '[', sizeof deep - strlen(deep) - 1);
  deep[sizeof deep - 1] = '\0';
  relayout_error error;
  assert_int_equal(comparison_parse(deep, &old, &error), RELAYOUT_INVALID_TEXT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_statistics),
      cmocka_unit_test(test_summary),
      cmocka_unit_test(test_summary_of_nothing),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_leads),
      cmocka_unit_test(test_peers_in_json),
      cmocka_unit_test(test_peers_in_table),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_picture),
      cmocka_unit_test(test_peers_in_picture),
      cmocka_unit_test(test_picture_of_many),
      cmocka_unit_test(test_written_results_can_be_compared),
      cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_changes_are_told_worst_first),
      cmocka_unit_test(test_what_is_no_benchmark_is_refused),
      cmocka_unit_test(test_results_are_read_back),
      cmocka_unit_test(test_what_is_no_result_is_refused),
      cmocka_unit_test(test_unknown_members_are_skipped),
      cmocka_unit_test(test_missing_memory_is_told),
      cmocka_unit_test(test_texts_are_utf_8),
  };
  return cmocka_run_group_tests_name("tools.bench_reports", tests, NULL, NULL);
}
