import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { kill, start } from "./machines.ts"
import { failuresOf, type Record, type Seen, type Write } from "./record.ts"
import { s3Gateway, startOn, whole } from "./topology.ts"
import { secondsOf, underLoad } from "./underLoad.ts"

const AWAY = "6 seconds"

const isSignIn = ({ step }: Seen) => step.startsWith("POST /api/v1/auth/")
const isUpload = ({ step }: Seen) => step.endsWith("/images")

/** Waits for an acknowledged write of this kind. Returns the seconds that it took. */
const written = ({ writes }: Record, kind: Write["kind"]) => {
  const before = writes.length
  return secondsOf(
    eventually(
      `a ${kind} is acknowledged`,
      Effect.sync(() => writes.slice(before).some((write) => write.kind === kind))
    )
  )
}

describe("what the services stand on", () => {
  it.live("A killed PgBouncer stops writes for as long as it is unavailable", () =>
    underLoad("PgBouncer killed", ({ record, table }) =>
      Effect.gen(function* () {
        yield* kill("pgbouncer")
        yield* Effect.sleep(AWAY)
        yield* startOn("pgbouncer")
        table.atMost("seconds until writes again", yield* written(record, "post"), 5)
        yield* whole
        const back = Date.now()
        yield* Effect.sleep("5 seconds")
        table.none("requests failed once all are ready", failuresOf(record, back + 1_000))
      })
    )
  )

  it.live("A killed Redis stops sign-in alone", () =>
    underLoad("Redis killed", ({ record, table }) =>
      Effect.gen(function* () {
        yield* kill("redis")
        yield* Effect.sleep(AWAY)
        table.none(
          "other requests failed",
          failuresOf(record).filter((seen) => !isSignIn(seen))
        )
        yield* startOn("redis")
        table.atMost("seconds until sign-in again", yield* written(record, "session"), 5)
      })
    )
  )

  it.live("A killed S3 store stops uploads alone, and loses none that was acknowledged", () =>
    underLoad("S3 gateway killed", ({ record, table }) =>
      Effect.gen(function* () {
        yield* kill("s3", "radosgw")
        yield* Effect.sleep(AWAY)
        table.none(
          "other requests failed",
          failuresOf(record).filter((seen) => !isUpload(seen))
        )
        yield* start("s3", s3Gateway())
        table.atMost("seconds until uploads again", yield* written(record, "image"), 15)
      })
    )
  )

  it.live("A killed scanner fails no request, and images are screened when it is back", () =>
    underLoad("clamd killed", ({ record, table }) =>
      Effect.gen(function* () {
        yield* kill("clamd")
        yield* Effect.sleep(AWAY)
        table.none("requests failed", failuresOf(record))
        yield* startOn("clamd")
      })
    )
  )
})
