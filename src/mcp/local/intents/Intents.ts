import { Context, Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { OperationStatus } from "../../../../schemas/mcp/local/operations.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { isRefusal } from "../failures/apiFailures.ts"
import { marked, ofOperation } from "../failures/marked.ts"
import { StateStore } from "../ports/StateStore.ts"
import { readCredential } from "../state/credentials.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import {
  completeIntent,
  dispatchIntent,
  insertIntent,
  type Intent,
  leaseIntent,
  readIntent,
  releaseIntent,
  renewIntent
} from "../state/intents.sql.ts"
import { keptAlive } from "../state/leases.sql.ts"
import { canonicalJson, sha256Hex } from "./canonicalJson.ts"
import { type Call, claimed, inProgress, isIntent } from "./claims.ts"
import type { Asked, Operation, Outcome } from "./Operation.ts"
import { encoded, outcomeOf } from "./outcomes.ts"

/** Codes that a call reports while its outcome is open; any other code becomes `outcome-unknown`. */
const TELLING: ReadonlySet<string> = new Set([
  "credential-invalid",
  "intent-in-progress",
  "origin-mismatch",
  "outcome-unknown",
  "rate-limited",
  "reconnect-required",
  "state-unavailable"
])

/** A result with the operation that produced it. */
type Operated<Result> = { readonly operation: OperationStatus } & Result

/** Returns an intent with its arguments and request, as its operation saved them. */
const askedOf = <Args, Request>(intent: Intent): Asked<Args, Request> => ({
  intent,
  args: JSON.parse(intent.arguments) as Args,
  request: JSON.parse(intent.request ?? "null") as Request
})

const make = Effect.gen(function* () {
  const store = yield* StateStore
  const random = yield* SecureRandom.SecureRandom
  const digests = yield* Digest.Digest

  /** Records the outcome of an operation, and returns it. */
  const complete = Effect.fnUntraced(function* <Args, Request, Look, Result>(
    operation: Operation<Args, Request, Look, Result>,
    asked: Asked<Args, Request>,
    outcome: Outcome<Result>
  ) {
    const saved = yield* store.write((tx) =>
      Effect.gen(function* () {
        // Another process may have reached the outcome first, after the lease of this one ended.
        if (!completeIntent(tx, asked.intent.id, encoded(outcome))) return readIntent(tx, asked.intent.id)
        yield* operation.settle(tx, asked, outcome)
        return undefined
      })
    )
    return saved === undefined ? outcome : outcomeOf<Result>(saved)
  })

  const answered = <Result>(
    id: string,
    outcome: Outcome<Result>,
    replayed: boolean
  ): Effect.Effect<Operated<Result>, ToolFailure> =>
    "result" in outcome
      ? Effect.succeed({ operation: { operationId: id, phase: "complete", replayed }, ...outcome.result })
      : Effect.fail(ofOperation(outcome.refusal, id))

  /** Releases an intent whose outcome is open, so that any process may resume it. */
  const release = (id: string, lease: string) =>
    store.write((tx) => Effect.sync(() => releaseIntent(tx, id, lease))).pipe(Effect.ignore)

  /** Marks an intent as possibly sent. Returns the refusal of an intent that may no longer be sent. */
  const dispatched = Effect.fnUntraced(
    function* <Args, Request, Look, Result>(
      operation: Operation<Args, Request, Look, Result>,
      asked: Asked<Args, Request>,
      lease: string
    ) {
      const prepared = yield* operation.prepare(asked)
      yield* store.write((tx) =>
        Effect.gen(function* () {
          if (!leaseIntent(tx, asked.intent.id, lease)) return yield* inProgress(tx, asked.intent.id)
          yield* operation.dispatch(tx, asked, prepared)
          dispatchIntent(tx, asked.intent.id)
        })
      )
      return undefined
    },
    Effect.catchIf(isRefusal, (failure) => Effect.succeed(failure))
  )

  /** Sends or resumes an intent whose lease this process has, and returns its outcome. */
  const carryOut = Effect.fnUntraced(function* <Args, Request, Look, Result>(
    operation: Operation<Args, Request, Look, Result>,
    intent: Intent,
    lease: string
  ) {
    const asked = askedOf<Args, Request>(intent)
    const isFirst = intent.phase === "authorized"
    if (isFirst) {
      const refusal = yield* dispatched(operation, asked, lease)
      if (refusal !== undefined) return yield* complete(operation, asked, { refusal })
    }
    // The saved row, with the time of its dispatch.
    const now = yield* store.read((tx) => Effect.succeed(readIntent(tx, intent.id) ?? intent))
    const sent = { ...asked, intent: now }
    const result = yield* Effect.result(isFirst ? operation.send(sent) : operation.resume(sent))
    if (result._tag === "Success") return yield* complete(operation, sent, { result: result.success })
    if (isRefusal(result.failure)) return yield* complete(operation, sent, { refusal: result.failure })
    return yield* TELLING.has(result.failure.code) ? result.failure : marked("outcome-unknown")
  })

  const carriedOut = <Args, Request, Look, Result>(
    operation: Operation<Args, Request, Look, Result>,
    intent: Intent,
    lease: string
  ): Effect.Effect<Operated<Result>, ToolFailure> =>
    carryOut(operation, intent, lease).pipe(
      keptAlive(store.write((tx) => Effect.sync(() => renewIntent(tx, intent.id, lease)))),
      Effect.mapError((failure) => ofOperation(failure, intent.id)),
      Effect.onError(() => release(intent.id, lease)),
      Effect.flatMap((outcome) => answered(intent.id, outcome, false))
    )

  /** Saves the intent of a call that has none yet. A call at the same time may have made it meanwhile. */
  const authorized = <Args, Request, Look, Result>(
    operation: Operation<Args, Request, Look, Result>,
    call: Call<Args>,
    look: Look
  ) =>
    store.write((tx) =>
      Effect.gen(function* () {
        const found = yield* claimed(tx, call)
        if (isIntent(found)) return found
        const identity = readIdentity(tx)
        if (identity === undefined) return yield* marked("identity-not-selected")
        const request = yield* operation.authorize(tx, { args: call.args, look, id: call.id })
        insertIntent(
          tx,
          {
            id: call.id,
            tool: operation.tool,
            ownerId: identity.ownerId,
            keyId: readCredential(tx, "publishing-key")?.keyId ?? null,
            digest: call.digest,
            arguments: canonicalJson(call.args),
            request: JSON.stringify(request ?? null),
            idempotencyKey: `svc-mcp-${call.id}`
          },
          call.lease
        )
        return readIntent(tx, call.id)
      })
    )

  /**
   * Looks first, and then saves the intent of a new call. The look may see the effect of the same call in another
   * process.
   */
  const begun = <Args, Request, Look, Result>(
    operation: Operation<Args, Request, Look, Result>,
    call: Call<Args>,
    known: Effect.Effect<Intent | undefined, ToolFailure>
  ) =>
    Effect.matchEffect(operation.look(call.args), {
      onSuccess: (look) => authorized(operation, call, look),
      onFailure: (failure) => Effect.filterOrFail(known, isIntent, () => failure)
    })

  const run = Effect.fn("Intents.run")(function* <Args, Request, Look, Result>(
    operation: Operation<Args, Request, Look, Result>,
    args: Args,
    intentId?: string
  ) {
    const identity = yield* store.read((tx) => Effect.succeed(readIdentity(tx)))
    if (identity === undefined) return yield* marked("identity-not-selected")
    const digest = yield* sha256Hex(canonicalJson([operation.tool, identity.ownerId, args])).pipe(
      Effect.provideService(Digest.Digest, digests),
      Effect.orDie
    )
    const id = intentId?.toLowerCase() ?? (yield* random.uuidV4())
    const lease = yield* random.uuidV4()
    const call: Call<Args> = { id, isNamed: intentId !== undefined, args, digest, lease }

    const known = store.write((tx) => claimed(tx, call))
    const intent = (yield* known) ?? (yield* begun(operation, call, known))
    if (!isIntent(intent)) return yield* Effect.die(new Error("The intent was not saved"))
    if (intent.phase === "complete") return yield* answered(intent.id, outcomeOf<Result>(intent), true)
    return yield* carriedOut(operation, intent, lease)
  })

  const resume = Effect.fn("Intents.resume")(function* <Args, Request, Look, Result>(
    operation: Operation<Args, Request, Look, Result>,
    intent: Intent
  ) {
    const lease = yield* random.uuidV4()
    const now = yield* store.write((tx) =>
      leaseIntent(tx, intent.id, lease)
        ? Effect.succeed(readIntent(tx, intent.id) ?? intent)
        : Effect.fail(inProgress(tx, intent.id))
    )
    if (now.phase === "complete") return yield* answered(now.id, outcomeOf<Result>(now), true)
    return yield* carriedOut(operation, now, lease)
  })

  return { run, resume }
})

/**
 * Writes that survive a crash: an intent is authorized and saved, then marked as possibly sent, then completed. The
 * same call again resumes it or returns its outcome, so that it has one effect.
 */
export class Intents extends Context.Service<Intents, Effect.Success<typeof make>>()(
  "pennypress/mcp/local/intents/Intents"
) {
  static readonly layer = Layer.effect(Intents, make)
}
