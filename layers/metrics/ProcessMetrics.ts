import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect, Layer, Metric, Schedule } from "effect"

const EVERY = "10 seconds"

const NANOS = 1e9

/** Milliseconds between two looks. More of them would wake an idle process more often. */
const RESOLUTION_MILLIS = 100

const delay = Metric.gauge("nodejs_eventloop_delay_seconds", {
  description: "The 99th percentile of how late timers fired in the last ten seconds"
})
const resident = Metric.gauge("process_resident_memory_bytes", {
  description: "Resident memory of the process"
})
const heap = Metric.gauge("nodejs_heap_used_bytes", { description: "Memory of objects in the heap of V8" })
const heapLimit = Metric.gauge("nodejs_heap_total_bytes", {
  description: "Memory that V8 reserved for its heap"
})
const build = Metric.gauge("pennypress_build_info", {
  description: "Always 1, with the release and the version of Node as attributes"
})

/** Measures the process every ten seconds, and names its release. */
export const layer = (release: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const histogram = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const made = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS })
          made.enable()
          return made
        }),
        (made) => Effect.sync(() => made.disable())
      )
      yield* Metric.update(Metric.withAttributes(build, { release, node: process.versions.node }), 1)
      const measure = Effect.gen(function* () {
        // Node reports the whole time between two looks, so its resolution is subtracted.
        const late = Math.max(0, histogram.percentile(99) / NANOS - RESOLUTION_MILLIS / 1000)
        histogram.reset()
        const { heapTotal, heapUsed, rss } = process.memoryUsage()
        yield* Metric.update(delay, Number.isFinite(late) ? late : 0)
        yield* Metric.update(resident, rss)
        yield* Metric.update(heap, heapUsed)
        yield* Metric.update(heapLimit, heapTotal)
      })
      yield* Effect.forkScoped(Effect.repeat(measure, Schedule.spaced(EVERY)))
    })
  )
