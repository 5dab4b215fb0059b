import { Context, Effect, Layer, Option, Schema } from "effect"
import { Transactions } from "../sql/Transactions.ts"
import { later, now } from "../time/now.ts"
import type { IdempotencyScope } from "./claim.ts"
import { type FingerprintOf, isSameFingerprint, makeFingerprintOf } from "./fingerprint.ts"
import { idempotencyRecordStatements, type NamedRequest } from "./idempotencyRecords.sql.ts"

export type { IdempotencyScope }

/** A request that claims its Idempotency-Key. */
export interface IdempotentRequest extends NamedRequest {
  /** The content of the request; a repeat must have the same members and values. */
  readonly intent: unknown
  /** The id of the resource that the first request creates. */
  readonly resourceId: string
  readonly at: Date
  /** The moment at which the key is free again; null for never. */
  readonly expiresAt: Date | null
}

/** The record of an earlier request with the same key. */
export interface EarlierRequest {
  readonly sameIntent: boolean
  readonly resourceId: string
  /** The answer as JSON; null when none was kept. */
  readonly response: string | null
}

/** Work that happens once for each Idempotency-Key. */
export interface OnceRequest<A, Kept> extends Omit<NamedRequest, "idempotencyKey"> {
  /** Without a key the work runs each time. */
  readonly idempotencyKey: string | undefined
  readonly intent: unknown
  readonly resourceId: string
  /** The time for which the key names this request; null means for ever. */
  readonly lifetimeMillis: number | null
  /** The part of the answer that repeats get: everything, or all but a secret. */
  readonly keep: (answer: A) => Kept
  readonly kept: Schema.Codec<Kept, unknown>
}

/** The answer of the first request, or the part of it that was kept for this repeat. */
export type OnceAnswer<A, Kept> =
  | { readonly replayed: false; readonly value: A }
  | { readonly replayed: true; readonly value: Kept; readonly resourceId: string }

/** The Idempotency-Key already names a request with another intent. */
export class IntentChanged extends Schema.TaggedError<IntentChanged>()("IntentChanged", {}) {}

/** Runs the work of a request with an Idempotency-Key only once, and answers its repeats. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    readonly fingerprintOf: FingerprintOf
    /**
     * Runs `work` in one transaction, once for each key, and keeps its answer in that transaction. A repeat gets the
     * kept answer and runs nothing. A repeat during the first waits for the first to commit. When `work` fails, the
     * key is free again. `work` gets the time at which the request claimed its key.
     */
    readonly once: <A, Kept, E, R>(
      request: OnceRequest<A, Kept>,
      work: (at: Date) => Effect.Effect<A, E, R>
    ) => Effect.Effect<OnceAnswer<A, Kept>, E | IntentChanged, R>
    /**
     * Claims the key of a request. Returns none for the first request, and the earlier request for every repeat. Runs
     * inside the transaction that does the work; a second process waits for the first to commit.
     */
    readonly claim: (request: IdempotentRequest) => Effect.Effect<Option.Option<EarlierRequest>>
    /** Returns the earlier request with this key. */
    readonly earlier: (
      request: NamedRequest & { readonly intent: unknown }
    ) => Effect.Effect<Option.Option<EarlierRequest>>
    /** Returns true when a claim of this key at this moment would meet an earlier request. */
    readonly isTaken: (request: NamedRequest, at: Date) => Effect.Effect<boolean>
    /** Keeps the answer for repeats, in the transaction of the claim. */
    readonly keepResponse: (request: NamedRequest, response: string) => Effect.Effect<void>
    /** Removes expired keys. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/platform/idempotency/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const records = yield* idempotencyRecordStatements
      const transactions = yield* Transactions
      const fingerprintOf = yield* makeFingerprintOf

      const earlier = Effect.fnUntraced(function* (request: NamedRequest & { readonly intent: unknown }) {
        const fingerprint = yield* fingerprintOf(request.intent)
        return Option.map(yield* records.find(request), (row) => ({
          sameIntent: isSameFingerprint(row.fingerprint, fingerprint),
          resourceId: row.resource_id,
          response: row.response
        }))
      })

      const claim = Effect.fn("Idempotency.claim")(function* (request: IdempotentRequest) {
        const isFirst = yield* records.claim({
          ...request,
          fingerprint: yield* fingerprintOf(request.intent)
        })
        return isFirst ? Option.none() : yield* earlier(request)
      })

      const onceNamed = Effect.fnUntraced(function* <A, Kept, E, R>(
        request: OnceRequest<A, Kept> & NamedRequest,
        work: (at: Date) => Effect.Effect<A, E, R>
      ): Effect.fn.Return<OnceAnswer<A, Kept>, E | IntentChanged, R> {
        const json = Schema.fromJsonString(request.kept)
        const at = yield* now
        const { lifetimeMillis } = request
        const expiresAt = lifetimeMillis === null ? null : later(at, lifetimeMillis)
        const met = yield* claim({ ...request, at, expiresAt })
        if (Option.isNone(met)) {
          const value = yield* work(at)
          const response = yield* Effect.orDie(Schema.encodeEffect(json)(request.keep(value)))
          yield* records.keepResponse(request, response)
          return { replayed: false, value }
        }
        const { resourceId, response, sameIntent } = met.value
        if (!sameIntent) return yield* new IntentChanged()
        const value = yield* Effect.orDie(Schema.decodeEffect(json)(response ?? "null"))
        return { replayed: true, value, resourceId }
      })

      const once = <A, Kept, E, R>(
        { idempotencyKey, ...request }: OnceRequest<A, Kept>,
        work: (at: Date) => Effect.Effect<A, E, R>
      ): Effect.Effect<OnceAnswer<A, Kept>, E | IntentChanged, R> =>
        transactions
          .run(
            idempotencyKey === undefined
              ? Effect.map(Effect.flatMap(now, work), (value) => ({ replayed: false as const, value }))
              : onceNamed({ ...request, idempotencyKey }, work)
          )
          .pipe(Effect.withSpan("Idempotency.once"))

      return Idempotency.of({
        fingerprintOf,
        once,
        earlier,
        claim,
        isTaken: records.isTaken,
        keepResponse: records.keepResponse,
        sweep: Effect.flatMap(now, records.sweep)
      })
    })
  )
}
