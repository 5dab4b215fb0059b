import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { EmailTaken } from "../../../schemas/accounts/account-email/AccountEmail.ts"
import { KeyAlreadyIssued, type KeyLimitReached } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import {
  EMAIL_CODE_LIFETIME_SECONDS,
  type EmailCode,
  MAILBOX_COOLDOWN_SECONDS
} from "../../../schemas/accounts/email-codes/EmailCode.ts"
import type { HandleTaken } from "../../../schemas/accounts/profile/Profile.ts"
import {
  type RegistrationKeyIssued,
  type RegistrationKeyRequest,
  RegistrationNotVerified,
  RegistrationReceipt,
  type RegistrationRequest
} from "../../../schemas/accounts/registrations/Registration.ts"
import {
  InvalidCode,
  RegistrationClosed,
  type TokenPair
} from "../../../schemas/accounts/sessions/Session.ts"
import { mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import {
  type AccountRestricted,
  type Forbidden,
  IdempotencyConflict,
  NotFound,
  type Validation
} from "../../../schemas/platform/errors/common.ts"
import { RegistrationId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import type { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now, wireTime } from "../../platform/time/now.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { registrationLetters } from "../email-codes/codeLetters.ts"
import { EmailCodes } from "../email-codes/EmailCodes.ts"
import { Owners } from "../owners/Owners.ts"
import { Profiles } from "../profile/Profiles.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { registrationStatements } from "./registrations.sql.ts"

/** New accounts by e-mail: receipt, verification, and one Publishing key for each receipt (spec 3.4). */
export class Registrations extends Context.Service<
  Registrations,
  {
    /**
     * The same receipt for an address with and without an owner, and for a repeat of the same key within a day;
     * `IdempotencyConflict` when the key came with another address. `client` names the caller, such as its network, whose
     * mails are limited. `RegistrationClosed`, for any address, while the site takes no new accounts.
     */
    readonly register: (
      idempotencyKey: string,
      request: RegistrationRequest,
      client: string
    ) => Effect.Effect<RegistrationReceipt, RegistrationClosed | IdempotencyConflict | RateLimitExceeded>
    /** Makes the owner and opens their first session. A registration that began before it closed makes none, either. */
    readonly verify: (
      id: RegistrationId,
      code: EmailCode
    ) => Effect.Effect<TokenPair, RegistrationClosed | InvalidCode | EmailTaken>
    /**
     * Issues the one key of a verified registration, and sets the owner's handle if one is requested: both or neither.
     */
    readonly issueKey: (
      owner: OwnerAuthority,
      id: RegistrationId,
      request: RegistrationKeyRequest
    ) => Effect.Effect<
      RegistrationKeyIssued,
      | AccountRestricted
      | RegistrationNotVerified
      | KeyAlreadyIssued
      | KeyLimitReached
      | HandleTaken
      | Forbidden
      | NotFound
      | Validation
    >
    /** Deletes registrations that can no longer be verified. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/accounts/registrations/Registrations") {
  static readonly layer = Layer.effect(
    Registrations,
    Effect.gen(function* () {
      const registrations = yield* registrationStatements
      const owners = yield* Owners
      const apiKeys = yield* ApiKeys
      const codes = yield* EmailCodes
      const idempotency = yield* Idempotency
      const profiles = yield* Profiles
      const sessions = yield* Sessions
      const transactions = yield* Transactions
      const random = yield* SecureRandom.SecureRandom
      const { isRegistrationOpen, siteName } = yield* Settings

      const register = Effect.fn("Registrations.register")(
        function* (key: string, { email }: RegistrationRequest, client: string) {
          // First, so that the answer says nothing about the address.
          if (!isRegistrationOpen) return yield* new RegistrationClosed()
          const id = RegistrationId.make(yield* random.uuidV7())
          const answer = yield* idempotency.once(
            {
              scope: "registration",
              // The caller is unknown, so a key must be unique among all callers. It is a UUID that the caller makes.
              scopeId: key.toLowerCase(),
              idempotencyKey: key.toLowerCase(),
              intent: { email },
              resourceId: id,
              lifetimeMillis: DAY_MILLIS,
              keep: (receipt: RegistrationReceipt) => receipt,
              kept: RegistrationReceipt
            },
            Effect.fnUntraced(function* (at) {
              const expiresAt = later(at, EMAIL_CODE_LIFETIME_SECONDS * 1000)
              yield* registrations.insert({ id, email, created_at: at, expires_at: expiresAt })
              yield* codes.issue({
                purpose: "registration",
                subject: id,
                recipient: email,
                client,
                budget: { limit: "mailbox-registrations" },
                lettersOf: (code) => Effect.succeed(registrationLetters(code, siteName))
              })
              const resendAfterSeconds = MAILBOX_COOLDOWN_SECONDS
              return {
                registrationId: id,
                status: "pending" as const,
                email,
                expiresAt: wireTime(expiresAt),
                resendAfterSeconds
              }
            })
          )
          return answer.value
        },
        Effect.catchTag("IntentChanged", () => Effect.fail(new IdempotencyConflict()))
      )

      const verify = Effect.fn("Registrations.verify")(
        function* (
          id: RegistrationId,
          code: EmailCode
        ): Effect.fn.Return<TokenPair, RegistrationClosed | InvalidCode | EmailTaken> {
          if (!isRegistrationOpen) return yield* new RegistrationClosed()
          const proof = yield* codes.redeem({ purpose: "registration", subject: id }, code)
          if (Option.isNone(proof) || proof.value.isRepeat) return yield* new InvalidCode({ detail: REFUSED })
          const owner = yield* owners.createOwner(proof.value)
          if (Option.isNone(owner)) return yield* new EmailTaken()
          yield* registrations.verified(id, owner.value)
          return yield* sessions.open(owner.value, proof.value)
        },
        // A wrong try counts, although the request fails.
        (effect) => transactions.runKeeping(effect)
      )

      const issueKey = Effect.fn("Registrations.issueKey")(
        function* (owner: OwnerAuthority, id: RegistrationId, { handle }: RegistrationKeyRequest) {
          const registration = yield* registrations.lock(id, owner.ownerId)
          if (Option.isNone(registration)) return yield* new NotFound()
          const { api_key_id, asking_mailbox, email, owner_id } = registration.value
          // Only the holder of its address hears of a registration that is not verified.
          if (owner_id === null && mailboxOf(email) === asking_mailbox)
            return yield* new RegistrationNotVerified()
          if (owner_id !== owner.ownerId) return yield* new NotFound()
          if (api_key_id !== null) {
            const apiKey = yield* apiKeys.find(owner, api_key_id)
            return yield* Option.match(apiKey, {
              onNone: () => Effect.die(new Error("The key of a registration is gone")),
              onSome: (apiKey) => Effect.fail(new KeyAlreadyIssued({ apiKey }))
            })
          }
          const issued = yield* apiKeys.issue(owner, {})
          const { id: ownerId, ...profile } = yield* profiles.chooseNames(
            owner,
            handle === undefined ? {} : { handle }
          )
          yield* registrations.keyIssued(id, issued.apiKey.id)
          return { profile: { id: ownerId, name: profile.name, handle: profile.handle }, ...issued }
        },
        (effect) => transactions.run(effect)
      )

      return Registrations.of({
        register,
        verify,
        issueKey,
        sweep: Effect.flatMap(now, registrations.sweep)
      })
    })
  )
}

/** Every failure gets the same answer. It tells an owner whose first answer was lost what to do next. */
const REFUSED =
  "The code is wrong, expired or used, or was guessed wrongly five times. If this registration was verified before, the account already exists: log in with POST /api/v1/auth/login. Otherwise register again."
