import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg, release, totalmem } from "node:os"
import { join } from "node:path"
import type { Result } from "./compare.ts"
import type { Database } from "./database.ts"
import { markdownOf } from "./report.ts"
import type { Rest } from "./rest.ts"

const README = join(import.meta.dirname, "README.md")
const BEGIN = "<!-- numbers: written by npm run bench -- --record -->"
const END = "<!-- /numbers -->"

const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim()

/** Names the checked-out commit, and says whether files differ from it. */
const commit = () =>
  git("rev-parse", "--short=12", "HEAD") + (git("status", "--porcelain") === "" ? "" : ", with changes")

/** Describes the machine, the programs and the load of the machine before the run. */
export const describeRun = async (database: Database): Promise<string> => {
  const [postgres] = await database.rows<{ readonly version: string }>(
    "select current_setting('server_version') as version"
  )
  const memory = (totalmem() / 1024 ** 3).toFixed(0)
  return (
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory} GiB of memory, ${process.platform} ${release()}; ` +
    `Node.js ${process.version}, PostgreSQL ${postgres?.version}. ` +
    `Load before the run: ${loadavg()[0]?.toFixed(2)}. ` +
    `Commit ${commit()}, ${new Date().toISOString().slice(0, 10)}.`
  )
}

/** Writes the numbers between the markers of the README. */
export const record = (results: ReadonlyArray<Result>, idle: Rest | undefined, run: string) => {
  const text = readFileSync(README, "utf8")
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${README} has no markers for the numbers`)
  const numbers = `\n\n${markdownOf(results, idle)}\n\n${run}\n\n`
  writeFileSync(README, text.slice(0, begin + BEGIN.length) + numbers + text.slice(end))
}
