import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import {
  ACTIVE_KEYS_MAX,
  type ApiKey,
  type IssuedKey,
  KEY_LIFETIME_DEFAULT_DAYS,
  KeyAlreadyIssued,
  KeyLimitReached,
  type KeyRequest
} from "../../../schemas/accounts/api-keys/ApiKey.ts"
import {
  AccountRestricted,
  IdempotencyConflict,
  NotFound,
  Validation
} from "../../../schemas/platform/errors/common.ts"
import { ApiKeyId, KeyId, type OwnerId } from "../../../schemas/platform/Ids.ts"
import {
  type GuestAuthority,
  type OwnerAuthority,
  PublisherAuthority
} from "../../../schemas/platform/security/authorities.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { hashOf, Secrets } from "../../platform/secrets/Secrets.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { Owners } from "../owners/Owners.ts"
import { type ApiKeyRow, apiKeyStatements } from "./apiKeys.sql.ts"
import { KeyUses } from "./KeyUses.ts"

/** `ppk_<keyId>_<secret>` (spec 2.2, 5). */
const FORM = /^ppk_([0-9A-Za-z]{16})_([0-9A-Za-z]{43})$/

/** A holder of keys: an owner who signed in, or a service for its guest. */
export type KeyHolder = OwnerAuthority | GuestAuthority

/** Publishing keys: at most five active of an owner, each shown once (spec 4.1). */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The authority of a presented key that is active. One indexed statement and one SHA-256. */
    readonly authenticate: (credential: Redacted.Redacted) => Effect.Effect<Option.Option<PublisherAuthority>>
    /**
     * Returns the authority of a key whose checked request began work that goes on after its answer; none once the key has
     * ended.
     */
    readonly resume: (owner: OwnerId, id: ApiKeyId) => Effect.Effect<Option.Option<PublisherAuthority>>
    /**
     * Returns the authority of a key, even of one that has ended, for the service to tidy up after work that the key began. It
     * makes nothing new.
     */
    readonly recall: (owner: OwnerId, id: ApiKeyId) => Effect.Effect<Option.Option<PublisherAuthority>>
    readonly list: (owner: KeyHolder) => Effect.Effect<ReadonlyArray<ApiKey>>
    readonly issue: (
      owner: KeyHolder,
      request: KeyRequest
    ) => Effect.Effect<IssuedKey, AccountRestricted | KeyLimitReached | Validation>
    /** A repeat under the same Idempotency-Key gets the saved metadata, and never the secret. */
    readonly issueOnce: (
      owner: KeyHolder,
      request: KeyRequest,
      idempotencyKey: string
    ) => Effect.Effect<
      IssuedKey,
      AccountRestricted | KeyAlreadyIssued | KeyLimitReached | IdempotencyConflict | Validation
    >
    /** Ends a key with what waits under it. Safe to repeat: a revoked key keeps the time of its revocation. */
    readonly revoke: (owner: KeyHolder, keyId: string) => Effect.Effect<ApiKey, NotFound>
    /**
     * Replaces an active key: one transaction revokes the old key and makes the new one. It keeps the label and the
     * expiry unless the request names new ones. What waits under the old key waits under the new one, which must not expire
     * before it. The website rotates its keys itself.
     */
    readonly rotate: (
      owner: KeyHolder,
      keyId: string,
      request: KeyRequest
    ) => Effect.Effect<IssuedKey, AccountRestricted | NotFound | KeyLimitReached | Validation>
    /** Returns the metadata of an own key by the id of its record. */
    readonly find: (owner: KeyHolder, id: ApiKeyId) => Effect.Effect<Option.Option<ApiKey>>
    readonly countActive: (owner: OwnerId) => Effect.Effect<number>
  }
>()("pennypress/accounts/api-keys/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const keys = yield* apiKeyStatements
      const owners = yield* Owners
      const uses = yield* KeyUses
      const idempotency = yield* Idempotency
      const transactions = yield* Transactions
      const secrets = yield* Secrets
      const random = yield* SecureRandom.SecureRandom

      /** Locks the owner. The account may have been restricted, or closed, since its session was checked. */
      const lock = Effect.fnUntraced(function* ({ ownerId: id }: KeyHolder) {
        const account = yield* owners.hold({ id })
        if (Option.exists(account, ({ is_restricted }) => is_restricted))
          return yield* new AccountRestricted()
      })

      /** Makes a key under the owner's lock, so that no other change to their keys can come in between. */
      const insert = Effect.fnUntraced(function* (
        owner: KeyHolder,
        key: {
          readonly id: ApiKeyId
          readonly label: string | null
          readonly expiresAt: Date | Timestamp | null
        },
        at: Date
      ) {
        if ((yield* keys.countActive(owner.ownerId, at)) >= ACTIVE_KEYS_MAX)
          return yield* new KeyLimitReached()
        const keyId = yield* secrets.keyId
        const secret = Redacted.make(yield* secrets.token)
        const row = yield* keys.insert({
          id: key.id,
          owner_id: owner.ownerId,
          key_id: keyId,
          secret_hash: hashOf(secret),
          label: key.label,
          created_at: at,
          expires_at: key.expiresAt
        })
        return { apiKey: metadataOf(row), key: `ppk_${keyId}_${Redacted.value(secret)}` }
      })

      const make = Effect.fnUntraced(function* (
        owner: KeyHolder,
        id: ApiKeyId,
        request: KeyRequest,
        at: Date
      ) {
        const expiresAt = yield* expiryOf(request, at, later(at, KEY_LIFETIME_DEFAULT_DAYS * DAY_MILLIS))
        yield* lock(owner)
        return yield* insert(owner, { id, label: request.label ?? null, expiresAt }, at)
      })

      const issue = Effect.fn("ApiKeys.issue")(
        function* (owner: KeyHolder, request: KeyRequest) {
          return yield* make(owner, ApiKeyId.make(yield* random.uuidV7()), request, yield* now)
        },
        (effect) => transactions.run(effect)
      )

      const issueOnce = Effect.fn("ApiKeys.issueOnce")(function* (
        owner: KeyHolder,
        request: KeyRequest,
        idempotencyKey: string
      ) {
        const id = ApiKeyId.make(yield* random.uuidV7())
        const issued = yield* idempotency
          .once(
            {
              scope: "api_key_issuance",
              scopeId: owner.ownerId,
              idempotencyKey,
              intent: intentOf(request),
              resourceId: id,
              lifetimeMillis: null,
              // No answer is kept, because it holds the secret; a repeat gets the current metadata.
              keep: () => null,
              kept: Schema.Null
            },
            (at) => make(owner, id, request, at)
          )
          .pipe(Effect.catchTag("IntentChanged", () => Effect.fail(new IdempotencyConflict())))
        if (!issued.replayed) return issued.value
        const row = yield* keys.findOwn(owner.ownerId, issued.resourceId)
        if (Option.isNone(row)) return yield* new IdempotencyConflict()
        return yield* new KeyAlreadyIssued({ apiKey: metadataOf(row.value) })
      })

      const rotate = Effect.fn("ApiKeys.rotate")(
        function* (owner: KeyHolder, keyId: string, request: KeyRequest) {
          const at = yield* now
          const named = yield* expiryOf(request, at, undefined)
          yield* uses.hold(owner.ownerId)
          yield* lock(owner)
          const old = yield* keys.revokeActive(owner.ownerId, keyId, at)
          if (Option.isNone(old))
            return yield* new NotFound({ detail: "No active key of yours has this id." })
          const label = request.label === undefined ? old.value.label : request.label
          const expiresAt = named === undefined ? old.value.expires_at : named
          const id = ApiKeyId.make(yield* random.uuidV7())
          const issued = yield* insert(owner, { id, label, expiresAt }, at)
          if (!(yield* uses.rotated(owner.ownerId, old.value.id, id))) return yield* tooEarly
          return issued
        },
        (effect) => transactions.run(effect)
      )

      return ApiKeys.of({
        authenticate: Effect.fnUntraced(function* (credential) {
          const [, keyId, secret] = FORM.exec(Redacted.value(credential)) ?? []
          if (keyId === undefined || secret === undefined) return Option.none()
          const found = yield* keys.findActive(keyId, yield* now)
          if (Option.isNone(found)) return Option.none()
          const { id, is_restricted, owner_id, secret_hash } = found.value
          if (!Mac.timingSafeEqual(secret_hash, hashOf(Redacted.make(secret)))) return Option.none()
          return Option.some(
            PublisherAuthority.make({
              ownerId: owner_id,
              apiKeyId: id,
              keyId: KeyId.make(keyId),
              isRestricted: is_restricted
            })
          )
        }),

        resume: Effect.fn("ApiKeys.resume")(function* (ownerId, apiKeyId) {
          const found = yield* keys.findActiveById(ownerId, apiKeyId, yield* now)
          return Option.map(found, ({ is_restricted, key_id }) =>
            PublisherAuthority.make({ ownerId, apiKeyId, keyId: key_id, isRestricted: is_restricted })
          )
        }),

        recall: Effect.fn("ApiKeys.recall")(function* (ownerId, apiKeyId) {
          const found = yield* keys.findOwn(ownerId, apiKeyId)
          return Option.map(found, ({ key_id }) =>
            PublisherAuthority.make({ ownerId, apiKeyId, keyId: key_id, isRestricted: false })
          )
        }),

        list: Effect.fn("ApiKeys.list")(function* (owner) {
          return (yield* keys.list(owner.ownerId, yield* now)).map(metadataOf)
        }),

        issue,
        issueOnce,

        revoke: Effect.fn("ApiKeys.revoke")(
          function* ({ ownerId }, keyId) {
            const at = yield* now
            yield* uses.hold(ownerId)
            yield* uses.revoking(ownerId, keyId, at)
            const row = yield* keys.revoke(ownerId, keyId, at)
            if (Option.isNone(row)) return yield* new NotFound()
            return metadataOf(row.value)
          },
          (effect) => transactions.run(effect)
        ),

        rotate,

        find: Effect.fn("ApiKeys.find")(function* (owner, id) {
          return Option.map(yield* keys.findOwn(owner.ownerId, id), metadataOf)
        }),

        countActive: Effect.fn("ApiKeys.countActive")(function* (owner) {
          return yield* keys.countActive(owner, yield* now)
        })
      })
    })
  )
}

/** Returns the intent of a request, which a repeat must match. An expiry is compared as a moment. */
const intentOf = (request: KeyRequest) => ({
  label: request.label ?? null,
  expiresAt:
    request.expiresAt === undefined || request.expiresAt === null
      ? request.expiresAt === null
        ? "never"
        : "default"
      : // Keys issued by earlier versions were compared by milliseconds.
        request.expiresAt.replace(/000Z$/, "Z")
})

const tooEarly = new Validation({
  errors: [
    {
      field: "expiresAt",
      code: "before_schedule",
      message: "A Post is scheduled with this key for a later moment. Choose a later expiry"
    }
  ]
})

/** Returns the expiry that a request names, or the default; fails when it is not in the future. */
const expiryOf = Effect.fnUntraced(function* <Default>(
  { expiresAt }: KeyRequest,
  at: Date,
  whenUnnamed: Default
) {
  if (expiresAt === undefined) return whenUnnamed
  if (expiresAt === null || Date.parse(expiresAt) > at.getTime()) return expiresAt
  return yield* new Validation({
    errors: [{ field: "expiresAt", code: "out_of_range", message: "The expiry must be in the future" }]
  })
})

const metadataOf = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  keyId: row.key_id,
  scope: "posts:publish",
  label: row.label,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at
})
