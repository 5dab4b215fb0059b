import { Effect, Redacted } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { ReadCounter } from "../../platform/public-answers/ReadCounter.ts"
import { PaymentSessions } from "./PaymentSessions.ts"

/** An image that is opened by itself runs nothing and loads nothing. */
const SVG_HEADERS = { "content-security-policy": "default-src 'none'; sandbox" } as const

export const PaymentSessionsHttp = HttpApiBuilder.group(
  Api,
  "paymentSessions",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* PaymentSessions
    const counter = yield* ReadCounter

    const holderOf = (headers: { readonly "x-session-token"?: string }) =>
      Effect.map(Viewer, ({ ownerId }) => {
        const token = headers["x-session-token"]
        return { ownerId, token: token === undefined ? undefined : Redacted.make(token) }
      })

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const { ownerId } = yield* Viewer
        const { replayed, session, token } = yield* sessions.create(
          ownerId,
          payload,
          headers["idempotency-key"]
        )
        if (payload.kind === "purchase" && !replayed) counter.checkout(request, payload.postId, ownerId)
        const shown = { ...session, token: Redacted.value(token) }
        return replayed ? { ...shown, replayed } : { ...shown, replayed }
      }),
      read: Effect.fnUntraced(function* ({ headers, params, query }) {
        return yield* sessions.read(params.sessionId, yield* holderOf(headers), query.wait ?? 0)
      }),
      saySent: Effect.fnUntraced(function* ({ headers, params, payload }) {
        return yield* sessions.saySent(params.sessionId, yield* holderOf(headers), payload.payer)
      }),
      cancel: Effect.fnUntraced(function* ({ headers, params }) {
        return yield* sessions.cancel(params.sessionId, yield* holderOf(headers))
      }),
      qr: Effect.fnUntraced(function* ({ headers, params }) {
        const body = yield* sessions.qr(params.sessionId, yield* holderOf(headers))
        return HttpApiSchema.withHeaders({ body, headers: SVG_HEADERS })
      })
    })
  })
)
