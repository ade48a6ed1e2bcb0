/* paged_cache.c: the keys of an attention layer go into the pages of a cache. They come token by
 * token, [tokens, heads, depth]; a page has room for some tokens and is [heads, tokens, depth], so
 * that a head finds its own side by side. Pages lie anywhere in a pool; a table says where.
 *
 * One plan serves all full pages, with other pointers. A box of it serves the last one, of which no
 * byte is written that has no token yet. */
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TOKENS = 10, HEADS = 2, DEPTH = 3, PAGE_TOKENS = 4, POOL_PAGES = 5 };

static float keys[TOKENS][HEADS][DEPTH];
static float pool[POOL_PAGES][HEADS][PAGE_TOKENS][DEPTH];
static const int table[] = {3, 0, 4}; /* where in the pool each page is */

/* The tokens of one page as they come, with the dimensions in the page's order; and the page. */
static relayout_status describe(relayout_view *tokens, relayout_view *page, relayout_error *error) {
  static const int32_t heads_first[] = {1, 0, 2};
  relayout_shape come, kept;
  relayout_status status = relayout_shape_parse("f32[4,2,3]", &come, error);
  if (status == RELAYOUT_OK) {
    status = relayout_view_make(&come, tokens, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_view_permute_dimensions(tokens, heads_first, tokens, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_shape_parse("f32[2,4,3]", &kept, error);
  }
  return status == RELAYOUT_OK ? relayout_view_make(&kept, page, error) : status;
}

static int check(void) {
  int right = 1;
  for (int t = 0; t < POOL_PAGES * PAGE_TOKENS; t++) {
    const int page = t / PAGE_TOKENS < 3 ? table[t / PAGE_TOKENS] : -1;
    for (int h = 0; h < HEADS && page >= 0; h++) {
      for (int d = 0; d < DEPTH; d++) {
        const float found = pool[page][h][t % PAGE_TOKENS][d];
        right = right && found == (t < TOKENS ? keys[t][h][d] : -1);
      }
    }
  }
  return right;
}

int main(void) {
  for (int t = 0; t < TOKENS; t++) {
    for (int h = 0; h < HEADS; h++) {
      for (int d = 0; d < DEPTH; d++) {
        keys[t][h][d] = (float)(100 * t + 10 * h + d);
      }
    }
  }
  for (size_t i = 0; i < sizeof pool / sizeof(float); i++) {
    (&pool[0][0][0][0])[i] = -1;
  }

  static const int64_t start[] = {0, 0, 0};
  static const int64_t rest[] = {HEADS, TOKENS % PAGE_TOKENS, DEPTH};
  relayout_error error;
  relayout_device *device = NULL;
  relayout_view tokens, page;
  relayout_plan *full = NULL;
  relayout_plan *last = NULL;
  if (describe(&tokens, &page, &error) != RELAYOUT_OK ||
      relayout_device_open("cpu", &device, &error) != RELAYOUT_OK ||
      relayout_plan_create_between(device, &tokens, &page, NULL, &full, &error) != RELAYOUT_OK ||
      relayout_plan_create_range(device, &tokens, &page, start, rest, NULL, &last, &error) !=
          RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (int t = 0; t < TOKENS; t += PAGE_TOKENS) {
    const relayout_plan *const plan = t + PAGE_TOKENS <= TOKENS ? full : last;
    if (relayout_plan_execute(plan, keys[t], pool[table[t / PAGE_TOKENS]], &error) != RELAYOUT_OK) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
  }
  for (int h = 0; h < HEADS; h++) {
    printf("head %d, page 2:", h);
    for (int t = 0; t < PAGE_TOKENS; t++) {
      printf("  %g %g %g", pool[4][h][t][0], pool[4][h][t][1], pool[4][h][t][2]);
    }
    printf("\n");
  }
  relayout_plan_destroy(full);
  relayout_plan_destroy(last);
  relayout_device_destroy(device);
  return check() ? 0 : 1;
}
