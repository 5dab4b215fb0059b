import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { freePort } from "../../layers/postgres/embedded/server.ts"
import { ADMIN_TOKEN } from "../support/actors/administrator.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { run } from "../support/processes.ts"
import { processOver } from "../support/TestClient.ts"

const path = process.env["PATH"]

/** The secret of the service. */
export const SERVER_SECRET = "a secret for the tests of administrators"

const program = fileURLToPath(new URL("../../src/bin/pennypress.ts", import.meta.url))

/** Runs `pennypress admin …` with an input to its end; returns its status and all of its output. */
export const admin = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, input = "") =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [program, "admin", ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: path, ...env }
    })
    // A command that reads no input may end before it is written.
    child.stdin.on("error", () => {}).end(input)
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { status: await ended, written: `${out}${errors}`.trim() }
  })

/**
 * Starts `pennypress serve` over a fresh database of this name. Returns the environment of its administrators, and a
 * service of this process over the same database.
 */
export const administered = Effect.fnUntraced(function* (name: string) {
  const url = yield* freshDatabase(name)
  const port = yield* freePort
  const env = {
    ADMIN_TOKEN,
    PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    PENNYPRESS_DATA: yield* temporaryDirectory
  }
  const serving = yield* run("../../src/bin/pennypress.ts", ["serve"], {
    DATABASE_URL: Redacted.value(url),
    SERVER_SECRET,
    SCANNER: "none",
    LOG_FORMAT: "json",
    PORT: String(port),
    ...env
  })
  const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* serving.line) ?? []
  return { env, origin, service: yield* processOver(url, 1), url }
})
