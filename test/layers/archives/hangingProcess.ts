import { serveJobs } from "../../../layers/process-pool/processJobs.ts"

// Inspects an empty archive, hangs on one of a byte, and crashes on others.
serveJobs<object>(async (_, { length }) => {
  if (length === 0) return { inspected: true }
  if (length === 1) return new Promise(() => {})
  return process.exit(1)
})
