import { Effect } from "effect"
import { ObligationsRpcs } from "../../../schemas/payments/finance/rpc.ts"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { Obligations } from "./Obligations.ts"

/** Maximum number of obligations in a list for the operator. */
const LISTED_MAX = 100

/** Handlers of the procedures for obligations. */
export const ObligationsRpc = ObligationsRpcs.toLayer(
  Effect.map(Obligations, (obligations) =>
    ObligationsRpcs.of({
      "payments.obligations.list": Effect.fnUntraced(function* ({ state = "owed" }) {
        const query = { state, limit: LISTED_MAX }
        return { data: yield* obligations.waiting(yield* CurrentAdministrator, query) }
      }),
      "payments.obligations.pay": Effect.fnUntraced(function* ({ block, obligationId, ...because }) {
        return yield* obligations.pay(yield* CurrentAdministrator, obligationId, block, because)
      })
    })
  )
)
