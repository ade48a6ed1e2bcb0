/* kernel_case.h: what kernel_cases writes of a relayout, read again. Depends on nothing. */
#ifndef HOST_TESTS_EMIT_KERNEL_CASE_H
#define HOST_TESTS_EMIT_KERNEL_CASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CASE_NAME_SIZE = 80 };

static inline void case_read(FILE *cases, void *bytes, size_t size) {
  if (fread(bytes, 1, size, cases) != size) {
    fprintf(stderr, "the cases end early\n");
    exit(1);
  }
}

static inline uint64_t case_number(FILE *cases) {
  uint64_t number = 0;
  case_read(cases, &number, sizeof number);
  return number;
}

/* A kernel as it is launched. The caller frees the text. */
typedef struct case_kernel {
  uint64_t global;
  uint64_t local;
  uint64_t argument_count;
  char name[CASE_NAME_SIZE];
  char *text;
} case_kernel;

static inline case_kernel case_read_kernel(FILE *cases) {
  case_kernel made;
  made.global = case_number(cases);
  made.local = case_number(cases);
  made.argument_count = case_number(cases);
  case_read(cases, made.name, sizeof made.name);
  const uint64_t length = case_number(cases);
  made.text = (char *)calloc(1, length + 1);
  if (made.text == NULL) {
    exit(1);
  }
  case_read(cases, made.text, length);
  return made;
}

/* Memory with guards, at the start of a page. */
typedef struct case_memory {
  uint64_t source_size;
  uint64_t destination_size;
  uint64_t source_offset;
  uint64_t destination_offset;
  unsigned char *source;
  unsigned char *destination;
  unsigned char *expected;
} case_memory;

static inline unsigned char *case_read_bytes(FILE *cases, uint64_t size) {
  enum { PAGE = 4096 };
  unsigned char *const bytes = (unsigned char *)aligned_alloc(PAGE, (size + PAGE) / PAGE * PAGE);
  if (bytes == NULL) {
    exit(1);
  }
  case_read(cases, bytes, size);
  return bytes;
}

static inline case_memory case_read_memory(FILE *cases) {
  case_memory made;
  made.source_size = case_number(cases);
  made.destination_size = case_number(cases);
  made.source_offset = case_number(cases);
  made.destination_offset = case_number(cases);
  made.source = case_read_bytes(cases, made.source_size);
  made.destination = case_read_bytes(cases, made.destination_size);
  made.expected = case_read_bytes(cases, made.destination_size);
  return made;
}

static inline void case_free_memory(case_memory *memory) {
  free(memory->source);
  free(memory->destination);
  free(memory->expected);
}

/* How many bytes of the destination, with its guards, are not as expected; says which is first. */
static inline uint64_t case_compare(uint64_t number, const case_memory *memory) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < memory->destination_size; ++i) {
    const int differs = memory->destination[i] != memory->expected[i];
    if (differs && count == 0) {
      fprintf(stderr, "case_%llu: byte %lld is 0x%02x, expected 0x%02x\n",
              (unsigned long long)number, (long long)i - (long long)memory->destination_offset,
              memory->destination[i], memory->expected[i]);
    }
    count += (uint64_t)differs;
  }
  return count;
}

#endif
