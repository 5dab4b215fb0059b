import { Effect, Option, Result, Schema } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { IdempotencyKeySpent, IdempotencyMismatch } from "../../../schemas/publishing/posts/errors.ts"
import type { IdempotencyClaim } from "../../platform/idempotency/claim.ts"
import { Idempotency, type IdempotencyScope } from "../../platform/idempotency/Idempotency.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import type { PostRow } from "./postRow.ts"
import { postStatements } from "./posts.sql.ts"

/** The time for which an Idempotency-Key names one request to publish or unpublish. */
const PUBLICATION_KEY_MILLIS = DAY_MILLIS

/** The answer to a request; `replayed` when it is the answer of an earlier request with the same key. */
export interface Published<Answer> {
  readonly value: Answer
  readonly replayed: boolean
}

export type KeyRefusal = IdempotencyMismatch | IdempotencyKeySpent

/** The Post has changed since its row was read. */
export class Outdated extends Schema.TaggedError<Outdated>()("Outdated", {}) {}

/** The answer to a request about a Post, and the change that it makes. */
export interface Decision<Answer, E> {
  readonly answer: Answer
  /**
   * Saves the change with the claim of the request's key, which has the answer. Runs as one transaction. Returns false,
   * and saves nothing, when another request has the key.
   */
  readonly save: (claim: IdempotencyClaim | undefined) => Effect.Effect<boolean, E | Outdated>
}

/** A request to publish or unpublish a Post. */
interface PublicationRequest<Answer> {
  readonly publisher: PublisherAuthority
  readonly id: PostId
  readonly scope: IdempotencyScope
  readonly idempotencyKey: string | undefined
  readonly answer: Schema.Codec<Answer, unknown>
  /** Returns the reason for which a kept answer became false, or undefined while it is true. */
  readonly spent: (answer: Answer, row: PostRow) => string | undefined
}

/**
 * Makes the function that reads a Post, decides and saves, once for each Idempotency-Key. A repeat gets the kept answer
 * while that is true. A decision about a Post that has changed meanwhile is made again.
 */
export const makeOncePerKey = Effect.gen(function* () {
  const posts = yield* postStatements
  const idempotency = yield* Idempotency
  const transactions = yield* Transactions

  const find = Effect.fnUntraced(function* (publisher: PublisherAuthority, id: PostId) {
    const row = yield* posts.find(publisher.ownerId, id)
    return Option.isSome(row) ? row.value : yield* new NotFound()
  })

  const whole = <E>(save: Effect.Effect<boolean, E | Outdated>) =>
    transactions.run(save).pipe(
      Effect.map((isSaved) => (isSaved ? "saved" : "taken")),
      Effect.catch(
        Effect.fnUntraced(function* (error: E | Outdated) {
          return error instanceof Outdated ? "outdated" : yield* Effect.fail(error)
        })
      )
    )

  return Effect.fnUntraced(function* <Answer, E, Refusal>(
    request: PublicationRequest<Answer>,
    decide: (row: PostRow, at: Date) => Effect.Effect<Decision<Answer, E>, Refusal>
  ): Effect.fn.Return<Published<Answer>, E | Refusal | NotFound | KeyRefusal> {
    const { id, idempotencyKey, publisher, scope, spent } = request
    const json = Schema.fromJsonString(request.answer)
    const at = yield* now
    const intent = { postId: id }
    const name = { scope, scopeId: publisher.apiKeyId }
    const claim: IdempotencyClaim | undefined =
      idempotencyKey === undefined
        ? undefined
        : {
            ...name,
            idempotencyKey,
            fingerprint: yield* idempotency.fingerprintOf(intent),
            resourceId: id,
            at,
            expiresAt: later(at, PUBLICATION_KEY_MILLIS)
          }

    while (true) {
      const decided = yield* Effect.result(Effect.flatMap(find(publisher, id), (row) => decide(row, at)))
      if (Result.isSuccess(decided)) {
        const { answer: value, save } = decided.success
        const response = yield* Effect.orDie(Schema.encodeEffect(json)(value))
        const saved = yield* whole(save(claim === undefined ? undefined : { ...claim, response }))
        if (saved === "saved") return { value, replayed: false }
        if (saved === "outdated") continue
      } else if (claim === undefined || !(yield* idempotency.isTaken(claim, at)))
        return yield* Effect.fail(decided.failure)
      const earlier = claim === undefined ? Option.none() : yield* idempotency.earlier({ ...claim, intent })
      // The record may expire between the two looks.
      if (Option.isNone(earlier)) continue
      if (!earlier.value.sameIntent) return yield* new IdempotencyMismatch()
      const value = yield* Effect.orDie(Schema.decodeEffect(json)(earlier.value.response ?? "null"))
      const detail = spent(value, yield* find(publisher, id))
      if (detail !== undefined) return yield* new IdempotencyKeySpent({ detail })
      return { value, replayed: true }
    }
  })
})
