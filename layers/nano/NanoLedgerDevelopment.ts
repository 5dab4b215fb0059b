import { Context, Effect, Layer, Option, Stream, SubscriptionRef } from "effect"
import { SqlClient } from "effect/sql"
import { DevelopmentLedger } from "../../src/platform/ports/DevelopmentLedger.ts"
import { NanoLedger } from "../../src/platform/ports/NanoLedger.ts"
import { now } from "../../src/platform/time/now.ts"
import { bookOver, portOver } from "./ledgerBook.ts"
import { ledgerBlockOf } from "./ledgerRules.ts"
import { makeLedgerStoreSql } from "./ledgerStoreSql.ts"

/** The name of its network. Wallets of a real network refuse it. */
const NETWORK = "nano:dev"
/** Time after which a block is confirmed, about that of the real network. */
const CONFIRM_AFTER_MILLIS = 500
const LOOK_EVERY = "500 millis"

const make = Effect.gen(function* () {
  yield* Effect.logWarning(
    "Payments use a development ledger in the service's database: its money has no value, and programs on this machine can have as much as they ask for"
  )
  const { confirmedBetween, store } = makeLedgerStoreSql(yield* SqlClient.SqlClient)
  const book = bookOver(store, {
    workThreshold: 0n,
    confirmAfterMillis: Effect.succeed(CONFIRM_AFTER_MILLIS)
  })

  /** Looks for confirmations since the last look. A look that fails is repeated with the next one. */
  const confirmations: NanoLedger["Service"]["confirmations"] = (keys) =>
    Stream.unwrap(
      Effect.map(now, (start) => {
        let seen = start
        const look = Effect.gen(function* () {
          const [watched, until] = [[...SubscriptionRef.getUnsafe(keys)], yield* now]
          const entries = watched.length === 0 ? [] : yield* confirmedBetween(watched, seen, until)
          seen = until
          return entries.map((entry) => ledgerBlockOf(entry, until))
        })
        return Stream.fromIterableEffectRepeat(
          Effect.andThen(
            Effect.sleep(LOOK_EVERY),
            Effect.orElseSucceed(look, () => [])
          )
        )
      })
    )

  const ledger = NanoLedger.of({
    kind: "development",
    network: NETWORK,
    workThreshold: 0n,
    isAway: Effect.succeed(false),
    ...portOver(store, book),
    confirmations
  })
  return Context.make(NanoLedger, ledger).pipe(Context.add(DevelopmentLedger, Option.some(book)))
})

/**
 * A ledger with the rules of the network in the database of the service, so that a newcomer can buy without a node.
 * Restarts and several processes share it. Its blocks need no work.
 */
export const layer = Layer.effectContext(make)
