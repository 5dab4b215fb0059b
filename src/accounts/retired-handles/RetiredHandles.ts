import { Context, Effect, Layer, Option } from "effect"
import { Pepper } from "../../platform/ports/Pepper.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { retiredHandleStatements } from "./retiredHandles.sql.ts"

/** The time for which the handles of a deleted account stay free, and its pages are gone. */
const RETIRED_MILLIS = 365 * DAY_MILLIS

/**
 * Handles of deleted accounts. For a year no account gets one, so that no one takes the place of its former owner. Only a
 * keyed hash of each is stored, so the service must keep the secret of its time for that year.
 */
export class RetiredHandles extends Context.Service<
  RetiredHandles,
  {
    /** Retires handles, in the surrounding transaction. */
    readonly retire: (handles: ReadonlyArray<string>) => Effect.Effect<void>
    readonly isRetired: (handle: string) => Effect.Effect<boolean>
    /** Deletes those whose year is over. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/accounts/retired-handles/RetiredHandles") {
  static readonly layer = Layer.effect(
    RetiredHandles,
    Effect.gen(function* () {
      const rows = yield* retiredHandleStatements
      const pepper = yield* Pepper
      const textOf = (handle: string) => `retired handle ${handle.toLowerCase()}`

      return RetiredHandles.of({
        retire: Effect.fn("RetiredHandles.retire")(function* (handles) {
          const hashes = yield* Effect.forEach(handles, (handle) => pepper.hash(textOf(handle)))
          yield* rows.retire(hashes, later(yield* now, RETIRED_MILLIS))
        }),
        isRetired: Effect.fn("RetiredHandles.isRetired")(function* (handle) {
          return Option.isSome(yield* rows.find(yield* pepper.hashes(textOf(handle)), yield* now))
        }),
        sweep: Effect.flatMap(now, rows.sweep)
      })
    })
  )
}
