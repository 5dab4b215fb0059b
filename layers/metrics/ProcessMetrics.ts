import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect, Layer, Metric, Schedule } from "effect"
import { roomAt } from "../files/diskSpace.ts"

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
const diskFree = Metric.gauge("data_disk_free_bytes", {
  description: "Free bytes on the disk of PENNYPRESS_DATA, as the account of the service may use them"
})
const diskSize = Metric.gauge("data_disk_size_bytes", { description: "Size of the disk of PENNYPRESS_DATA" })
const build = Metric.gauge("pennypress_build_info", {
  description: "Always 1, with the release and the version of Node as attributes"
})

/** Measures the disk of a folder. A disk that does not answer keeps its last numbers. */
const measureDisk = (folder: string) =>
  roomAt(folder).pipe(
    Effect.flatMap(({ freeBytes, totalBytes }) =>
      Effect.andThen(Metric.update(diskFree, freeBytes), Metric.update(diskSize, totalBytes))
    ),
    Effect.ignore
  )

/** Measures the process and the disk of its data every ten seconds, and names its release. */
export const layer = (release: string, dataDirectory: string) =>
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
        yield* measureDisk(dataDirectory)
      })
      yield* Effect.forkScoped(Effect.repeat(measure, Schedule.spaced(EVERY)))
    })
  )
