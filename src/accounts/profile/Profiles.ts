import { Context, Effect, Layer } from "effect"
import type {
  AgentDeclared,
  HandleTaken,
  Profile,
  ProfilePatch,
  SocialLink,
  SocialLinkInput
} from "../../../schemas/accounts/profile/Profile.ts"
import { isReservedHandle } from "../../../schemas/accounts/profile/reserved.ts"
import { Forbidden, Validation } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { handleTaken, OwnerProfiles, type ProfileChange, type ProfileRow } from "../owners/OwnerProfiles.ts"
import { Owners } from "../owners/Owners.ts"
import { RetiredHandles } from "../retired-handles/RetiredHandles.ts"

/** The public face of an owner, as the owner's Publishing key reads and changes it (spec 4.2). */
export class Profiles extends Context.Service<
  Profiles,
  {
    /** One statement. `pinnedPostId` is null while the pinned Post is not published. */
    readonly read: (publisher: PublisherAuthority) => Effect.Effect<Profile>
    /**
     * Changes the given members, all or none, and returns the whole Profile. Safe to repeat.
     *
     * Fails with `HandleTaken` when another account holds the handle in any case; with `Forbidden` when a guest
     * would change theirs; with `Validation` for a reserved handle that the account does not have already, and
     * for a pinned Post that is not the owner's or not published.
     */
    readonly update: (
      publisher: PublisherAuthority,
      patch: ProfilePatch
    ) => Effect.Effect<Profile, HandleTaken | Forbidden | Validation>
    /** Reads the Profile for the owner themselves. */
    readonly own: (owner: OwnerAuthority) => Effect.Effect<Profile>
    /** Changes name and handle as `update` does, by the owner themselves; a member that is absent stays. */
    readonly chooseNames: (
      owner: OwnerAuthority,
      names: Pick<ProfilePatch, "name" | "handle">
    ) => Effect.Effect<Profile, HandleTaken | Forbidden | Validation>
    /** Labels the account `agent` for good: only an administrator can undo this. Safe to repeat. */
    readonly declareAgent: (publisher: PublisherAuthority) => Effect.Effect<AgentDeclared>
  }
>()("pennypress/accounts/profile/Profiles") {
  static readonly layer = Layer.effect(
    Profiles,
    Effect.gen(function* () {
      const ownerProfiles = yield* OwnerProfiles
      const owners = yield* Owners
      const transactions = yield* Transactions
      const media = yield* OwnMedia
      const retiredHandles = yield* RetiredHandles

      const change = Effect.fnUntraced(function* (owner: OwnerId, patch: ProfilePatch) {
        const isRetired = patch.handle !== undefined && (yield* retiredHandles.isRetired(patch.handle))
        const outcome = yield* ownerProfiles.update(owner, changeOf(patch, isRetired), yield* now)
        if (outcome.refusal === null) return profileOf(outcome, media)
        return yield* refusals[outcome.refusal]()
      })

      return Profiles.of({
        read: Effect.fn("Profiles.read")(function* (publisher) {
          return profileOf(yield* ownerProfiles.find(publisher.ownerId), media)
        }),

        update: Effect.fn("Profiles.update")((publisher, patch) => change(publisher.ownerId, patch)),

        own: Effect.fn("Profiles.own")(function* ({ ownerId }) {
          return profileOf(yield* ownerProfiles.find(ownerId), media)
        }),

        chooseNames: Effect.fn("Profiles.chooseNames")(({ ownerId }, names) => change(ownerId, names)),

        declareAgent: Effect.fn("Profiles.declareAgent")(function* (publisher) {
          yield* transactions.run(owners.declareAgent(publisher.ownerId))
          return { authorKind: "agent" as const }
        })
      })
    })
  )
}

const refusals = {
  guest_handle: () =>
    new Forbidden({
      detail:
        "A guest cannot choose a handle. Use an account with a Nano wallet or a verified e-mail address."
    }),
  reserved_handle: () =>
    new Validation({
      errors: [{ field: "handle", code: "reserved", message: "Expected a handle that is not reserved" }]
    }),
  retired_handle: () => handleTaken(),
  pinned_post: () =>
    new Validation({
      errors: [{ field: "pinnedPostId", code: "invalid", message: "Expected a published Post of your own" }]
    })
}

/** Empty text clears its column, like null, because readers see no difference. */
const clearedIfEmpty = (text: string | null | undefined) => (text === "" ? null : text)

const changeOf = (patch: ProfilePatch, isRetired: boolean): ProfileChange => ({
  name: patch.name,
  handle: patch.handle,
  is_handle_reserved: patch.handle !== undefined && isReservedHandle(patch.handle),
  is_handle_retired: isRetired,
  bio: clearedIfEmpty(patch.bio),
  location: clearedIfEmpty(patch.location),
  social_links: patch.socialLinks === undefined ? undefined : savedSocialLinks(patch.socialLinks ?? []),
  pinned_post_id: patch.pinnedPostId,
  tip_button_label: patch.tipping?.buttonLabel,
  tip_amounts: patch.tipping?.amounts
})

/** Labels, in lower case, of the only network that has a category of its own. */
const X_LABELS: ReadonlySet<string> = new Set(["x", "twitter"])

// NFKC, because many write the network's own sign, 𝕏.
const categoryOf = (label: string): SocialLink["label"] =>
  X_LABELS.has(label.normalize("NFKC").toLowerCase()) ? "X" : "Custom"

/** Links as they are saved: `X` or `Custom` for a label, and the first of each category (spec 4.2.4). */
export const savedSocialLinks = (links: ReadonlyArray<SocialLinkInput>): ReadonlyArray<SocialLink> => {
  const saved: Array<SocialLink> = []
  for (const { label, url } of links) {
    const category = categoryOf(label)
    if (!saved.some((link) => link.label === category)) saved.push({ label: category, url })
  }
  return saved
}

const profileOf = (row: ProfileRow, { urlOf }: OwnMedia["Service"]): Profile => ({
  id: row.id,
  name: row.name,
  handle: row.handle,
  bio: row.bio,
  location: row.location,
  socialLinks: row.social_links,
  pinnedPostId: row.pinned_post_id,
  avatarUrl: urlOf(row.avatar_url),
  headerImageUrl: urlOf(row.header_image_url),
  authorKind: row.author_kind,
  tipping: { buttonLabel: row.tip_button_label, amounts: row.tip_amounts }
})
