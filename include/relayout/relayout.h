/* relayout.h: all of relayout but its OpenCL calls, which are in relayout/opencl.h. */
#ifndef RELAYOUT_RELAYOUT_H
#define RELAYOUT_RELAYOUT_H

#include "relayout/device.h"
#include "relayout/element_type.h"
#include "relayout/emit.h"
#include "relayout/exchange.h"
#include "relayout/hooks.h"
#include "relayout/index.h"
#include "relayout/interchange.h"
#include "relayout/kernel.h"
#include "relayout/layout.h"
#include "relayout/plan.h"
#include "relayout/scaled.h"
#include "relayout/shape.h"
#include "relayout/sharding.h"
#include "relayout/status.h"
#include "relayout/tuning.h"
#include "relayout/version.h"
#include "relayout/view.h"

#endif
