/* json_input.h: JSON text as jansson's values. Depends on the public status and jansson. */
#ifndef TOOLS_JSON_INPUT_H
#define TOOLS_JSON_INPUT_H

#include <jansson.h>
#include <stddef.h>

#include "relayout/status.h"

/* Reads an object or an array, behind which nothing but white space may come. What jansson refuses
 * is refused: a key that is there twice, bytes that are no UTF-8, NULs, deep nesting. `*json` is
 * the caller's to give back. RELAYOUT_INVALID_TEXT with the place; RELAYOUT_OUT_OF_MEMORY, though
 * jansson sometimes calls the text invalid then. */
relayout_status json_input_read(const char *text, size_t size, json_t **json,
                                relayout_error *error);

#endif
