/* log.c: who hears messages. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/forks.h"
#include "base/memory.h"
#include "base/one_line.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static rlt_fork_guard guard = {.mutex = &mutex};
static relayout_log *listener; /* behind the mutex, as its context */
static void *listener_context;
static atomic_bool is_heard;

void relayout_set_log(relayout_log *log, void *context) {
  (void)rlt_fork_guard_list(&guard); /* without memory for it a child of fork() may not log */
  pthread_mutex_lock(&mutex);
  listener = log;
  listener_context = context;
  atomic_store(&is_heard, log != NULL);
  pthread_mutex_unlock(&mutex);
}

static void tell(relayout_log_level level, const char *message) {
  pthread_mutex_lock(&mutex);
  if (listener != NULL) {
    listener(listener_context, level, message);
  }
  pthread_mutex_unlock(&mutex);
}

void rlt_log(relayout_log_level level, const char *format, ...) {
  if (!atomic_load(&is_heard)) {
    return;
  }
  char part[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(part, sizeof part, format, arguments);
  va_end(arguments);
  char *const whole = length < (int)sizeof part ? NULL : rlt_malloc((size_t)length + 1);
  if (whole != NULL) {
    va_start(arguments, format);
    vsnprintf(whole, (size_t)length + 1, format, arguments);
    va_end(arguments);
  }
  char *const message = whole != NULL ? whole : part;
  rlt_clean_text(message, level == RELAYOUT_LOG_ERROR ? RLT_LOG_CONTROLS : "");
  tell(level, message);
  rlt_free(whole);
}
