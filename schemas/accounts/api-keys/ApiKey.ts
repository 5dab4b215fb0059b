import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { ApiKeyId, KeyId } from "../../platform/Ids.ts"
import { visibleLine } from "../../platform/Text.ts"
import { DateTimeInput, Timestamp } from "../../platform/Timestamp.ts"

/** Maximum number of active Publishing keys of an owner (spec 8). */
export const ACTIVE_KEYS_MAX = 5
/** Maximum number of revoked and expired keys in the list, newest first. */
export const ENDED_KEYS_LISTED_MAX = 100
/** Lifetime of a key whose issuance names no expiry (spec 8). */
export const KEY_LIFETIME_DEFAULT_DAYS = 90
/** Label of the key that the website holds for an owner. */
export const WEBSITE_KEY_LABEL = "Website"

/** Metadata of a Publishing key (spec 2.2). It never holds the secret. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  keyId: KeyId,
  scope: Schema.Literal("posts:publish"),
  label: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  revokedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** `key` is `ppk_<keyId>_<secret>`, shown here once and never again. */
export const IssuedKey = Schema.Struct({ apiKey: ApiKey, key: Schema.String }).annotate({
  identifier: "IssuedKey"
})
export type IssuedKey = typeof IssuedKey.Type

/**
 * `expiresAt: null` asks for a key without expiry. Without the member, an issued key is valid for 90 days, and a
 * rotated key keeps its expiry.
 */
export const KeyRequest = Schema.Struct({
  label: Schema.optionalKey(Schema.NullOr(visibleLine(80))),
  expiresAt: Schema.optionalKey(Schema.NullOr(DateTimeInput))
}).annotate({ identifier: "KeyRequest" })
export type KeyRequest = typeof KeyRequest.Type

/** The answer to a repeated issuance: the saved metadata, never the secret. */
export class KeyAlreadyIssued extends ServiceError<KeyAlreadyIssued>()("KeyAlreadyIssued", {
  apiKey: ApiKey
}) {}

export class KeyLimitReached extends ServiceError<KeyLimitReached>()("KeyLimitReached") {}

/** The owner revoked the key that the website holds for them. */
export class WebsiteKeyRevoked extends ServiceError<WebsiteKeyRevoked>()("WebsiteKeyRevoked") {}
