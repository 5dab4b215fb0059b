import type { ImageQuestion } from "../../../layers/images/ImageDecoderSharpProcess.ts"
import { serveJobs } from "../../../layers/process-pool/processJobs.ts"

const inspected = { frames: 1, representations: [{ pixels: "0".repeat(64), perceptual: "0".repeat(16) }] }

// Answers a GIF, hangs on a PNG, and crashes on other formats.
serveJobs<ImageQuestion>(async ({ format }) => {
  if (format === "gif") return { inspected }
  if (format === "png") return new Promise(() => {})
  return process.exit(1)
})
