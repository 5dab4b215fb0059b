import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { serveJobs } from "../../../layers/process-pool/processJobs.ts"

/** Returns the word for a success, or the code of the failure. */
const tried = (word: string, act: () => unknown) => {
  try {
    act()
    return word
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

let path = ""

// A program that a file has taken over. It is not among the modules that a reader may load, so it loads what it can.
serveJobs<{ readonly ask: string; readonly path?: string }>(async (question) => {
  if (question.ask === "open") {
    path = question.path ?? ""
    return { opened: true }
  }
  if (question.ask === "read") return new Promise(() => {})
  const found = {
    file: tried("read", () => readFileSync(path)),
    other: tried("read", () => readFileSync("/etc/hostname")),
    write: tried("written", () => writeFileSync(`${path}.other`, "")),
    start: tried("started", () => spawnSync("true"))
  }
  return { bytes: Buffer.from(JSON.stringify(found)).toString("base64") }
})
