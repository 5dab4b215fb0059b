import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import {
  ALL_EVENTS,
  SUBSCRIBED_TYPES,
  type Webhook,
  WebhookChange,
  WebhookRequest
} from "../../../schemas/engagement/webhooks/Webhook.ts"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound, type Validation } from "../../../schemas/platform/errors/common.ts"
import { WebhookDeliveryId, WebhookId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { WebhookDeliveries } from "../../engagement/webhooks/WebhookDeliveries.ts"
import { Webhooks } from "../../engagement/webhooks/Webhooks.ts"
import { CURSOR_CHARACTERS_MAX } from "../../platform/cursors/Cursors.ts"
import { checked } from "../../platform/http/checked.ts"
import { unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { type FieldBounds, LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { makeBrowser } from "../browser/http.ts"
import { WEBHOOKS } from "../browser/paths.ts"
import { listPage, type NewWebhook, secretPage, webhookPath } from "./listPage.ts"
import { webhookPage } from "./webhookPage.ts"

const isKey = Schema.is(SessionIdempotencyKey)
const decodeWebhookId = Schema.decodeUnknownOption(WebhookId)
const decodeDeliveryId = Schema.decodeUnknownOption(WebhookDeliveryId)
const checkRequest = checked(WebhookRequest)
const checkChange = checked(WebhookChange)

/** Deliveries of a page of the log. */
const LOG = 20

const told = new Map([
  ["test", "The test is on its way. Reload the page to see how it went."],
  ["again", "It's on its way again."],
  ["off", "The webhook is turned off. It gets nothing until you turn it on again."],
  ["on", "The webhook is on again."],
  ["catch_up", "The webhook is on again, and gets what it missed."],
  ["much", "The webhook is on again. It missed more than 10,000 events: send them by the API, in parts."],
  ["change", "Saved."],
  ["remove", "The webhook is deleted."],
  ["disabled", "The webhook is off. Turn it on first."]
])

const toldOf = (query: URLSearchParams): string | null => told.get(query.get("done") ?? "") ?? null

const typeFields = Object.fromEntries(SUBSCRIBED_TYPES.map((type) => [type, LENGTHS.word]))

const NEW_FIELDS: FieldBounds = {
  key: LENGTHS.word,
  url: LENGTHS.url,
  description: LENGTHS.line,
  ...typeFields
}

const ACT_FIELDS: FieldBounds = { act: LENGTHS.word, delivery: LENGTHS.word, url: LENGTHS.url, ...typeFields }

const eventsOf = (form: SentForm) => {
  const chosen = SUBSCRIBED_TYPES.filter((type) => form.has(type))
  return chosen.length === 0 ? [ALL_EVENTS] : chosen
}

const sentenceOf = ({ errors: [error] }: Validation): string => error?.message ?? "Check what you entered."

const idOf = Effect.gen(function* () {
  const { webhookId } = yield* HttpRouter.params
  return yield* Effect.mapError(Effect.fromOption(decodeWebhookId(webhookId)), () => new NotFound())
})

/** Serves the pages on which an owner creates webhooks, sees how they fare, and sends again. */
export const WebhookRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const deliveries = yield* WebhookDeliveries
    const rateLimits = yield* RateLimits
    const random = yield* SecureRandom.SecureRandom
    const count = yield* limiting
    const { asOwner } = yield* makeBrowser
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const listed = Effect.fnUntraced(function* (
      owner: BrowserAuthority,
      said: {
        readonly told?: string | null
        readonly entered?: NewWebhook
        readonly refused?: Validation
      } = {},
      status = 200
    ) {
      const control = said.refused?.errors[0]?.field === "description" ? "description" : "url"
      return page(
        listPage({
          webhooks: yield* webhooks.list(owner.ownerId),
          key: yield* random.uuidV4(),
          entered: said.entered ?? { url: "", description: "", events: [] },
          wrong: said.refused === undefined ? null : { control, sentence: sentenceOf(said.refused) },
          told: said.told ?? null,
          isModerator: owner.isModerator
        }),
        status
      )
    })

    const list = Effect.gen(function* () {
      yield* count("public-read")
      const said = toldOf(yield* query)
      return yield* asOwner(WEBHOOKS, (owner) => listed(owner, { told: said }))
    })

    const create = Effect.gen(function* () {
      const form = yield* readForm(NEW_FIELDS)
      const [key, url, description] = [form.get("key"), form.get("url") ?? "", form.get("description") ?? ""]
      if (key === undefined || !isKey(key)) return yield* unreadable(form)
      const events = eventsOf(form)
      const entered = { url, description, events }
      return yield* asOwner(WEBHOOKS, (owner) =>
        checkRequest({ url: url.trim(), events, description }).pipe(
          Effect.flatMap((request) => webhooks.create(owner.ownerId, request, key)),
          Effect.map(({ value: { secret, webhook } }) =>
            page(secretPage(webhook.id, webhook.url, secret, true))
          ),
          Effect.catchTags({
            Validation: (refused) => listed(owner, { entered, refused }, 422),
            WebhookLimitReached: () =>
              listed(owner, { told: "You have ten webhooks. Delete one, then create this one." }, 409),
            IdempotencyConflict: () =>
              listed(owner, { entered, told: "You already created another webhook from this page." }, 409)
          })
        )
      )
    })

    const shown = Effect.fnUntraced(function* (
      owner: BrowserAuthority,
      webhook: Webhook,
      said: {
        readonly told?: string | null
        readonly cursor?: string
        readonly refused?: { readonly url: string; readonly sentence: string }
      },
      status = 200
    ) {
      const { data, pagination } = yield* deliveries
        .list(owner.ownerId, webhook.id, { limit: LOG, ...(said.cursor && { cursor: said.cursor }) })
        // An old address begins the log.
        .pipe(
          Effect.catchTag("Validation", () =>
            Effect.orDie(deliveries.list(owner.ownerId, webhook.id, { limit: LOG }))
          )
        )
      return page(
        webhookPage({
          webhook,
          deliveries: data,
          nextCursor: pagination.nextCursor,
          told: said.told ?? null,
          refused: said.refused ?? null,
          isModerator: owner.isModerator
        }),
        status
      )
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* idOf
      const parameters = yield* query
      const cursor = parameters.get("cursor") ?? ""
      return yield* asOwner(
        webhookPath(id),
        Effect.fnUntraced(function* (owner) {
          const webhook = yield* webhooks.read(owner.ownerId, id)
          return yield* shown(owner, webhook, {
            told: toldOf(parameters),
            cursor: cursor.length > CURSOR_CHARACTERS_MAX ? "" : cursor
          })
        })
      )
    })

    /** Turns a webhook on, and sends everything that it did not get. */
    const catchUp = Effect.fnUntraced(function* ({ ownerId }: BrowserAuthority, id: WebhookId) {
      const before = yield* webhooks.read(ownerId, id)
      yield* Effect.catchTag(webhooks.change(ownerId, id, { enabled: true }), "Validation", Effect.die)
      yield* rateLimits.consume("webhook-redeliver", ownerId)
      return yield* deliveries.redeliver(ownerId, id, { since: before.createdAt }).pipe(
        Effect.as("catch_up"),
        Effect.catchTag("Validation", () => Effect.succeed("much"))
      )
    })

    /** Does what a button says. Returns the outcome that the page reports. */
    const done = Effect.fnUntraced(function* (
      owner: BrowserAuthority,
      id: WebhookId,
      act: string,
      form: SentForm
    ) {
      const { ownerId } = owner
      switch (act) {
        case "test":
          yield* rateLimits.consume("webhook-test", ownerId)
          yield* deliveries.test(ownerId, id, undefined)
          return act
        case "again": {
          const delivery = decodeDeliveryId(form.get("delivery"))
          if (Option.isNone(delivery)) return yield* new NotFound()
          yield* rateLimits.consume("webhook-redeliver", ownerId)
          yield* deliveries.redeliverOne(ownerId, id, delivery.value)
          return act
        }
        case "on":
        case "off":
          yield* Effect.catchTag(
            webhooks.change(ownerId, id, { enabled: act === "on" }),
            "Validation",
            Effect.die
          )
          return act
        case "catch_up":
          return yield* catchUp(owner, id)
        default:
          return yield* new NotFound()
      }
    })

    const press = Effect.gen(function* () {
      const id = yield* idOf
      const form = yield* readForm(ACT_FIELDS)
      const act = form.get("act") ?? ""
      return yield* asOwner(
        webhookPath(id),
        Effect.fnUntraced(function* (owner) {
          const webhook = yield* webhooks.read(owner.ownerId, id)
          if (act === "remove") {
            yield* webhooks.remove(owner.ownerId, id)
            return seeOther(`${WEBHOOKS}?done=remove`)
          }
          if (act === "secret") {
            const { secret } = yield* webhooks.rotateSecret(owner.ownerId, id, undefined)
            return page(secretPage(id, webhook.url, secret, false))
          }
          if (act === "change") {
            const url = (form.get("url") ?? "").trim()
            return yield* checkChange({ url, events: eventsOf(form) }).pipe(
              Effect.flatMap((change) => webhooks.change(owner.ownerId, id, change)),
              Effect.as(seeOther(`${webhookPath(id)}?done=change`)),
              Effect.catchTag("Validation", (error) =>
                shown(owner, webhook, { refused: { url, sentence: sentenceOf(error) } }, 422)
              )
            )
          }
          const what = yield* Effect.catchTag(done(owner, id, act, form), "WebhookDisabled", () =>
            Effect.succeed("disabled")
          )
          return seeOther(`${webhookPath(id)}?done=${what}`)
        })
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/desk/webhooks", answering(list)),
      addPrivatePage("POST", "/desk/webhooks", answering(create)),
      addPrivatePage("GET", "/desk/webhooks/:webhookId", answering(show)),
      addPrivatePage("POST", "/desk/webhooks/:webhookId", answering(press))
    )
  })
)
