import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../../../schemas/Api.ts"
import { CurrentPublisher } from "../../../../schemas/platform/security/authorities.ts"
import { LengthRequired } from "../../../../schemas/publishing/uploads/errors.ts"
import { setRateLimitHeaders } from "../../../platform/rate-limits/http.ts"
import { ImportActs } from "./ImportActs.ts"
import { ImportItems } from "./ImportItems.ts"
import { Imports } from "./Imports.ts"

/** Adds the header that marks the answer to a repeated request. */
const answered = <Body>({ replayed, value }: { readonly value: Body; readonly replayed: boolean }) =>
  HttpApiSchema.withHeaders({
    body: value,
    headers: replayed ? ({ "x-idempotency-replay": "true" } as const) : {}
  })

const attachment = (fileName: string) => ({ "content-disposition": `attachment; filename="${fileName}"` })

const LENGTH = /^\d{1,12}$/

/** Returns the length of a body. */
const contentLength = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const length = headers["content-length"]
  if (length === undefined || !LENGTH.test(length)) return yield* new LengthRequired()
  return Number(length)
})

export const ImportsHttp = HttpApiBuilder.group(
  Api,
  "imports",
  Effect.fnUntraced(function* (handlers) {
    const imports = yield* Imports
    const items = yield* ImportItems
    const acts = yield* ImportActs

    return handlers.handleAll({
      begin: Effect.fnUntraced(function* ({ headers, payload }) {
        const publisher = yield* CurrentPublisher
        const key = headers["idempotency-key"]
        return answered(yield* imports.begin(publisher, payload, key, setRateLimitHeaders))
      }),
      sendFile: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const publisher = yield* CurrentPublisher
        const piece = { range: headers["content-range"], contentLength: yield* contentLength }
        return yield* imports.sendFile(publisher, params.importId, piece, payload)
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        return yield* imports.list(yield* CurrentPublisher, query)
      }),
      read: Effect.fnUntraced(function* ({ params }) {
        return yield* imports.read(yield* CurrentPublisher, params.importId)
      }),
      cancel: Effect.fnUntraced(function* ({ params }) {
        return yield* acts.cancel(yield* CurrentPublisher, params.importId)
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        yield* imports.remove(yield* CurrentPublisher, params.importId)
      }),
      items: Effect.fnUntraced(function* ({ params, query }) {
        return yield* items.list(yield* CurrentPublisher, params.importId, query)
      }),
      item: Effect.fnUntraced(function* ({ params }) {
        return yield* items.read(yield* CurrentPublisher, params.importId, params.itemId)
      }),
      report: Effect.fnUntraced(function* ({ params }) {
        const lines = yield* items.report(yield* CurrentPublisher, params.importId)
        return HttpServerResponse.stream(Stream.encodeText(lines), {
          contentType: "text/csv; charset=utf-8",
          headers: attachment("import-report.csv")
        })
      }),
      redirects: Effect.fnUntraced(function* ({ params, query }) {
        const publisher = yield* CurrentPublisher
        const file = yield* items.redirects(publisher, params.importId, query.format ?? "csv")
        return HttpServerResponse.text(file.text, {
          contentType: file.contentType,
          headers: attachment(file.fileName)
        })
      }),
      apply: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const publisher = yield* CurrentPublisher
        return answered(yield* acts.apply(publisher, params.importId, payload, headers["idempotency-key"]))
      }),
      publish: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const publisher = yield* CurrentPublisher
        return answered(yield* acts.publish(publisher, params.importId, payload, headers["idempotency-key"]))
      }),
      undo: Effect.fnUntraced(function* ({ params }) {
        return yield* acts.undo(yield* CurrentPublisher, params.importId)
      })
    })
  })
)
