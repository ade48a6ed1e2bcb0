/* wisdom_lines.h: sets of lines of wisdom, of which each problem has one, and reading them from
 * text. What wisdom.h calls a line.
 *
 * Whatever a text is, reading it takes time in proportion to its bytes and a bounded number of
 * lines. Depends on base/ alone.
 */
#ifndef RLT_SEARCH_WISDOM_LINES_H
#define RLT_SEARCH_WISDOM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  RLT_LONGEST_WISDOM_LINE = 16 << 10, /* every axis with its longest numbers; with a NUL */
  RLT_MOST_WISDOM_LINES = 4096,       /* in a set */
  RLT_MOST_WISDOM_BYTES = 15 << 20,   /* of a set, with the ends of its lines */
  RLT_MOST_WISDOM_LINES_READ = 65536  /* of a text: its last ones */
};

/* Behind the problem. */
#define RLT_WISDOM_SEPARATOR " = "

/* How the line of a plan of several destinations begins. */
#define RLT_WISDOM_OF_SIDES "sides "

typedef struct rlt_wisdom_line {
  uint64_t hash; /* of the problem */
  char *text;    /* without its end; the set's */
  size_t problem_length;
} rlt_wisdom_line;

typedef struct rlt_wisdom_lines {
  int32_t count;
  size_t bytes;
  rlt_wisdom_line of[RLT_MOST_WISDOM_LINES]; /* the oldest first */
  uint16_t slots[2 * RLT_MOST_WISDOM_LINES]; /* by hash: a line's number and 1, or 0 */
} rlt_wisdom_lines;

/* Frees what an empty set, all zeros, has taken since. */
void rlt_wisdom_lines_release(rlt_wisdom_lines *lines);

/* Fills an empty set with the newest lines of a text that has no head, as many as it holds; of one
 * problem the last. Lines that cannot be read are passed over, and so is a last one without an end.
 * False without memory for some. */
bool rlt_wisdom_lines_read(const char *text, size_t size, rlt_wisdom_lines *lines);

/* The line of a problem; NULL where there is none. */
const rlt_wisdom_line *rlt_wisdom_lines_find(const rlt_wisdom_lines *lines, const char *problem,
                                             size_t length);

/* Appends the lines of another set, which is empty then. Of a problem that both have, the other's
 * line stays if it `replaces`, else the set's own where it was. The set's oldest lines go where it
 * gets too large. */
void rlt_wisdom_lines_merge(rlt_wisdom_lines *lines, rlt_wisdom_lines *other, bool replaces);

#endif
