import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ADMIN_TOKEN } from "../support/actors/administrator.ts"
import { freshDatabase } from "../support/Database.ts"
import { run } from "../support/processes.ts"

const path = process.env["PATH"]

const program = fileURLToPath(new URL("../../src/bin/pennypress.ts", import.meta.url))

/** Runs `pennypress admin uploads …` to its end; returns its status and all of its output. */
const admin = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [program, "admin", "uploads", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: path, ...env }
    })
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { status: await ended, written: `${out}${errors}`.trim() }
  })

const id = "00000000-0000-7000-8000-000000000000"

describe("pennypress admin uploads", { timeout: 60_000 }, () => {
  it.live("speaks to the service that runs, and says what is wrong", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_admin_program")
      const serving = yield* run("../../src/bin/pennypress.ts", ["serve"], {
        DATABASE_URL: Redacted.value(url),
        SERVER_SECRET: "a secret for the tests of administrators",
        ADMIN_TOKEN,
        SCANNER: "none",
        LOG_FORMAT: "json",
        PORT: "0"
      })
      const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* serving.line) ?? []
      const env = { ADMIN_TOKEN, PUBLIC_BASE_URL: origin }

      const [stuck, unknown, other] = yield* Effect.all(
        [
          admin(["stuck", "--older-than", "0"], env),
          admin(["hold", id], env),
          admin(["stuck"], { ...env, ADMIN_TOKEN: "x".repeat(32) })
        ],
        { concurrency: 3 }
      )
      assert.deepStrictEqual(stuck, { status: 0, written: "" })
      assert.deepStrictEqual(unknown, {
        status: 1,
        written: "pennypress: There is no upload operation of this id."
      })
      assert.deepStrictEqual(other, {
        status: 1,
        written: "pennypress: The service has another ADMIN_TOKEN than this one."
      })
    })
  )
})
