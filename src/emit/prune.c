/* prune.c: a text without what one of its functions does not need. */
#include <string.h>

#include "base/memory.h"
#include "emit/source.h"

typedef struct part {
  rlt_item item;
  size_t first_name; /* of those that it defines, in the list of all */
  size_t name_count;
  bool is_needed;
} part;

typedef struct parts {
  part *of;
  size_t count;
  rlt_names names;
  size_t *owners; /* of each name its part's number */
} parts;

static size_t count_items(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; ++count) {
    text += rlt_item_at(text).length;
  }
  return count;
}

static bool find_parts(const char *text, parts *found) {
  const size_t count = count_items(text);
  found->of = rlt_calloc(count + 1, sizeof *found->of);
  if (found->of == NULL) {
    return false;
  }
  for (; found->count < count; ++found->count) {
    part *const made = &found->of[found->count];
    made->item = rlt_item_at(text);
    made->first_name = found->names.count;
    rlt_item_add_names(made->item, &found->names);
    made->name_count = found->names.count - made->first_name;
    text += made->item.length;
  }
  found->owners = rlt_calloc(found->names.count + 1, sizeof *found->owners);
  if (found->owners == NULL || found->names.lacks_memory) {
    return false;
  }
  for (size_t p = 0; p < count; ++p) {
    for (size_t n = 0; n < found->of[p].name_count; ++n) {
      found->owners[found->of[p].first_name + n] = p;
    }
  }
  return true;
}

/* Those that this one mentions, unless they are known to be needed. True where there are any. */
static bool mark_mentioned(parts *all, const part *by) {
  bool has_new = false;
  const char *const end = by->item.text + by->item.length;
  for (rlt_token at = rlt_token_from(by->item.text, false);
       at.text < end && at.kind != RLT_TOKEN_END; at = rlt_token_from(at.text + at.length, false)) {
    const size_t name =
        at.kind == RLT_TOKEN_NAME ? rlt_names_find(&all->names, at) : all->names.count;
    if (name < all->names.count && !all->of[all->owners[name]].is_needed) {
      all->of[all->owners[name]].is_needed = true;
      has_new = true;
    }
  }
  return has_new;
}

static void mark_needed(parts *all, const char *function) {
  const rlt_token root = {RLT_TOKEN_NAME, function, strlen(function)};
  const size_t name = rlt_names_find(&all->names, root);
  if (name == all->names.count) {
    return;
  }
  all->of[all->owners[name]].is_needed = true;
  /* Most of what is needed stands before what needs it. */
  for (bool has_new = true; has_new;) {
    has_new = false;
    for (size_t p = all->count; p > 0; --p) {
      part *const by = &all->of[p - 1];
      has_new = (by->is_needed && mark_mentioned(all, by)) || has_new;
    }
  }
}

void rlt_source_prune(const char *text, const char *function, rlt_source *made) {
  parts all = {NULL, 0, {NULL, 0, 0, false}, NULL};
  if (find_parts(text, &all)) {
    mark_needed(&all, function);
    bool follows_empty = true;
    for (size_t p = 0; p < all.count; ++p) {
      const bool is_empty = *all.of[p].item.text == '\n';
      if (all.of[p].is_needed || (is_empty && !follows_empty)) {
        rlt_source_add(made, all.of[p].item.text, all.of[p].item.length);
        follows_empty = is_empty;
      }
    }
  } else {
    made->lacks_memory = true;
  }
  rlt_names_free(&all.names);
  rlt_free(all.owners);
  rlt_free(all.of);
}

void rlt_source_make_alone(const rlt_source *whole, const char *name, rlt_source_dialect dialect,
                           rlt_source *made) {
  rlt_source resolved = {NULL, 0, 0, false};
  rlt_source pruned = {NULL, 0, 0, false};
  bool is_complete = !whole->lacks_memory;
  if (is_complete) {
    rlt_source_resolve(whole->text, dialect, &resolved);
    is_complete = !resolved.lacks_memory;
  }
  if (is_complete) {
    rlt_source_prune(resolved.text, "ENTRY", &pruned);
    is_complete = !pruned.lacks_memory;
  }
  if (is_complete) {
    rlt_source_spell(pruned.text, name, dialect, made);
  }
  made->lacks_memory = made->lacks_memory || !is_complete;
  rlt_source_free(&resolved);
  rlt_source_free(&pruned);
}
