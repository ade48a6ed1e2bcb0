/* sharding_rules.h: which tensors have which sharding on either side, from a text file:
 *
 *     # names          from                       to                    there
 *     *.q_proj.weight  {devices=[2,1]<=[2]}       {devices=[8,1]<=[8]}  bf16
 *     *.norm.weight    {replicated}               {replicated}
 *
 * The first line whose pattern matches a tensor's name is the tensor's. What comes behind both
 * shardings is a shape as --to has it, and may be missing. Depends on tensor_choice.h. */
#ifndef TOOLS_SHARDING_RULES_H
#define TOOLS_SHARDING_RULES_H

#include <stddef.h>

#include "relayout/relayout.h"
#include "report.h"

typedef struct sharding_rule {
  const char *pattern;
  const char *shape; /* NULL: none */
  size_t line;       /* of the file, counted from 1 */
  relayout_sharding from;
  relayout_sharding to;
} sharding_rule;

typedef struct sharding_rules {
  char *text; /* what patterns and shapes point into */
  size_t count;
  sharding_rule *of;
} sharding_rules;

/* Reads a file's rules, which the caller frees, also on failure. */
exit_code sharding_rules_read(const char *path, sharding_rules *made);
void sharding_rules_free(sharding_rules *rules);

/* The rule of a tensor of this name; NULL: there is none. */
const sharding_rule *sharding_rules_find(const sharding_rules *rules, const char *name);

#endif
