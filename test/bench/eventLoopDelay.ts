import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

// Loaded before a server that is measured: from `begin` on it looks each millisecond how long its event loop keeps others
// waiting, and answers `end` with the p99 in milliseconds.
if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  process.on("message", (message) => {
    if (message === "begin") {
      delays.reset()
      delays.enable()
    } else {
      delays.disable()
      process.send?.(delays.percentile(99) / 1e6)
    }
  })
  process.channel?.unref()
}
