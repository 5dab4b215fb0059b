import { Context, Effect, Layer, Option } from "effect"
import { now } from "../time/now.ts"
import type { IdempotencyScope } from "./claim.ts"
import { fingerprintOf } from "./fingerprint.ts"
import { IdempotencyRepo, type NamedRequest } from "./IdempotencyRepo.ts"

export interface IdempotentRequest extends NamedRequest {
  /** What is asked for: a repeat asks for the same, member by member. */
  readonly intent: unknown
  /** What the request makes, should it be the first. */
  readonly resourceId: string
  readonly at: Date
  /** Until when the name is taken; null for ever. */
  readonly expiresAt: Date | null
}

/** What came of an earlier request of the same name. */
export interface EarlierRequest {
  readonly sameIntent: boolean
  readonly resourceId: string
  readonly response: string | null
}

export type { IdempotencyScope }

/** Requests that name themselves with an Idempotency-Key, so that a repeat does not happen twice. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Takes the name of a request: none for the first, the earlier one for every other. Runs inside the
     * transaction that does the work; a second process waits for the first to commit.
     */
    readonly claim: (request: IdempotentRequest) => Effect.Effect<Option.Option<EarlierRequest>>
    /** The earlier request of this name, if there is one. */
    readonly earlier: (
      request: NamedRequest & { readonly intent: unknown }
    ) => Effect.Effect<Option.Option<EarlierRequest>>
    /** Whether the name of a request is taken at this moment: a claim of it would meet an earlier request. */
    readonly isTaken: (request: NamedRequest, at: Date) => Effect.Effect<boolean>
    /** Keeps the answer for repeats, in the transaction of the claim. */
    readonly keepResponse: (request: NamedRequest, response: string) => Effect.Effect<void>
    /** Forgets the names that are free again. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/platform/idempotency/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const repo = yield* IdempotencyRepo

      const earlier = Effect.fnUntraced(function* (request: NamedRequest & { readonly intent: unknown }) {
        const fingerprint = fingerprintOf(request.intent)
        return Option.map(yield* repo.find(request), (row) => ({
          sameIntent: row.fingerprint.every((byte, index) => byte === fingerprint[index]),
          resourceId: row.resource_id,
          response: row.response
        }))
      })

      return Idempotency.of({
        earlier,
        claim: Effect.fn("Idempotency.claim")(function* (request) {
          const isFirst = yield* repo.claim({ ...request, fingerprint: fingerprintOf(request.intent) })
          return isFirst ? Option.none() : yield* earlier(request)
        }),
        isTaken: repo.isTaken,
        keepResponse: repo.keepResponse,
        sweep: Effect.flatMap(now, repo.sweep)
      })
    })
  )
}
