import { it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { cutOff, heal } from "./machines.ts"
import { failuresOf } from "./record.ts"
import { isReady } from "./topology.ts"
import { secondsOf, underLoad } from "./underLoad.ts"

const DATABASE = [{ machine: "pgbouncer" }, { machine: "haproxy", port: 5432 }] as const

it.live("A service that cannot reach the database leaves the balancer, and comes back by itself", () =>
  underLoad("a service without the database", ({ record, table }) =>
    Effect.gen(function* () {
      yield* cutOff("pennypress-1", DATABASE)
      const leaves = eventually(
        "it says that it is not ready",
        Effect.map(isReady("pennypress-1"), (ready) => !ready)
      )
      table.atMost("seconds until it is not ready", yield* secondsOf(leaves), 3)
      // The balancer asks each second, and believes the second answer.
      yield* Effect.sleep("4 seconds")
      const left = Date.now()
      yield* Effect.sleep("8 seconds")
      table.none("requests failed after it left", failuresOf(record, left))
      yield* heal("pennypress-1")
      const returns = eventually("it is ready again", isReady("pennypress-1"))
      table.atMost("seconds until it is ready again", yield* secondsOf(returns), 10)
    })
  )
)
