import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

// Loaded before a server that is measured: tells the p99 of its event loop's delay since it was last asked, in milliseconds.
if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  process.on("message", () => {
    process.send?.(delays.percentile(99) / 1e6)
    delays.reset()
  })
  process.channel?.unref()
}
