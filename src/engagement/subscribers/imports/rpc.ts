import { Effect } from "effect"
import { ReadersRpcs } from "../../../../schemas/engagement/subscribers/rpc.ts"
import { CurrentAdministrator } from "../../../../schemas/platform/security/administrator.ts"
import { SubscriberImports } from "./SubscriberImports.ts"

/** Handlers of the procedures for lists of readers. */
export const ReadersRpc = ReadersRpcs.toLayer(
  Effect.gen(function* () {
    const imports = yield* SubscriberImports

    return ReadersRpcs.of({
      "readers.list": Effect.fnUntraced(function* (query) {
        return yield* imports.list(yield* CurrentAdministrator, query)
      }),
      "readers.approve": Effect.fnUntraced(function* ({ importId, ...because }) {
        return yield* imports.decide(yield* CurrentAdministrator, importId, "approved", because)
      }),
      "readers.refuse": Effect.fnUntraced(function* ({ importId, ...because }) {
        return yield* imports.decide(yield* CurrentAdministrator, importId, "refused", because)
      })
    })
  })
)
