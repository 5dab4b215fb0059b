import { Clock, Effect, Metric, Option, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  ATTEMPTS_LOGGED_MAX,
  RESPONSE_KEPT_DAYS,
  type StoredAttempt
} from "../../../schemas/engagement/webhooks/Delivery.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { OutsideHttp } from "../../platform/ports/OutsideHttp.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now, wireTime } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { jittered } from "../../platform/work/nextAttempt.ts"
import { makeTurnstile } from "../../platform/work/turnstile.ts"
import { withPermitWithin } from "../../platform/work/withPermitWithin.ts"
import {
  afterAttempt,
  consequenceOf,
  type NextState,
  outcomeOfAnswer,
  outcomeOfFailure,
  restMillis
} from "./deliveryState.ts"
import { makeEndings } from "./endings.ts"
import { makeWebhookSecrets, type StoredSecret } from "./secrets.ts"
import { signedHeaders } from "./sign.ts"
import { type ClaimedWebhook, type DueDelivery, WEBHOOKS, webhookWork } from "./webhookWork.sql.ts"

/** Time for one request: names, connection, TLS and answer. */
const REQUEST_MILLIS = 15_000
/** Time after which a turn begins no request. The last request ends before the lease. */
const TURN_MILLIS = 25_000
/** Outcomes that all turns record at the same time. The statements of other people would wait behind more of them. */
const RECORDED_AT_ONCE = 4
/** Time after which an outcome is recorded all the same. Rows of one owner may be locked for longer. */
const RECORD_WAIT_MILLIS = 1_000
/** Deliveries that a turn reads at a time. */
const READ_MAX = 50

const attempts = Metric.counter("webhook_attempts_total", {
  description: "Requests to webhooks, by what they came to: delivered, or the code of the failure",
  incremental: true
})

/** The state of a delivery whose schedule its owner began again. */
const RENEWED: NextState = { state: "waiting", waitMillis: 0, leastMillis: 0 }

/** Text of a stranger's bytes that the database can store. */
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replaceAll("\0", "\uFFFD")

/** A turn, and the function that opens its secrets. */
interface Turn {
  readonly webhook: ClaimedWebhook
  readonly signers: ReturnType<Effect.Success<typeof makeWebhookSecrets>["makeSigners"]>
}

/** The URL and the secrets of a turn. The owner may change them while the turn is under way. */
interface Target {
  readonly url: string
  readonly secrets: ReadonlyArray<StoredSecret>
}

/** The next step of a turn after an attempt. */
type Next = { readonly _tag: "goOn"; readonly target: Target } | { readonly _tag: "rest" | "stop" | "lost" }

/**
 * Makes the function that takes a turn at a webhook. It sends what is due in the order of the events, one request at a time,
 * until nothing is due or its time is over. A server that gives no answer ends the turn, and rests. No transaction is open
 * during a request. A request whose outcome was not recorded is made again.
 */
export const makeTurn = Effect.gen(function* () {
  const rows = yield* webhookWork
  const outside = yield* OutsideHttp
  const transactions = yield* Transactions
  const random = yield* SecureRandom.SecureRandom
  const secretsOf = yield* makeWebhookSecrets
  const endings = yield* makeEndings
  const passTurnstile = yield* makeTurnstile
  const recordSoon = withPermitWithin(yield* Semaphore.make(RECORDED_AT_ONCE), RECORD_WAIT_MILLIS)
  const { ring } = (yield* Doorbells).bell(WEBHOOKS)
  const userAgent = `Pennypress-Webhooks/1 (+${yield* PublicBaseUrl}/docs)`

  const send = Effect.fnUntraced(function* (
    { signers }: Turn,
    delivery: DueDelivery,
    body: string,
    target: Target
  ) {
    const at = yield* now
    const message = { id: delivery.event_id, timestamp: Math.floor(at.getTime() / 1_000), body }
    return yield* outside
      .post({
        url: target.url,
        headers: {
          "content-type": "application/json",
          "user-agent": userAgent,
          ...signedHeaders(message, yield* signers(target.secrets, at))
        },
        body,
        timeoutMillis: REQUEST_MILLIS
      })
      .pipe(
        Effect.map((answer) => ({ outcome: outcomeOfAnswer(answer, at), response: answer.response })),
        Effect.catchTag("OutsideFailure", (failure) =>
          Effect.succeed({ outcome: outcomeOfFailure(failure), response: undefined })
        )
      )
  })

  const attempt = Effect.fnUntraced(function* (
    turn: Turn,
    delivery: DueDelivery,
    body: string,
    target: Target
  ): Effect.fn.Return<Next> {
    const { webhook } = turn
    const began = yield* Clock.currentTimeMillis
    const { outcome, response } = yield* send(turn, delivery, body, target)
    const at = yield* now
    const { code, status } = outcome
    const next = afterAttempt(delivery.failures, outcome)
    const hasAnswered = status !== null
    const number = delivery.attempts + 1
    const entry: StoredAttempt = {
      number,
      at: wireTime(at),
      trigger: delivery.trigger,
      status,
      code,
      durationMillis: Math.max(0, at.getTime() - began)
    }
    const log = [...delivery.log, entry].slice(-ATTEMPTS_LOGGED_MAX)
    const oldest = later(at, -RESPONSE_KEPT_DAYS * DAY_MILLIS).getTime()
    const answers: Readonly<Record<string, string>> = {
      ...delivery.responses,
      ...(response && { [number]: textOf(response) })
    }
    const kept = Object.fromEntries(
      log.flatMap((it) => {
        const text = answers[it.number]
        return text === undefined || Date.parse(it.at) < oldest ? [] : [[it.number, text]]
      })
    )
    const dueAt =
      next.state === "waiting"
        ? later(at, Math.max(yield* jittered(random, next.waitMillis), next.leastMillis))
        : at

    yield* Metric.update(Metric.withAttributes(attempts, { code: code ?? "delivered" }), 1)
    const record = rows.record(webhook, {
      delivery,
      state: next.state,
      dueAt,
      failures: code === null ? 0 : delivery.failures + 1,
      log,
      responses: Object.keys(kept).length === 0 ? null : kept,
      responsesUntil: later(at, RESPONSE_KEPT_DAYS * DAY_MILLIS),
      failure: code === null ? null : { at: wireTime(at), code, status },
      hasAnswered,
      at
    })

    /** A failure may end the webhook, or tell its owner. Then both commit together. */
    const withConsequence = Effect.gen(function* () {
      const recorded = yield* record
      if (Option.isNone(recorded)) return recorded
      const { failing_since, failures, is_disabled, is_renewed, is_told, last_success_at } = recorded.value
      if (is_disabled || failing_since === null) return recorded
      const health = {
        failingSince: failing_since,
        failures,
        isTold: is_told,
        lastSuccessAt: last_success_at
      }
      // One that begins again is not given up.
      const reached = is_renewed && next.state === "failed" ? RENEWED : next
      const consequence = consequenceOf(health, reached, delivery.event_at, at)
      if (consequence === undefined) return recorded
      if (consequence === "tell") {
        yield* rows.setTold(webhook, at)
        yield* endings.tell(webhook, failing_since, at)
        return recorded
      }
      yield* endings.disable(webhook, consequence, at)
      return Option.some({ ...recorded.value, is_disabled: true })
    })

    const recorded = yield* recordSoon(code === null ? record : transactions.run(withConsequence))
    if (Option.isNone(recorded)) return { _tag: "lost" }
    if (recorded.value.is_disabled) return { _tag: "stop" }
    return hasAnswered ? { _tag: "goOn", target: recorded.value } : { _tag: "rest" }
  })

  /** Sends what is due, and says how the turn ends. */
  const sendDue = Effect.fnUntraced(function* (webhook: ClaimedWebhook) {
    const turn: Turn = { webhook, signers: secretsOf.makeSigners() }
    const until = (yield* Clock.currentTimeMillis) + TURN_MILLIS
    let target: Target = webhook
    for (;;) {
      const due = yield* rows.due(webhook.id, yield* now, READ_MAX)
      if (due.length === 0) return "stop"
      for (const delivery of due) {
        if ((yield* Clock.currentTimeMillis) >= until) return "stop"
        if (delivery.body === null) {
          yield* rows.drop(webhook.id, delivery.id)
          continue
        }
        // Requests of other people come in between.
        yield* passTurnstile
        const next = yield* attempt(turn, delivery, delivery.body, target)
        if (next._tag !== "goOn") return next._tag
        target = next.target
      }
    }
  })

  return Effect.fn("Webhooks.turn")(function* (webhook: ClaimedWebhook) {
    const end = yield* sendDue(webhook)
    if (end === "lost") return
    yield* transactions.run(
      Effect.gen(function* () {
        const held = yield* rows.hold(webhook)
        if (Option.isNone(held)) return
        const at = yield* now
        // A delivery that its owner made due during the turn does not wait for the end of a rest.
        const isWoken = held.value.due_at.getTime() !== webhook.due_at.getTime()
        if (end === "rest" && !isWoken) {
          const rest = yield* jittered(random, restMillis(webhook.rests))
          return yield* rows.endWithRest(webhook.id, later(at, rest), webhook.rests + 1)
        }
        const { is_due } = yield* rows.end(webhook.id, at)
        if (is_due) yield* ring
      })
    )
  })
})
