/* size_text.h: a byte count for people to read. Depends on stdio alone. */
#ifndef TOOLS_SIZE_TEXT_H
#define TOOLS_SIZE_TEXT_H

#include <stdint.h>

enum { SIZE_TEXT_CAPACITY = 16 };

/* "60 bytes", "1.5 KiB", "2.0 GiB". */
void size_text(uint64_t bytes, char text[SIZE_TEXT_CAPACITY]);

#endif
