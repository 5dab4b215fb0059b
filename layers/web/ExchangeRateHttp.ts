import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, DateTime, Effect, Layer, Ref, Schedule, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { ExchangeRate, type Rate } from "../../src/platform/ports/ExchangeRate.ts"

/** Time for the whole answer. */
const PATIENCE = "10 seconds"
const CONNECT_MILLIS = 3_000
const ANSWER_BYTES_MAX = 256 * 1024

/** Time between two rates, and between attempts after a failure. */
const INTERVAL = "1 hour"
const RETRY = "5 minutes"

interface Source {
  readonly url: string
  /** A JSON Pointer (RFC 6901). */
  readonly pointer: string
  readonly currency: string
}

const Price = Schema.Union([Schema.Finite, Schema.FiniteFromString]).check(
  Schema.makeFilter((number: number) => number > 0 && number < 1e9, { expected: "a price above 0" })
)
const decodePrice = Schema.decodeUnknownEffect(Price)

/** Returns the member of a document that a pointer names; undefined without one. */
const memberOf = (document: unknown, pointer: string): unknown => {
  let found = document
  for (const token of pointer.split("/").slice(1)) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined
    found = Reflect.get(found, name)
  }
  return found
}

const make = Effect.fnUntraced(function* ({ currency, pointer, url }: Source) {
  const context = yield* Layer.build(
    NodeHttpClient.layerUndiciOptions({
      connect: { timeout: CONNECT_MILLIS },
      maxResponseSize: ANSWER_BYTES_MAX
    })
  )
  const client = HttpClient.filterStatusOk(HttpClient.withScope(Context.get(context, HttpClient.HttpClient)))
  const last = yield* Ref.make<Rate | undefined>(undefined)

  const fetched = client
    .execute(HttpClientRequest.get(url).pipe(HttpClientRequest.setHeader("accept", "application/json")))
    .pipe(
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Unknown)),
      Effect.flatMap((document) => decodePrice(memberOf(document, pointer))),
      Effect.scoped,
      Effect.timeout(PATIENCE)
    )

  /** Keeps the last rate while there is no newer one. */
  const update = Effect.gen(function* () {
    const perXno = yield* fetched
    yield* Ref.set(last, { perXno, currency, at: DateTime.toDateUtc(yield* DateTime.now) })
  })

  yield* update.pipe(
    Effect.tapError(() => Effect.logWarning("Could not fetch the exchange rate of XNO")),
    Effect.retry(Schedule.spaced(RETRY)),
    Effect.repeat(Schedule.spaced(INTERVAL)),
    Effect.forkScoped
  )
  return { current: Ref.get(last) } satisfies ExchangeRate
})

/** A rate that a JSON document of another service has. It is fetched each hour, and the last one is kept. */
export const layer = (source: Source) => Layer.effect(ExchangeRate, make(source))
