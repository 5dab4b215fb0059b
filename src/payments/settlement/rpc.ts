import { Effect } from "effect"
import { SettlementsRpcs } from "../../../schemas/payments/settlement/rpc.ts"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { UnresolvedSettlements } from "./UnresolvedSettlements.ts"

/** Handlers of the procedures for settlements. */
export const SettlementsRpc = SettlementsRpcs.toLayer(
  Effect.map(UnresolvedSettlements, (unresolved) =>
    SettlementsRpcs.of({
      "payments.settlements.list": Effect.fnUntraced(function* (query) {
        return yield* unresolved.list(yield* CurrentAdministrator, query)
      }),
      "payments.settlements.look": Effect.fnUntraced(function* ({ settlementId, ...because }) {
        return yield* unresolved.look(yield* CurrentAdministrator, settlementId, because)
      })
    })
  )
)
