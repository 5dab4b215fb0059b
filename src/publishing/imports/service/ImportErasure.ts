import { Context, Effect, Layer } from "effect"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import type { EraseSome } from "../../../platform/sql/EraseSome.ts"
import { later, now } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import { importStatements, IMPORTS } from "../rows/imports.sql.ts"
import { lifetimeMillis } from "../rows/importState.ts"
import { sourceStatements } from "../rows/sources.sql.ts"

/** Ends the imports of accounts that close, and removes those of accounts that are deleted. */
export class ImportErasure extends Context.Service<
  ImportErasure,
  {
    /** Cancels what is under way. Runs inside the transaction that closes the account. Drafts that were made stay. */
    readonly close: (owner: OwnerId) => Effect.Effect<void>
    /** Forgets sources, and makes the removal of imports due. Their worker removes the files, and then the rows. */
    readonly eraseSome: EraseSome
    /** Returns true while imports of a deleted account are still to be removed. */
    readonly isErasing: (owner: OwnerId) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/imports/service/ImportErasure") {
  static readonly layer = Layer.effect(
    ImportErasure,
    Effect.gen(function* () {
      const imports = yield* importStatements
      const sources = yield* sourceStatements
      const { ring } = (yield* Doorbells).bell(IMPORTS)

      return ImportErasure.of({
        close: Effect.fn("ImportErasure.close")(function* (owner) {
          const at = yield* now
          if (yield* imports.cancelAll(owner, at, later(at, lifetimeMillis("cancelled")))) yield* ring
        }),
        eraseSome: Effect.fn("ImportErasure.eraseSome")(function* (owner, limit) {
          const isRemoving = yield* imports.removeAll(owner, yield* now)
          if (isRemoving) yield* ring
          return (yield* sources.eraseSome(owner, limit)) || isRemoving
        }),
        isErasing: imports.hasAny
      })
    })
  )
}
