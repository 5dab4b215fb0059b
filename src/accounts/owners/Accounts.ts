import { Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { ProfileName } from "../../../schemas/accounts/profile/Profile.ts"
import { GENERATED_HANDLE_PREFIX, RESERVED_NAME } from "../../../schemas/accounts/profile/reserved.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { GuestAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { now } from "../../platform/time/now.ts"
import type { VerifiedMailbox } from "../email-codes/VerifiedMailbox.ts"
import { AccountsRepo } from "./AccountsRepo.ts"

/** The account is not there, or its owner signs in themselves. */
export class NotAGuest extends Schema.TaggedError<NotAGuest>()("NotAGuest", { ownerId: OwnerId }) {}

/**
 * Accounts that no wallet opened: of those who registered by e-mail, and guests, whom other services make through the
 * library. A guest has no way to sign in. They may hold Publishing keys and change their name, and keep the handle
 * that was made for them (specification 4.2.7, 5.8).
 */
export class Accounts extends Context.Service<
  Accounts,
  {
    /**
     * A new guest, under the reserved name unless given another of 1 to 50 characters. The authority lets `ApiKeys`
     * issue them a key. A name that breaks the rules of specification 2.3 fails with the schema's own error.
     */
    readonly createGuest: (options?: {
      readonly name?: string
    }) => Effect.Effect<GuestAuthority, Schema.SchemaError>
    /** The authority over a guest that was made before. */
    readonly guest: (id: OwnerId) => Effect.Effect<GuestAuthority, NotAGuest>
    /** The owner whom a mailbox belongs to. */
    readonly ownerOf: (proof: VerifiedMailbox) => Effect.Effect<Option.Option<OwnerId>>
    /** A new owner of a mailbox; none when it has one already. */
    readonly createOwner: (proof: VerifiedMailbox) => Effect.Effect<Option.Option<OwnerId>>
    /** The name and handle that every new account starts with (specification 2.3). */
    readonly startingProfile: Effect.Effect<{ readonly name: string; readonly handle: string }>
  }
>()("pennypress/accounts/owners/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const repo = yield* AccountsRepo
      const secrets = yield* Secrets
      const random = yield* SecureRandom.SecureRandom

      const startingProfile = Effect.map(secrets.hex(6), (suffix) => ({
        name: RESERVED_NAME,
        handle: `${GENERATED_HANDLE_PREFIX}${suffix}`
      }))

      return Accounts.of({
        createGuest: Effect.fn("Accounts.createGuest")(function* (options = {}) {
          const profile = yield* startingProfile
          const name =
            options.name === undefined ? profile.name : yield* Schema.decodeEffect(ProfileName)(options.name)
          const id = OwnerId.make(yield* random.uuidV7())
          yield* repo.insert({ ...profile, id, kind: "guest", name, email: null, at: yield* now })
          return GuestAuthority.make({ ownerId: id })
        }),

        guest: Effect.fn("Accounts.guest")(function* (ownerId) {
          if (!(yield* repo.isGuest(ownerId))) return yield* new NotAGuest({ ownerId })
          return GuestAuthority.make({ ownerId })
        }),

        ownerOf: Effect.fn("Accounts.ownerOf")(({ mailbox }) => repo.findByEmail(mailbox)),

        createOwner: Effect.fn("Accounts.createOwner")(function* ({ mailbox }) {
          const id = OwnerId.make(yield* random.uuidV7())
          const profile = yield* startingProfile
          const isNew = yield* repo.insert({ ...profile, id, kind: "email", email: mailbox, at: yield* now })
          return isNew ? Option.some(id) : Option.none()
        }),

        startingProfile
      })
    })
  )
}
