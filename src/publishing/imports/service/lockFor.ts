import { Effect, Option } from "effect"
import { NotFound } from "../../../../schemas/platform/errors/common.ts"
import type { ImportId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import { ImportStateRefused } from "../../../../schemas/publishing/imports/errors.ts"
import { stateOf } from "../rows/importRow.ts"
import { importStatements } from "../rows/imports.sql.ts"
import { type ImportEvent, nextState, refusalOf } from "../rows/importState.ts"

/** Makes the function that locks an import whose state allows what its author asks for. */
export const makeLockFor = Effect.map(importStatements, (imports) =>
  Effect.fnUntraced(function* ({ ownerId }: PublisherAuthority, id: ImportId, event: ImportEvent) {
    const row = yield* imports.lock(ownerId, id)
    if (Option.isNone(row)) return yield* new NotFound()
    const state = stateOf(row.value)
    if (nextState(state, event) === undefined)
      return yield* new ImportStateRefused({ state, detail: refusalOf(state) })
    return row.value
  })
)
