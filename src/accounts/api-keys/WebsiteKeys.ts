import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  ACTIVE_KEYS_MAX,
  KeyLimitReached,
  WebsiteKeyRevoked
} from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { ApiKeyId, KeyId, type OwnerId } from "../../../schemas/platform/Ids.ts"
import {
  type BrowserAuthority,
  type OwnerAuthority,
  PublisherAuthority
} from "../../../schemas/platform/security/authorities.ts"
import { hashOf, Secrets } from "../../platform/secrets/Secrets.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Owners } from "../owners/Owners.ts"
import { apiKeyStatements, type WebsiteKeyRow } from "./apiKeys.sql.ts"

/**
 * The Publishing key that the website holds for each owner who writes in a browser, because no session may publish
 * (spec 5.1). It counts, is listed and can be revoked like any other. Its secret is discarded, so it has no other user.
 */
export class WebsiteKeys extends Context.Service<
  WebsiteKeys,
  {
    /**
     * Returns the authority of the owner's key. Makes the key if it is missing, and renews it if it ended with an earlier
     * session. Fails when the owner revoked it.
     */
    readonly authorize: (
      browser: BrowserAuthority
    ) => Effect.Effect<PublisherAuthority, KeyLimitReached | WebsiteKeyRevoked>
    /**
     * Returns the authority with which pages show an owner's own posts. It makes no key, and fails when `authorize` would. Without
     * a key it names none, so pages only read with it.
     */
    readonly reading: (
      browser: BrowserAuthority
    ) => Effect.Effect<PublisherAuthority, KeyLimitReached | WebsiteKeyRevoked>
    /** As `authorize`, and makes another key after the owner revoked the last. */
    readonly replace: (browser: BrowserAuthority) => Effect.Effect<PublisherAuthority, KeyLimitReached>
    /** Returns the id of the owner's newest key, also of one that ended. */
    readonly find: (owner: OwnerAuthority) => Effect.Effect<Option.Option<ApiKeyId>>
    /** Ends the key of an owner who is signed in in no browser. */
    readonly expire: (owner: OwnerId) => Effect.Effect<void>
  }
>()("pennypress/accounts/api-keys/WebsiteKeys") {
  static readonly layer = Layer.effect(
    WebsiteKeys,
    Effect.gen(function* () {
      const keys = yield* apiKeyStatements
      const owners = yield* Owners
      const transactions = yield* Transactions
      const secrets = yield* Secrets
      const random = yield* SecureRandom.SecureRandom

      /** Saves a key that ends with the session of the browser. */
      const make = Effect.fnUntraced(function* ({ ownerId, sessionId }: BrowserAuthority, at: Date) {
        const key = {
          id: ApiKeyId.make(yield* random.uuidV7()),
          owner_id: ownerId,
          key_id: yield* secrets.keyId,
          secret_hash: hashOf(Redacted.make(yield* secrets.token)),
          created_at: at
        }
        return yield* keys.insertWebsite(key, sessionId)
      })

      /** Returns the active key, or makes or renews it under the owner's lock. Returns none for a revoked one. */
      const keep = Effect.fn("WebsiteKeys.keep")(
        function* (
          browser: BrowserAuthority,
          isReplacing: boolean
        ): Effect.fn.Return<Option.Option<PublisherAuthority>, KeyLimitReached> {
          const { ownerId, sessionId } = browser
          const at = yield* now
          yield* owners.lock(ownerId)
          const found = Option.getOrUndefined(yield* keys.findWebsite(ownerId, at))
          if (found?.is_active === true) return Option.some(authorityOf(browser, found))
          if (found?.is_revoked === true && !isReplacing) return Option.none()
          if ((yield* keys.countActive(ownerId, at)) >= ACTIVE_KEYS_MAX) return yield* new KeyLimitReached()
          const key =
            found?.is_revoked === false
              ? yield* keys.renewWebsite(found.id, sessionId, at)
              : yield* make(browser, at)
          return Option.some(authorityOf(browser, key))
        },
        (effect) => transactions.run(effect)
      )

      return WebsiteKeys.of({
        authorize: Effect.fn("WebsiteKeys.authorize")(function* (browser) {
          const found = yield* keys.findWebsite(browser.ownerId, yield* now)
          if (Option.isSome(found) && found.value.is_active) return authorityOf(browser, found.value)
          const kept = yield* keep(browser, false)
          return Option.isSome(kept) ? kept.value : yield* new WebsiteKeyRevoked()
        }),

        reading: Effect.fn("WebsiteKeys.reading")(function* (browser) {
          const { isRestricted, ownerId } = browser
          const at = yield* now
          const found = Option.getOrUndefined(yield* keys.findWebsite(ownerId, at))
          if (found?.is_active === true) return authorityOf(browser, found)
          if (found?.is_revoked === true) return yield* new WebsiteKeyRevoked()
          if ((yield* keys.countActive(ownerId, at)) >= ACTIVE_KEYS_MAX) return yield* new KeyLimitReached()
          return PublisherAuthority.make({
            ownerId,
            apiKeyId: ApiKeyId.make(ownerId),
            keyId: NO_KEY,
            isRestricted
          })
        }),

        replace: (browser) =>
          Effect.flatMap(keep(browser, true), (kept) =>
            Option.isSome(kept) ? Effect.succeed(kept.value) : Effect.die(new Error("A key was not replaced"))
          ),

        find: Effect.fn("WebsiteKeys.find")(function* ({ ownerId }) {
          return Option.map(yield* keys.findWebsite(ownerId, yield* now), ({ id }) => id)
        }),

        expire: Effect.fn("WebsiteKeys.expire")(function* (owner) {
          yield* keys.expireWebsite(owner, yield* now)
        })
      })
    })
  )
}

/** The id of no key. */
const NO_KEY = KeyId.make("0".repeat(16))

const authorityOf = ({ isRestricted, ownerId }: BrowserAuthority, { id, key_id }: WebsiteKeyRow) =>
  PublisherAuthority.make({ ownerId, apiKeyId: id, keyId: key_id, isRestricted })
