/* stubs.c: the other commands of `relayout` as empty functions, since only
 * `convert` is tested here. */
#include "command.h"

const command command_bench = {.name = "bench"};
const command command_devices = {.name = "devices"};
const command command_emit = {.name = "emit"};
const command command_explain = {.name = "explain"};
const command command_index = {.name = "index"};
const command command_selftest = {.name = "selftest"};
const command command_shape = {.name = "shape"};
const command command_shard = {.name = "shard"};
const command command_tune = {.name = "tune"};
