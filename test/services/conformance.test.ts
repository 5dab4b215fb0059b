import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { temporaryDirectory } from "../support/directories.ts"
import { listening } from "../support/listening.ts"
import { started } from "../wire/server.ts"
import { fixtureServer } from "./fixtureTools.ts"

/** The program of the suite that the authors of the protocol publish. */
const SUITE = join(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  "../dist/index.js"
)

const baselineOf = (revision: string) =>
  fileURLToPath(new URL(`conformance-${revision}.yml`, import.meta.url))

interface Outcome {
  readonly code: number
  readonly output: string
}

/** Runs what a revision requires. The suite fails for a new failure, and for an expected one that is none any more. */
const conformance = (origin: string, revision: string, directory: string, baseline = baselineOf(revision)) =>
  Effect.callback<Outcome>((resume) => {
    const args = ["server", "--url", `${origin}/mcp`, "--requirements", revision, "-o", directory]
    const child = execFile(
      process.execPath,
      [SUITE, ...args, "--expected-failures", baseline],
      { maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1)
        resume(Effect.succeed({ code, output: `${stdout}\n${stderr}` }))
      }
    )
    return Effect.sync(() => child.kill())
  })

/** Scenarios that a baseline may hold, at most: the number may only fall. */
const EXPECTED = { "2025-11-25": 26, "2026-07-28": 30 } as const

/** Scenarios of results that the service's own tools do not have. */
const CONTENT: ReadonlySet<string> = new Set([
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error"
])

describe("the conformance suite of the protocol", () => {
  for (const [revision, most] of Object.entries(EXPECTED)) {
    it.live(`The server passes the suite for ${revision}, except for features that it does not have`, () =>
      Effect.gen(function* () {
        // The suite sends the origin that it asks, and that of a stranger.
        const port = yield* Effect.scoped(listening(createServer()))
        const { origin } = yield* started(
          `test_conformance_${revision.replaceAll("-", "_")}`,
          {},
          {
            PORT: String(port),
            PUBLIC_BASE_URL: `http://localhost:${port}`,
            MCP_ALLOWED_ORIGINS: `http://127.0.0.1:${port}`
          }
        )
        const { code, output } = yield* conformance(origin, revision, yield* temporaryDirectory)
        assert.strictEqual(code, 0, output)
        const scenarios = readFileSync(baselineOf(revision), "utf8").match(/^ *- \S+$/gm) ?? []
        assert.isAtMost(scenarios.length, most)
      })
    )
  }

  for (const revision of Object.keys(EXPECTED)) {
    it.live(`The server passes the suite for ${revision} with every kind of content and its tools`, () =>
      Effect.gen(function* () {
        const port = yield* Effect.scoped(listening(createServer()))
        yield* Layer.build(fixtureServer(port))
        const directory = yield* temporaryDirectory
        const others = readFileSync(baselineOf(revision), "utf8")
          .split("\n")
          .filter((line) => !CONTENT.has(line.replace(/^ *- /, "")))
        const baseline = join(directory, "baseline.yml")
        writeFileSync(baseline, others.join("\n"))
        const { code, output } = yield* conformance(`http://localhost:${port}`, revision, directory, baseline)
        assert.strictEqual(code, 0, output)
      })
    )
  }
})
