import { Effect, Result } from "effect"
import { PayoutAddressRequest } from "../../../schemas/accounts/payout-address/PayoutAddress.ts"
import { ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import { PayoutAddresses } from "../../accounts/payout-address/PayoutAddresses.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { checked } from "../../platform/http/checked.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { fieldsOf as profileFieldsOf, refusedOf as refusedNames } from "../profile/desk/profileFields.ts"
import { chosenNames } from "../profile/profilePage.ts"
import { isSavedAs } from "../write/conflict.ts"
import {
  fieldsOf,
  formFieldsOf,
  membersOf,
  POST_BOUNDS,
  readFields,
  type Refused,
  type SentFields,
  withLanguage
} from "../write/postForm.ts"
import { refusalOf } from "../write/refusals.ts"
import { makeLanguageOrigin } from "../write/shown.ts"

const { free: _free, paid: _paid, ...bounds } = POST_BOUNDS

/** The bounds of the fields on which an author decides. `_boxes` names the boxes of the page. */
export const DECISION_BOUNDS = {
  ...bounds,
  _boxes: LENGTHS.line,
  name: LENGTHS.line,
  handle: LENGTHS.line,
  address: LENGTHS.line
}

/** The decisions of an author about a post, and what else it lacked. */
export interface Decisions {
  readonly fields: SentFields
  readonly name: string | undefined
  readonly handle: string | undefined
  readonly address: string | undefined
}

/** Reads what an author decided. The texts are written on another page. A draft is saved without what its author has not yet chosen. */
export const readDecisions = (form: SentForm<keyof typeof DECISION_BOUNDS>, isSaving: boolean): Decisions => {
  const once = (text: string | undefined) => (isSaving && text === "" ? undefined : text)
  return {
    fields: {
      ...readFields(form as SentForm, new Set((form.get("_boxes") ?? "").split(" "))),
      free: undefined,
      paid: undefined
    },
    name: once(form.get("name")?.trim()),
    handle: once(form.get("handle")?.trim().replace(/^@/, "")),
    address: once(form.get("address")?.trim())
  }
}

const ADDRESS = "Enter a Nano address that can receive money. Copy it from your wallet again."

/** Makes the function that saves what an author decided. Returns the revision after it, and the reasons for what was refused. */
export const makeCompleting = Effect.gen(function* () {
  const posts = yield* Posts
  const profiles = yield* Profiles
  const payouts = yield* PayoutAddresses
  const originOf = yield* makeLanguageOrigin
  const checkPatch = checked(PostPatch)
  const checkNames = checked(ProfilePatch)
  const checkAddress = checked(PayoutAddressRequest)

  /** Saves the names that were never chosen. */
  const saveNames = Effect.fnUntraced(function* (owner: BrowserAuthority, { handle, name }: Decisions) {
    const profile = yield* profiles.own(owner)
    const chosen = chosenNames(profile)
    const names = {
      ...(name !== undefined && chosen.name === "" ? { name } : {}),
      ...(handle !== undefined && chosen.handle === "" ? { handle } : {})
    }
    if (Object.keys(names).length === 0) return []
    const saved = yield* Effect.result(
      Effect.flatMap(checkNames(names), (checkedNames) => profiles.chooseNames(owner, checkedNames))
    )
    if (Result.isSuccess(saved)) return []
    const error = saved.failure
    if (error._tag === "Forbidden")
      return [{ control: "handle", sentence: "You can't change the handle of this account." }]
    return refusedNames(error.errors ?? [], profileFieldsOf(profile))
  })

  /** Saves the first payout address. */
  const saveAddress = Effect.fnUntraced(function* (owner: BrowserAuthority, { address }: Decisions) {
    if (address === undefined) return []
    return yield* checkAddress({ payoutAddress: address, revision: 0 }).pipe(
      Effect.flatMap((request) => payouts.save(owner, request)),
      Effect.as([]),
      Effect.catchTag("Validation", () => Effect.succeed([{ control: "address", sentence: ADDRESS }]))
    )
  })

  return Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    owner: BrowserAuthority,
    post: Post,
    revision: string,
    decisions: Decisions
  ) {
    const { freeContentMarkdown: free, paidContentMarkdown: paid } = post
    const fields = withLanguage(decisions.fields, { free, paid, title: post.title })
    const refused: ReadonlyArray<Refused> = [
      ...(yield* saveNames(owner, decisions)),
      ...(yield* saveAddress(owner, decisions))
    ]
    const followsTitle = fields.slug === ""
    const isSaved = isSavedAs(post, fields) && (!followsTitle || fieldsOf(post).slug === "")
    const { language } = decisions.fields
    // The page showed this one, so its author did not choose it now.
    const shown = formFieldsOf(post, yield* originOf(publisher, post)).language
    const remember =
      language === undefined || language === shown || post.url !== null
        ? Effect.void
        : posts.chooseLanguage(publisher, post.id, language !== "")
    if (isSaved) {
      yield* remember
      return { revision, refused }
    }
    const saved = yield* Effect.result(
      Effect.flatMap(checkPatch(membersOf(fields)), (patch) =>
        posts.update(publisher, post.id, patch, revision, followsTitle)
      )
    )
    if (Result.isSuccess(saved)) {
      yield* remember
      return { revision: saved.success.updatedAt, refused }
    }
    const error = saved.failure
    if (error._tag === "NotFound" || error._tag === "RevisionConflict") return yield* error
    return { revision, refused: [...refused, ...refusalOf(error, fields.price).refused] }
  })
})
