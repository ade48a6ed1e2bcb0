/* emit_check.c: see emit_check.h. */
#include "emit_check.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/noise.h"
#include "verify.h"

extern char **environ;

/* ---- Files ---- */

typedef struct folder {
  char path[256];
  char source[288];
  char made[288];
  char declared[288];
} folder;

/* What CUDA's and HIP's headers declare, for clang without them. */
static const char declarations[] =
    "#define __device__ __attribute__((device))\n"
    "#define __global__ __attribute__((global))\n"
    "#define __shared__ __attribute__((shared))\n"
    "#define __forceinline__ inline __attribute__((always_inline))\n"
    "#define __launch_bounds__(count) __attribute__((launch_bounds(count)))\n"
    "struct declared_coordinate { unsigned x; };\n"
    "extern __device__ declared_coordinate threadIdx, blockIdx;\n"
    "extern \"C\" __device__ void __syncthreads(void);\n"
    "extern \"C\" __device__ int __clz(int);\n"
    "extern \"C\" __device__ int __clzll(long long);\n";

static exit_code make_folder(const char *ending, folder *made) {
  const char *const parent = getenv("TMPDIR");
  snprintf(made->path, sizeof made->path, "%.200s/relayout-XXXXXX",
           parent != NULL && parent[0] != '\0' ? parent : "/tmp");
  if (mkdtemp(made->path) == NULL) {
    return report(EXIT_CODE_FAILURE, "--check: cannot make %s: %s", made->path, strerror(errno));
  }
  snprintf(made->source, sizeof made->source, "%s/kernel.%s", made->path, ending);
  snprintf(made->made, sizeof made->made, "%s/kernel.out", made->path);
  snprintf(made->declared, sizeof made->declared, "%s/declared.h", made->path);
  return EXIT_CODE_OK;
}

static void remove_folder(const folder *of) {
  unlink(of->source);
  unlink(of->made);
  unlink(of->declared);
  rmdir(of->path);
}

static exit_code write_file(const char *path, const char *const *texts, int32_t count) {
  FILE *const file = fopen(path, "w");
  bool is_written = file != NULL;
  for (int32_t i = 0; i < count && is_written; i++) {
    is_written = fputs(texts[i], file) >= 0;
  }
  is_written = (file == NULL || fclose(file) == 0) && is_written;
  return is_written
             ? EXIT_CODE_OK
             : report(EXIT_CODE_FAILURE, "--check: cannot write %s: %s", path, strerror(errno));
}

static exit_code write_source(const emit_check_subject *of, const folder *in) {
  const char *const declared[] = {declarations};
  const char **const texts = malloc((size_t)of->count * sizeof *texts);
  if (texts == NULL) {
    return report(EXIT_CODE_FAILURE, "--check: no memory for %d texts", (int)of->count);
  }
  for (int32_t i = 0; i < of->count; i++) {
    texts[i] = of->kernels[i].source;
  }
  exit_code code = write_file(in->source, texts, of->count);
  free(texts);
  return code == EXIT_CODE_OK ? write_file(in->declared, declared, 1) : code;
}

/* ---- Compilers ---- */

/* Whether a program can be started, and what it exits with. */
static bool run_program(const char *const *words, int *code) {
  pid_t child;
  int status = 0;
  if (posix_spawnp(&child, words[0], NULL, NULL, (char *const *)(uintptr_t)words, environ) != 0) {
    return false;
  }
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return false;
    }
  }
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : 127;
  return *code != 127;
}

/* Tries the compilers of a language in turn. `*used` becomes the one that there is; NULL: none. */
static exit_code compile(const emit_check_subject *of, const folder *in, const char **used) {
  const char *const compilers[][20] = {
      {"cc", "-std=c11", "-O1", "-shared", "-fPIC", "-o", in->made, in->source, NULL},
      {"nvcc", "-x", "cu", "-ptx", "-o", in->made, in->source, NULL},
      {"clang", "-x", "cuda", "--cuda-gpu-arch=sm_70", "--cuda-device-only", "-nogpuinc",
       "-nogpulib", "-Wno-unknown-cuda-version", "-std=c++14", "-include", in->declared, "-O1",
       "-S", "-o", in->made, in->source, NULL},
      {"hipcc", "--genco", "-o", in->made, in->source, NULL},
      {"clang", "-x", "hip", "--offload-arch=gfx90a", "--cuda-device-only", "-nogpuinc",
       "-nogpulib", "-std=c++14", "-include", in->declared, "-O1", "-S", "-o", in->made, in->source,
       NULL}};
  const size_t first = of->language == RELAYOUT_LANGUAGE_C      ? 0
                       : of->language == RELAYOUT_LANGUAGE_CUDA ? 1
                                                                : 3;
  const size_t count = of->language == RELAYOUT_LANGUAGE_C ? 1 : 2;
  *used = NULL;
  for (size_t i = first; i < first + count; i++) {
    int code = 0;
    if (run_program(compilers[i], &code)) {
      *used = compilers[i][0];
      return code == 0 ? EXIT_CODE_OK
                       : report(EXIT_CODE_FAILURE, "--check: %s does not compile it", *used);
    }
  }
  return EXIT_CODE_OK;
}

/* ---- Running ---- */

static exit_code make_memory(const emit_check_subject *of, emit_check_memory *made) {
  relayout_shape_byte_size(of->from, &made->source_size, NULL);
  relayout_shape_byte_size(of->to, &made->destination_size, NULL);
  const size_t words = (made->source_size + 7) / 8 * 8;
  made->source = malloc(words + 1);
  made->destination = calloc(made->destination_size + 1, 1);
  if (made->source == NULL || made->destination == NULL) {
    return report(EXIT_CODE_FAILURE, "--check: no memory for %zu and %zu bytes", made->source_size,
                  made->destination_size);
  }
  bench_fill_noise(made->source, words);
  return EXIT_CODE_OK;
}

static exit_code run_in_c(const emit_check_subject *of, const folder *in,
                          emit_check_memory *memory) {
  void *const library = dlopen(in->made, RTLD_NOW | RTLD_LOCAL);
  void *const symbol = library == NULL ? NULL : dlsym(library, of->kernels[0].name);
  void (*function)(const void *, void *) = NULL;
  if (symbol == NULL) {
    return report(EXIT_CODE_FAILURE, "--check: cannot load what cc made: %s", dlerror());
  }
  memcpy(&function, &symbol, sizeof function);
  function(memory->source, memory->destination);
  dlclose(library);
  return EXIT_CODE_OK;
}

static exit_code verify(const emit_check_subject *of, const emit_check_memory *memory) {
  const relayout_plan_options options = {.struct_size = sizeof options, .scale = 1};
  return verify_relayout(of->from, of->to, &options, memory->source, memory->destination,
                         memory->destination_size);
}

static exit_code run_and_verify(const emit_check_subject *of, const folder *in, const char *how) {
  emit_check_memory memory = {NULL, NULL, 0, 0};
  exit_code code = make_memory(of, &memory);
  if (code == EXIT_CODE_OK) {
    code = in == NULL ? emit_check_on_opencl(of, &memory) : run_in_c(of, in, &memory);
  }
  if (code == EXIT_CODE_OK) {
    code = verify(of, &memory);
  }
  if (code == EXIT_CODE_OK) {
    report_line("--check: compiled by %s and run: all %zu bytes are right", how,
                memory.destination_size);
  }
  free(memory.source);
  free(memory.destination);
  return code;
}

static exit_code compile_and_run(const emit_check_subject *of, const folder *in) {
  const char *used = NULL;
  exit_code code = write_source(of, in);
  if (code == EXIT_CODE_OK) {
    code = compile(of, in, &used);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (used == NULL) {
    report_line("--check: no compiler of %s is installed", relayout_language_name(of->language));
    return EXIT_CODE_OK;
  }
  if (of->language == RELAYOUT_LANGUAGE_C) {
    return run_and_verify(of, in, used);
  }
  report_line("--check: compiled by %s, and not run", used);
  return EXIT_CODE_OK;
}

exit_code emit_check(const emit_check_subject *of) {
  if (of->language == RELAYOUT_LANGUAGE_OPENCL) {
    return run_and_verify(of, NULL, "clBuildProgram");
  }
  const char *const ending = of->language == RELAYOUT_LANGUAGE_C      ? "c"
                             : of->language == RELAYOUT_LANGUAGE_CUDA ? "cu"
                                                                      : "hip";
  folder in;
  exit_code code = make_folder(ending, &in);
  if (code == EXIT_CODE_OK) {
    code = compile_and_run(of, &in);
    remove_folder(&in);
  }
  return code;
}
