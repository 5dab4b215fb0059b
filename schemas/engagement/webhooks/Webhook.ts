import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { EVENT_TYPES } from "../../platform/EventType.ts"
import { hasHttpUrlForm, HTTP_URL_LENGTH_MAX } from "../../platform/httpUrl.ts"
import { WebhookId, WebhookSecretId } from "../../platform/Ids.ts"
import { atMost, line, Text } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"

/** Maximum number of webhooks of an owner. */
export const WEBHOOKS_MAX = 10
/** Maximum number of characters of the description of a webhook. */
export const WEBHOOK_DESCRIPTION_MAX = 200
/** Seconds for which the secret before the newest one signs too, by default and at most. */
export const SECRET_KEPT_DEFAULT_SECONDS = 86_400
export const SECRET_KEPT_MAX_SECONDS = 604_800
/** Maximum number of deliveries that wait for a webhook. Later events are not queued; they can be asked for. */
export const WAITING_MAX = 10_000

/** The types of events to which a webhook may subscribe. */
export const SUBSCRIBED_TYPES = EVENT_TYPES.filter((type) => type !== "webhook.test")

/** Stands for all types, also those of later releases. */
export const ALL_EVENTS = "*"

const subscriptions: ReadonlyArray<string> = [ALL_EVENTS, ...SUBSCRIBED_TYPES]

const known = (types: ReadonlyArray<string>) =>
  `Name another type: it is unknown here. Known: ${types.join(", ")}`

const patternOf = (types: ReadonlyArray<string>) =>
  `^(?:${types.map((type) => type.replaceAll(/[.*]/g, String.raw`\$&`)).join("|")})$`

const typeOf = (types: ReadonlyArray<string>, message: string) =>
  Schema.String.check(
    Schema.makeFilter((type: string) => types.includes(type), {
      message,
      fieldCode: "unknown",
      toJsonSchema: () => [{ pattern: patternOf(types) }, true]
    })
  )

const Subscription = typeOf(subscriptions, known(SUBSCRIBED_TYPES))

/** A type of events that a caller names. */
export const NamedEventType = typeOf(EVENT_TYPES, known(EVENT_TYPES))

const Subscriptions = Schema.Array(Subscription).check(
  Schema.makeFilter((types: ReadonlyArray<string>) => types.length > 0, {
    message: "Name at least one type of events",
    fieldCode: "required",
    toJsonSchema: () => ({ minItems: 1 })
  }),
  Schema.makeFilter(
    (types: ReadonlyArray<string>) =>
      new Set(types).size === types.length && (types.length === 1 || !types.includes(ALL_EVENTS)),
    {
      message: 'Name each type once, and "*" alone',
      fieldCode: "invalid",
      toJsonSchema: () => ({ uniqueItems: true })
    }
  )
)

/** The URL of a receiver. It is kept as browsers read it. */
const ReceiverUrl = Text.check(
  atMost(HTTP_URL_LENGTH_MAX),
  Schema.makeFilter((text: string) => hasHttpUrlForm(text) && !text.includes("#"), {
    message: "Send an absolute https URL without a user, a password or a fragment",
    toJsonSchema: () => [
      { pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s\\]+([/?][^#\s\\]*)?$` },
      true
    ]
  })
)

const settings = {
  url: ReceiverUrl,
  events: Subscriptions,
  description: Schema.optionalKey(Schema.NullOr(line(WEBHOOK_DESCRIPTION_MAX)))
}

/** A new webhook. */
export const WebhookRequest = Schema.Struct(settings).annotate({ identifier: "WebhookRequest" })
export type WebhookRequest = typeof WebhookRequest.Type

/** Changes of a webhook. `enabled: true` also turns one on again that failed; what waited is due. */
export const WebhookChange = Schema.Struct({
  url: Schema.optionalKey(settings.url),
  events: Schema.optionalKey(settings.events),
  description: settings.description,
  enabled: Schema.optionalKey(Schema.Boolean)
})
  .check(Schema.isMinProperties(1))
  .annotate({ identifier: "WebhookChange" })
export type WebhookChange = typeof WebhookChange.Type

/**
 * The reason why a webhook gets nothing. `owner` turned it off, `gone` is an answer 410, `failing` is a delivery that was
 * given up, and `account_restricted` lasts as long as the restriction.
 */
export const DisabledReason = Schema.Literals(["owner", "gone", "failing", "account_restricted"])
export type DisabledReason = typeof DisabledReason.Type

/** The reason why a delivery failed. `http_status` is an answer that is not 2xx. */
export const FailureCode = Schema.Literals([
  "http_status",
  "redirect",
  "gone",
  "timeout",
  "connection",
  "tls",
  "protocol",
  "address_not_public"
]).annotate({ identifier: "WebhookFailureCode" })
export type FailureCode = typeof FailureCode.Type

const status = Schema.NullOr(Schema.Int).annotate({ description: "The HTTP status; null without an answer" })

/** The last failure of a webhook. */
export const LastFailure = Schema.Struct({ at: Timestamp, code: FailureCode, status })
export type LastFailure = typeof LastFailure.Type

/** A webhook as its owner sees it, without its secrets. */
export const Webhook = Schema.Struct({
  id: WebhookId,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  description: Schema.NullOr(Schema.String),
  enabled: Schema.Boolean,
  state: Schema.Literals(["active", "failing", "disabled"]),
  disabledReason: Schema.NullOr(DisabledReason),
  failingSince: Schema.NullOr(Timestamp).annotate({
    description: "The first failure after the last success; null after a success"
  }),
  lastSuccessAt: Schema.NullOr(Timestamp),
  lastFailure: Schema.NullOr(LastFailure),
  waiting: Schema.Int.annotate({
    description: `Number of deliveries that wait, at most ${WAITING_MAX}`
  }),
  secrets: Schema.Array(
    Schema.Struct({
      id: WebhookSecretId,
      hint: Schema.String.annotate({ description: "The end of the secret, such as whsec_…9fA=" }),
      createdAt: Timestamp,
      expiresAt: Schema.NullOr(Timestamp).annotate({
        description: "The time from which it no longer signs; null for the newest one"
      })
    })
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

/** The webhooks of an owner, oldest first. */
export const WebhookList = Schema.Struct({ webhooks: Schema.Array(Webhook) }).annotate({
  identifier: "WebhookList"
})

/** A webhook with a new secret, `whsec_` and base64 of 32 bytes. */
export const WebhookWithSecret = Schema.Struct({ webhook: Webhook, secret: Schema.String })
  .annotate({ identifier: "WebhookWithSecret" })
  .pipe(HttpApiSchema.status(201))
export type WebhookWithSecret = typeof WebhookWithSecret.Type

/** The rotation of a secret. */
export const SecretRequest = Schema.Struct({
  keepSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: SECRET_KEPT_MAX_SECONDS })).annotate({
      description: `Seconds for which the present secret signs too, ${SECRET_KEPT_DEFAULT_SECONDS} by default`
    })
  )
}).annotate({ identifier: "WebhookSecretRequest" })
export type SecretRequest = typeof SecretRequest.Type
