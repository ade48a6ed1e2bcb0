/* cpu.h: what the CPU backend offers to plans. Depends on device/target.h. */
#ifndef RLT_CPU_CPU_H
#define RLT_CPU_CPU_H

#include "device/target.h"
#include "relayout/device.h"

extern const rlt_backend rlt_cpu_backend;

/* The info of the device that relayout_cpu_device_create makes with its defaults. */
void rlt_cpu_default_info(relayout_device_info *info);

#endif
