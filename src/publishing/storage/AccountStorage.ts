import { Cache, Context, Effect, Layer, type Scope } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { StorageQuotaReached } from "../../../schemas/publishing/storage/errors.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { storedBytes } from "./storedBytes.sql.ts"

/** Time for which a sum is good enough while it is far from the quota. */
const FRESH = "30 seconds"

/** Number of accounts whose sums are kept in memory. */
const CAPACITY = 10_000

const MEBIBYTE = 1024 * 1024

/** Within this distance of the quota, each write asks for the sum. Limits of requests let no author add more in 30 seconds. */
const NEAR_BYTES = 64 * MEBIBYTE

/** The bytes of an account, as this process knows them. */
interface Kept {
  /** The sum with what this process has added since, once it is known. */
  bytes: number | undefined
  /** Bytes of writes that have not ended. */
  pending: number
}

/**
 * The quota of stored bytes of an account: texts of Posts, and uploads. It has no counter that writes wait for: the bytes
 * are summed. Far from the quota, the sum is kept for 30 seconds together with what this process has added since.
 */
export class AccountStorage extends Context.Service<
  AccountStorage,
  {
    /** Fails when that many more bytes exceed the quota. They are pending until the scope ends, which is that of the write. */
    readonly admit: (owner: OwnerId, bytes: number) => Effect.Effect<void, StorageQuotaReached, Scope.Scope>
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
        lookup: () => Effect.sync(() => ({ bytes: undefined, pending: 0 }))
      })

      return AccountStorage.of({
        admit: Effect.fn("AccountStorage.admit")(function* (owner, bytes) {
          if (bytes <= 0) return
          const account = yield* Cache.get(kept, owner)
          const { pending } = account
          const change = (by: number) =>
            Effect.sync(() => {
              account.pending += by
            })
          yield* Effect.acquireRelease(change(bytes), () => change(-bytes))
          const before = account.bytes
          if (before !== undefined && before + bytes <= max - NEAR_BYTES) {
            account.bytes = before + bytes
            return
          }
          // Callers share the numbers but not the statement: in a transaction it holds a connection, and a rollback ends
          // it. Pending bytes may be part of the sum already. Near the quota, a write is rather refused than let through.
          const used = (yield* sumOf(owner)).bytes + pending
          if (used + bytes > max) return yield* new StorageQuotaReached({ usedBytes: used, maxBytes: max })
          account.bytes = used + bytes
        })
      })
    })
  )
}
