import { Cache, Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { StorageQuotaReached } from "../../../schemas/publishing/storage/errors.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import { statements } from "../../platform/sql/statements.ts"

/** Time for which a sum is good enough, once it is far from the quota. */
const FRESH = "30 seconds"

/** Accounts whose sums are kept in memory. */
const CAPACITY = 10_000

/** Writes of fewer bytes count, and are not checked: they cost no statement, and fill the quota slowly. */
const CHECKED_BYTES_MIN = 16 * 1024

const MEBIBYTE = 1024 * 1024

const Sum = Schema.Struct({ bytes: Schema.Finite })

/**
 * The quota of stored bytes of an account: sections of Posts, and images. It has no counter that writes wait for: the
 * bytes are summed, and the sum is kept for 30 seconds together with what this process has added since.
 */
export class AccountStorage extends Context.Service<
  AccountStorage,
  {
    /** Fails when so many more bytes, 16 KiB at least, exceed the quota. */
    readonly admit: (owner: OwnerId, bytes: number) => Effect.Effect<void, StorageQuotaReached>
  }
>()("pennypress/publishing/storage/AccountStorage") {
  static readonly layer = Layer.effect(
    AccountStorage,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { one } = statements(sql, "AccountStorage")
      const { accountStorageMb } = yield* Settings
      const max = accountStorageMb * MEBIBYTE

      const sumOf = (owner: OwnerId) =>
        Effect.map(one("sum", Sum)`select account_stored_bytes(${owner}) as bytes`, ({ bytes }) => ({
          bytes
        }))

      const sums = yield* Cache.makeWith(sumOf, {
        capacity: CAPACITY,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? FRESH : 0)
      })

      return AccountStorage.of({
        admit: Effect.fn("AccountStorage.admit")(function* (owner, bytes) {
          if (bytes < CHECKED_BYTES_MIN) return
          const known = yield* Cache.get(sums, owner)
          if (known.bytes + bytes <= max) {
            known.bytes += bytes
            return
          }
          // Something may have been removed since the sum.
          yield* Cache.invalidate(sums, owner)
          const sum = yield* Cache.get(sums, owner)
          if (sum.bytes + bytes > max)
            return yield* new StorageQuotaReached({ usedBytes: sum.bytes, maxBytes: max })
          sum.bytes += bytes
        })
      })
    })
  )
}
