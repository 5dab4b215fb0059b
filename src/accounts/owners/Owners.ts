import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  DELETED_HANDLE_PREFIX,
  GENERATED_HANDLE_PREFIX,
  RESERVED_NAME
} from "../../../schemas/accounts/profile/reserved.ts"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import type { EraseSome } from "../../platform/sql/EraseSome.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import type { VerifiedMailbox } from "../email-codes/VerifiedMailbox.ts"
import { AuthorKinds } from "./AuthorKinds.ts"
import { type HeldRow, type NamedAccount, ownerStatements, type ProfileImage } from "./owners.sql.ts"
import { ownerTags } from "./ownerTags.ts"

/** An account after an administrator's request, and whether the request changed it. */
export interface ChangedOwner {
  readonly id: OwnerId
  /** As its owner spells it. */
  readonly handle: string
  readonly isChanged: boolean
}

/**
 * Accounts as other features change them: every write to `owners` goes through this folder. Each method runs inside the
 * caller's transaction and is one statement, except that a change of the author kind also labels the owner's work.
 */
export class Owners extends Context.Service<
  Owners,
  {
    /** Returns the owner of a mailbox. */
    readonly ownerOf: (proof: VerifiedMailbox) => Effect.Effect<Option.Option<OwnerId>>
    /** Creates the owner of a mailbox; returns none when the mailbox has one already. */
    readonly createOwner: (proof: VerifiedMailbox) => Effect.Effect<Option.Option<OwnerId>>
    /** Draws the name and handle of a new account (spec 2.3). */
    readonly startingProfile: Effect.Effect<{ readonly name: string; readonly handle: string }>
    /**
     * Locks the account until the surrounding transaction ends, so that its changes take turns. Lock the owner before
     * any row that belongs to it, everywhere.
     */
    readonly lock: (id: OwnerId) => Effect.Effect<void>
    /**
     * Makes a confirmed address the account's address, in a savepoint. Returns false, and changes nothing, when another
     * account has the mailbox.
     */
    readonly setEmail: (id: OwnerId, email: EmailAddress, at: Date) => Effect.Effect<boolean>
    /** Returns the public key of the account's wallet in hex; null without one. */
    readonly walletOf: (id: OwnerId) => Effect.Effect<NanoPublicKey | null>
    /**
     * Gives a wallet to an account without one. Returns false when another account has the wallet: the surrounding
     * transaction is broken then and must fail.
     */
    readonly linkWallet: (id: OwnerId, publicKey: Uint8Array) => Effect.Effect<boolean>
    /** Labels the account `agent` (spec 3.4b). Safe to repeat. */
    readonly declareAgent: (id: OwnerId) => Effect.Effect<void>
    /** Removes the label `agent` of an account; returns none without such an account. */
    readonly removeAgentLabel: (account: NamedAccount) => Effect.Effect<Option.Option<ChangedOwner>>
    /**
     * Restricts an account from a moment on; null ends the restriction. Returns none without such an account. Other work
     * then applies it to Posts and Comments.
     */
    readonly setRestricted: (
      account: NamedAccount,
      at: Date | null
    ) => Effect.Effect<Option.Option<ChangedOwner>>
    /** Holds an account until the surrounding transaction ends. Returns none without one, and for one that was deleted. */
    readonly hold: (account: NamedAccount) => Effect.Effect<Option.Option<HeldRow>>
    /** As `hold`, without a lock. */
    readonly find: (id: OwnerId) => Effect.Effect<Option.Option<HeldRow>>
    /**
     * Erases all that the account tells of its owner, and returns the handles that it had. The row stays for what refers to
     * it. Readers see it as any other deleted account.
     */
    readonly erase: (account: HeldRow) => Effect.Effect<ReadonlyArray<string>>
    /** Erases former payout addresses. */
    readonly erasePastAddresses: EraseSome
    /** Shows an image on the Profile. */
    readonly setImage: (id: OwnerId, image: ProfileImage, publicUrl: string) => Effect.Effect<void>
    /** Removes an image from the Profile, if the Profile shows it. Safe to repeat. */
    readonly clearImage: (id: OwnerId, publicUrl: string) => Effect.Effect<void>
    /** Removes the header from the Profile. Safe to repeat. */
    readonly clearHeader: (id: OwnerId) => Effect.Effect<void>
    /**
     * Counts more public Posts of the owner. Work of an agent also labels the account `agent` (spec 3.4b). Returns false,
     * and changes nothing, while the owner is restricted.
     */
    readonly addPublishedPosts: (
      id: OwnerId,
      count: number,
      options: { readonly isAgentWork: boolean }
    ) => Effect.Effect<boolean>
    /** Stops counting these public Posts, and unpins any of them from the Profile. */
    readonly removePublishedPosts: (id: OwnerId, posts: ReadonlyArray<PostId>) => Effect.Effect<void>
  }
>()("pennypress/accounts/owners/Owners") {
  static readonly layer = Layer.effect(
    Owners,
    Effect.gen(function* () {
      const owners = yield* ownerStatements
      const authorKinds = yield* AuthorKinds
      const transactions = yield* Transactions
      const secrets = yield* Secrets
      const random = yield* SecureRandom.SecureRandom

      const { changing } = yield* PublicAnswers
      const shown = (id: OwnerId) => changing([ownerTags.profile(id)])
      const labelled = (id: OwnerId) => changing([ownerTags.profile(id), ownerTags.labels])

      /** Drops the kept answers that show an account that was found by its handle. */
      const administered = Effect.fnUntraced(function* (
        change: ReturnType<typeof owners.removeAgentLabel>,
        tagsOf: (id: OwnerId) => ReadonlyArray<string>
      ): Effect.fn.Return<Option.Option<ChangedOwner>> {
        const account = yield* change
        if (Option.isSome(account)) yield* changing(tagsOf(account.value.id))(Effect.void)
        return Option.map(account, ({ handle, id, is_changed: isChanged }) => ({ id, handle, isChanged }))
      })

      const startingProfile = Effect.map(secrets.hex(6), (suffix) => ({
        name: RESERVED_NAME,
        handle: `${GENERATED_HANDLE_PREFIX}${suffix}`
      }))

      return Owners.of({
        ownerOf: Effect.fn("Owners.ownerOf")(({ address }) => owners.findByEmail(address)),

        createOwner: Effect.fn("Owners.createOwner")(function* ({ address }) {
          const id = OwnerId.make(yield* random.uuidV7())
          const profile = yield* startingProfile
          const isNew = yield* owners.insert({
            ...profile,
            id,
            kind: "email",
            email: address,
            at: yield* now
          })
          return isNew ? Option.some(id) : Option.none()
        }),

        startingProfile,
        lock: owners.lock,
        setEmail: Effect.fn("Owners.setEmail")((id, email, at) =>
          transactions
            .run(Effect.filterOrFail(owners.setEmail(id, email, at), (isSet) => isSet))
            .pipe(Effect.orElseSucceed(() => false))
        ),
        walletOf: owners.walletOf,
        linkWallet: owners.linkWallet,
        declareAgent: Effect.fn("Owners.declareAgent")(function* (id) {
          if (yield* labelled(id)(owners.declareAgent(id))) yield* authorKinds.changed(id, "agent")
        }),
        removeAgentLabel: Effect.fn("Owners.removeAgentLabel")(function* (account) {
          const tagsOf = (id: OwnerId) => [ownerTags.profile(id), ownerTags.labels, ownerTags.handles]
          const labelled = yield* administered(owners.removeAgentLabel(account), tagsOf)
          if (Option.isSome(labelled) && labelled.value.isChanged)
            yield* authorKinds.changed(labelled.value.id, "human")
          return labelled
        }),
        setRestricted: (account, at) =>
          administered(owners.setRestricted(account, at), () => [tags.visibility]),
        hold: owners.hold,
        find: owners.find,
        erase: Effect.fn("Owners.erase")(function* ({ handle, id }) {
          const former = yield* owners.takeFormerHandles(id)
          const tombstone = `${DELETED_HANDLE_PREFIX}${yield* secrets.hex(6)}`
          const change = owners.erase(id, tombstone, yield* now)
          yield* changing([ownerTags.profile(id), ownerTags.handles, tags.visibility])(change)
          return [handle, ...former]
        }),
        erasePastAddresses: owners.erasePastAddresses,
        setImage: (id, image, publicUrl) => shown(id)(owners.setImage(id, image, publicUrl)),
        clearImage: (id, publicUrl) => shown(id)(owners.clearImage(id, publicUrl)),
        clearHeader: (id) => shown(id)(owners.clearHeader(id)),
        addPublishedPosts: Effect.fn("Owners.addPublishedPosts")(function* (id, count, { isAgentWork }) {
          const changing = isAgentWork ? labelled(id) : shown(id)
          const counted = yield* changing(owners.addPublishedPosts(id, count, isAgentWork))
          if (Option.isSome(counted) && counted.value.is_labelled) yield* authorKinds.changed(id, "agent")
          return Option.isSome(counted)
        }),
        removePublishedPosts: (id, posts) => shown(id)(owners.removePublishedPosts(id, posts))
      })
    })
  )
}
