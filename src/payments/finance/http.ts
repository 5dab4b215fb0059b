import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { setRetryAfter } from "../../platform/rate-limits/http.ts"
import { Finances } from "./Finances.ts"
import { Obligations } from "./Obligations.ts"
import { Refunds } from "./Refunds.ts"

/** The private finances of an owner. */
export const FinanceHttp = HttpApiBuilder.group(
  Api,
  "finance",
  Effect.fnUntraced(function* (handlers) {
    const finances = yield* Finances
    const obligations = yield* Obligations
    const refunds = yield* Refunds

    return handlers.handleAll({
      summary: Effect.fnUntraced(function* ({ query }) {
        return yield* finances.summary(yield* CurrentOwner, query)
      }),
      earningsByDay: Effect.fnUntraced(function* ({ query }) {
        return yield* finances.byDay(yield* CurrentOwner, query)
      }),
      earningsByPost: Effect.fnUntraced(function* ({ query }) {
        return yield* finances.byPost(yield* CurrentOwner, query)
      }),
      sales: Effect.fnUntraced(function* ({ query }) {
        return yield* finances.sales(yield* CurrentOwner, query)
      }),
      tips: Effect.fnUntraced(function* ({ query }) {
        return yield* finances.tips(yield* CurrentOwner, query)
      }),
      sale: Effect.fnUntraced(function* ({ params }) {
        return yield* finances.sale(yield* CurrentOwner, params.saleId)
      }),
      refund: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* refunds
          .record(yield* CurrentOwner, params.saleId, payload.blockHash)
          .pipe(Effect.tapErrorTag("BlockUnconfirmed", setRetryAfter))
      }),
      obligations: Effect.fnUntraced(function* () {
        return yield* obligations.list(yield* CurrentOwner)
      }),
      claimObligation: Effect.fnUntraced(function* () {
        return yield* obligations.claim(yield* CurrentOwner)
      }),
      bindObligation: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* obligations.bind(yield* CurrentOwner, params.obligationId, payload.revision)
      }),
      export: Effect.fnUntraced(function* ({ query }) {
        return HttpServerResponse.stream(Stream.encodeText(finances.exported(yield* CurrentOwner, query)), {
          contentType: "text/csv; charset=utf-8",
          headers: { "content-disposition": `attachment; filename="pennypress-${query.kind ?? "all"}.csv"` }
        })
      })
    })
  })
)
