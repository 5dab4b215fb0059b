import { Effect, Schema } from "effect"
import type { HttpClientResponse } from "effect/http"
import { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"
import { circumstancesOf, markerOfStatus } from "./apiFailures.ts"
import { named } from "./argumentNames.ts"
import { failureOfCode } from "./marked.ts"

/** The members that refusals of both families have: problems by their type, others by their code. */
const Refusal = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Schema.Struct({ code: Schema.optionalKey(Schema.String) })),
  errors: Schema.optionalKey(Schema.Array(FieldError))
})
const decodeRefusal = Schema.decodeUnknownEffect(Refusal)

/** Statuses whose code they tell themselves. */
const CODES: Readonly<Record<number, string>> = { 402: "payment-required", 429: "rate-limited" }

const SLUG = /^[a-z][a-z-]{0,60}$/

/** Returns the name of a refusal, unless it is a text of another kind. */
const slugOf = ({ data, type }: typeof Refusal.Type) => {
  const slug = type?.split("/").at(-1) ?? data?.code?.replaceAll("_", "-") ?? ""
  return SLUG.test(slug) ? slug : undefined
}

/** Fails with the failure that an answer tells which no operation of the contract describes. */
export const refusedAnswer = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { status } = response
  const body = yield* response.json.pipe(
    Effect.flatMap(decodeRefusal),
    Effect.orElseSucceed((): typeof Refusal.Type => ({}))
  )
  const marker = markerOfStatus(status)
  // A status whose meaning the contract states, with any text.
  const isPlain = status === 401 || status >= 500 || marker === "service-unavailable"
  const code = CODES[status] ?? (isPlain ? marker : (slugOf(body) ?? marker))
  return yield* failureOfCode(code, {
    ...circumstancesOf(response),
    fields: (body.errors ?? []).map(named)
  })
})
