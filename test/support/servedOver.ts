import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { serveIn } from "../wire/program.ts"
import { clientOf } from "./httpClient.ts"

/** Starts the service over a database, in a process that a test may kill and start again over the same directory. */
export const servedOver = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  dataDirectory: string,
  environment: Readonly<Record<string, string>> = {}
) {
  const { child, exit, firstLine, log } = yield* serveIn(dataDirectory, {
    DATABASE_URL: Redacted.value(url),
    SERVER_SECRET: "a secret that these tests share and nobody else",
    PUBLIC_BASE_URL: "http://localhost:8080",
    RATE_LIMIT_FACTOR: "1000000",
    SCANNER: "none",
    ...environment
  })
  const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* firstLine) ?? []
  assert.notStrictEqual(origin, "", log.join("\n"))
  return {
    pid: child.pid ?? 0,
    log,
    origin,
    client: clientOf(origin),
    /** Kills the process, and waits until it is dead. */
    kill: Effect.andThen(
      Effect.sync(() => child.kill("SIGKILL")),
      exit
    )
  }
})
