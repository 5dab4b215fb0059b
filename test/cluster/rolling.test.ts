import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { kill, start, terminate } from "./machines.ts"
import { failuresOf } from "./record.ts"
import { isReady, pennypress, replaceDatabase, type Service, SERVICES } from "./topology.ts"
import { underLoad } from "./underLoad.ts"

/** The checkout of the previous release, which `.ci/cluster` makes. */
const PREVIOUS = process.env["CLUSTER_PREVIOUS"] ?? ""

/** Replaces one service after the other by one of a checkout. */
const roll = Effect.forEach(
  SERVICES,
  Effect.fnUntraced(function* (service: Service) {
    yield* terminate(service)
    yield* begin(service)
    // The balancer asks each second.
    yield* Effect.sleep("3 seconds")
  })
)

const begin = (service: Service, checkout?: string) =>
  Effect.andThen(
    start(service, pennypress(service, ["serve"], checkout)),
    eventually(`${service} is ready`, isReady(service))
  )

describe("services that are replaced one after the other", () => {
  it.live("A rolling restart fails no request", () =>
    underLoad("rolling restart", ({ record, table }) =>
      Effect.gen(function* () {
        yield* roll
        table.none("requests failed", failuresOf(record))
      })
    )
  )

  it.live("A rolling upgrade from the previous release fails no request", () =>
    Effect.gen(function* () {
      for (const service of SERVICES) yield* kill(service)
      yield* replaceDatabase
      for (const service of SERVICES) yield* begin(service, PREVIOUS)
      yield* underLoad("rolling upgrade", ({ record, table }) =>
        Effect.gen(function* () {
          yield* roll
          table.none("requests failed", failuresOf(record))
        })
      )
    })
  )
})
