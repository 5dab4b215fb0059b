import { Context, Effect, Layer, Metric, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { DELIVERIES_KEPT_DAYS } from "../../../schemas/engagement/webhooks/Delivery.ts"
import { WebhookLimitReached } from "../../../schemas/engagement/webhooks/errors.ts"
import {
  SECRET_KEPT_DEFAULT_SECONDS,
  Webhook,
  type WebhookChange,
  type WebhookRequest,
  WAITING_MAX,
  WEBHOOKS_MAX,
  type WebhookWithSecret
} from "../../../schemas/engagement/webhooks/Webhook.ts"
import {
  AccountRestricted,
  IdempotencyConflict,
  NotFound,
  type Validation
} from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, WebhookId } from "../../../schemas/platform/Ids.ts"
import { Owners } from "../../accounts/owners/Owners.ts"
import { Events } from "../../platform/events/Events.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { deliveryStatements, HELD_MAX } from "./deliveries.sql.ts"
import { makeReceiverUrl } from "./receiverUrl.ts"
import { makeWebhookSecrets, rotated } from "./secrets.ts"
import { webhookOf, type WebhookRow } from "./webhookRow.ts"
import { webhookStatements } from "./webhooks.sql.ts"
import { WEBHOOKS } from "./webhookWork.sql.ts"

/** Rows that one statement of a sweep changes, at most. */
const SWEPT_MAX = 5_000

/** The answer that repeats of a creation get: the secret is kept sealed. */
const Kept = Schema.Struct({ webhook: Webhook, sealed: Schema.String })

/** A webhook with its secret, shown and sealed. */
interface Created extends WebhookWithSecret {
  readonly sealed: string
}

const byState = Metric.gauge("webhooks_by_state", {
  description: "Webhooks of all owners, by state: active, failing or disabled"
})

/** The webhooks of owners. Their secrets are shown once, and are sealed at rest. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Creates a webhook. A repeat with the same Idempotency-Key within a day gets the same answer, with the secret. It is to
     * be told from the first by `replayed`.
     */
    readonly create: (
      owner: OwnerId,
      request: WebhookRequest,
      idempotencyKey: string | undefined
    ) => Effect.Effect<
      { readonly value: WebhookWithSecret; readonly replayed: boolean },
      AccountRestricted | IdempotencyConflict | Validation | WebhookLimitReached
    >
    /** Returns the webhooks of an owner, oldest first. */
    readonly list: (owner: OwnerId) => Effect.Effect<ReadonlyArray<Webhook>>
    readonly read: (owner: OwnerId, id: WebhookId) => Effect.Effect<Webhook, NotFound>
    /** Changes a webhook. One that is turned on forgets its failures, and what waited is due. */
    readonly change: (
      owner: OwnerId,
      id: WebhookId,
      change: WebhookChange
    ) => Effect.Effect<Webhook, AccountRestricted | NotFound | Validation>
    /** Deletes a webhook with its log. Safe to repeat. */
    readonly remove: (owner: OwnerId, id: WebhookId) => Effect.Effect<void>
    /** Makes a secret that signs from now on; the present one signs for these seconds, too. */
    readonly rotateSecret: (
      owner: OwnerId,
      id: WebhookId,
      keepSeconds: number | undefined
    ) => Effect.Effect<WebhookWithSecret, NotFound>
    /** Removes old deliveries and answers, and counts the webhooks for the metric. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/engagement/webhooks/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const webhooks = yield* webhookStatements
      const deliveries = yield* deliveryStatements
      const owners = yield* Owners
      const events = yield* Events
      const idempotency = yield* Idempotency
      const transactions = yield* Transactions
      const random = yield* SecureRandom.SecureRandom
      const secrets = yield* makeWebhookSecrets
      const receiverUrl = yield* makeReceiverUrl
      const { ring } = (yield* Doorbells).bell(WEBHOOKS)

      const found = (row: Option.Option<WebhookRow>) =>
        Effect.mapError(Effect.fromOption(row), () => new NotFound())

      /** Locks the owner. The account may have been restricted, or closed, since its session was checked. */
      const lock = Effect.fnUntraced(function* (id: OwnerId) {
        const account = yield* owners.hold({ id })
        if (Option.exists(account, ({ is_restricted }) => is_restricted))
          return yield* new AccountRestricted()
      })

      const insert = Effect.fnUntraced(function* (
        owner: OwnerId,
        id: WebhookId,
        request: WebhookRequest,
        at: Date
      ): Effect.fn.Return<Created, AccountRestricted | WebhookLimitReached> {
        yield* lock(owner)
        if ((yield* webhooks.count(owner)) >= WEBHOOKS_MAX) return yield* new WebhookLimitReached()
        const { secret, stored } = yield* secrets.make(at)
        yield* events.setHeard(owner, true)
        const row = yield* webhooks.insert({ ...request, id, ownerId: owner, secret: stored, at })
        return { webhook: webhookOf(row), secret, sealed: stored.sealed }
      })

      const create = Effect.fn("Webhooks.create")(function* (
        owner: OwnerId,
        request: WebhookRequest,
        idempotencyKey: string | undefined
      ) {
        const id = WebhookId.make(yield* random.uuidV7())
        const scoped = { scope: "webhook_creation", scopeId: owner, intent: request } as const
        const isRepeat =
          idempotencyKey !== undefined &&
          (yield* idempotency.isTaken({ ...scoped, idempotencyKey }, yield* now))
        // Names are looked up outside of the transaction. A repeat made its webhook already.
        const url = isRepeat ? request.url : yield* receiverUrl(request.url)
        const made = yield* idempotency
          .once(
            {
              ...scoped,
              idempotencyKey,
              resourceId: id,
              lifetimeMillis: DAY_MILLIS,
              keep: ({ sealed, webhook }: Created) => ({ sealed, webhook }),
              kept: Kept
            },
            (at) => insert(owner, id, { ...request, url }, at)
          )
          .pipe(Effect.catchTag("IntentChanged", () => Effect.fail(new IdempotencyConflict())))
        const { webhook } = made.value
        const secret = made.replayed ? Redacted.value(yield* secrets.open(made.value)) : made.value.secret
        return { value: { webhook, secret }, replayed: made.replayed }
      })

      /** Turns a webhook on or off. */
      const setEnabled = Effect.fnUntraced(function* (id: WebhookId, isEnabled: boolean, at: Date) {
        if (!isEnabled) return yield* webhooks.disable(id, "owner", at)
        yield* webhooks.enable(id, at)
        yield* webhooks.wake(id, at)
        yield* ring
      })

      /** Makes some of what waits due. Returns true when there may be more. */
      const hastenSome = Effect.fnUntraced(
        function* (owner: OwnerId, id: WebhookId, at: Date) {
          if (Option.isNone(yield* webhooks.hold(owner, id))) return false
          const mayBeMore = yield* deliveries.hasten(id, at, HELD_MAX)
          if (mayBeMore) yield* webhooks.wake(id, at)
          return mayBeMore
        },
        (effect) => transactions.run(effect)
      )

      /** Makes what waits due. What fails meanwhile waits again, so the number of steps has a bound. */
      const hasten = Effect.fnUntraced(function* (owner: OwnerId, id: WebhookId) {
        const at = yield* now
        yield* Effect.repeat(hastenSome(owner, id, at), {
          while: (mayBeMore) => mayBeMore,
          times: (2 * WAITING_MAX) / HELD_MAX
        })
        yield* ring
      })

      const change = Effect.fn("Webhooks.change")(function* (
        owner: OwnerId,
        id: WebhookId,
        asked: WebhookChange
      ) {
        const { enabled, url, ...others } = asked
        // One of another owner is not found before a name is looked up.
        if (url !== undefined) yield* found(yield* webhooks.find(owner, id))
        const accepted = url === undefined ? others : { ...others, url: yield* receiverUrl(url) }
        const changed = yield* transactions.run(
          Effect.gen(function* () {
            if (enabled === true) {
              yield* found(yield* webhooks.find(owner, id))
              yield* lock(owner)
              yield* events.setHeard(owner, true)
            }
            yield* found(yield* webhooks.hold(owner, id))
            const at = yield* now
            if (Object.keys(accepted).length > 0) yield* webhooks.change(id, accepted, at)
            if (enabled !== undefined) yield* setEnabled(id, enabled, at)
            return webhookOf(yield* found(yield* webhooks.find(owner, id)))
          })
        )
        if (enabled === true) yield* hasten(owner, id)
        return changed
      })

      /** Deletes a webhook after its deliveries: it is turned off first, so that the dispatcher does not wait for it. */
      const remove = Effect.fn("Webhooks.remove")(function* (owner: OwnerId, id: WebhookId) {
        if (!(yield* webhooks.stop(owner, id, yield* now))) return
        yield* Effect.repeat(deliveries.removeSome(id, HELD_MAX), { while: (mayBeMore) => mayBeMore })
        yield* webhooks.remove(owner, id)
      })

      const rotateSecret = Effect.fn("Webhooks.rotateSecret")(
        function* (owner: OwnerId, id: WebhookId, keepSeconds: number = SECRET_KEPT_DEFAULT_SECONDS) {
          const held = yield* found(yield* webhooks.hold(owner, id))
          const at = yield* now
          const { secret, stored } = yield* secrets.make(at)
          yield* webhooks.setSecrets(id, rotated(held.secrets, stored, keepSeconds, at), at)
          return { webhook: webhookOf(yield* found(yield* webhooks.find(owner, id))), secret }
        },
        (effect) => transactions.run(effect)
      )

      /** Stops the recording of events for an owner without webhooks that hear of them. */
      const stopHearing = Effect.fnUntraced(
        function* (owner: OwnerId, at: Date) {
          yield* events.setHeard(owner, false)
          // One that was turned on before the lock is seen now, and any other waits for it.
          if (yield* webhooks.isHeard(owner, at)) yield* events.setHeard(owner, true)
        },
        (effect) => transactions.run(effect)
      )

      const sweep = Effect.gen(function* () {
        const at = yield* now
        const old = later(at, -DELIVERIES_KEPT_DAYS * DAY_MILLIS)
        yield* Effect.repeat(deliveries.sweep(old, SWEPT_MAX), { while: (mayBeMore) => mayBeMore })
        yield* Effect.repeat(deliveries.sweepResponses(at, SWEPT_MAX), { while: (mayBeMore) => mayBeMore })
        for (const { owner_id } of yield* webhooks.unheard(at)) yield* stopHearing(owner_id, at)
        const counts = new Map((yield* webhooks.countByState).map(({ count, state }) => [state, count]))
        for (const state of ["active", "failing", "disabled"])
          yield* Metric.update(Metric.withAttributes(byState, { state }), counts.get(state) ?? 0)
      }).pipe(Effect.withSpan("Webhooks.sweep"))

      return Webhooks.of({
        create,
        list: Effect.fn("Webhooks.list")((owner) =>
          Effect.map(webhooks.list(owner), (rows) => rows.map(webhookOf))
        ),
        read: Effect.fn("Webhooks.read")(function* (owner, id) {
          return webhookOf(yield* found(yield* webhooks.find(owner, id)))
        }),
        change,
        remove,
        rotateSecret,
        sweep
      })
    })
  )
}
