import { Cache, Context, Effect, Layer } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { StorageQuotaReached } from "../../../schemas/publishing/storage/errors.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { storedBytes } from "./storedBytes.sql.ts"

/** Time for which a sum is good enough while it is far from the quota. */
const FRESH = "30 seconds"

/** Number of accounts whose sums are kept in memory. */
const CAPACITY = 10_000

/**
 * Writes of fewer bytes are part of the sum, but are not checked: this saves a statement, and they fill the quota only
 * slowly.
 */
const CHECKED_BYTES_MIN = 16 * 1024

const MEBIBYTE = 1024 * 1024

/** The sum of an account with what this process has added since, once it is known. */
interface Kept {
  bytes: number | undefined
}

/**
 * The quota of stored bytes of an account: sections of Posts, and images. It has no counter that writes wait for: the
 * bytes are summed, and the sum is kept for 30 seconds together with what this process has added since.
 */
export class AccountStorage extends Context.Service<
  AccountStorage,
  {
    /** Fails when that many more bytes, if they are at least 16 KiB, exceed the quota. */
    readonly admit: (owner: OwnerId, bytes: number) => Effect.Effect<void, StorageQuotaReached>
  }
>()("pennypress/publishing/storage/AccountStorage") {
  static readonly layer = Layer.effect(
    AccountStorage,
    Effect.gen(function* () {
      const { accountStorageMb } = yield* Settings
      const max = accountStorageMb * MEBIBYTE

      const sumOf = yield* storedBytes

      const kept = yield* Cache.make<OwnerId, Kept>({
        capacity: CAPACITY,
        timeToLive: FRESH,
        lookup: () => Effect.sync(() => ({ bytes: undefined }))
      })

      return AccountStorage.of({
        admit: Effect.fn("AccountStorage.admit")(function* (owner, bytes) {
          if (bytes < CHECKED_BYTES_MIN) return
          const account = yield* Cache.get(kept, owner)
          const before = account.bytes
          if (before !== undefined && before + bytes <= max) {
            account.bytes = before + bytes
            return
          }
          // Without a sum, or when the author may have removed something since. Callers share the number but not the
          // statement: in a transaction it holds a connection, and a rollback ends it.
          const sum = yield* sumOf(owner)
          const used = before === undefined ? (account.bytes ?? sum.bytes) : sum.bytes
          if (used + bytes > max) return yield* new StorageQuotaReached({ usedBytes: used, maxBytes: max })
          account.bytes = used + bytes
        })
      })
    })
  )
}
