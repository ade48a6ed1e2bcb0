"""The same with pyopencl's."""

import numpy
import pyopencl
import pyopencl.array
from typing_extensions import assert_type

import relayout

queue = pyopencl.CommandQueue(pyopencl.create_some_context())
array = numpy.zeros((4, 6), numpy.float32)
above = relayout.copy(array, "{0,1}", queue=queue)
assert_type(above, pyopencl.array.Array)
assert_type(relayout.copy(above, "{1,0}"), pyopencl.array.Array)
buffer = pyopencl.Buffer(queue.context, pyopencl.mem_flags.READ_WRITE, 96)
assert_type(relayout.copy(above, "{1,0}", out=buffer, wait_for=above.events), pyopencl.Buffer)
assert_type(relayout.enqueue(queue, buffer, above, from_="f32[4,6]"), pyopencl.Event)

plan = relayout.plan(above, "{1,0}")
assert_type(plan(above), pyopencl.array.Array)
assert_type(plan.enqueue(queue, above, buffer), pyopencl.Event)
assert_type(plan.enqueue_batch(queue, [(above, buffer)], wait_for=above.events), pyopencl.Event)
assert_type(plan.record(queue, above, buffer).enqueue(), pyopencl.Event)
