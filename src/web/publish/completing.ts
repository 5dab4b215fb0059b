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
import { fieldsOf, membersOf, POST_BOUNDS, type PostFields, type Refused } from "../write/postForm.ts"
import { refusalOf } from "../write/refusals.ts"

/** The bounds of the fields that complete a draft. `_asked` names those that the page had. */
export const COMPLETING_BOUNDS = {
  _asked: LENGTHS.line,
  name: LENGTHS.line,
  handle: LENGTHS.line,
  address: LENGTHS.line,
  title: POST_BOUNDS.title,
  description: POST_BOUNDS.description,
  price: POST_BOUNDS.price,
  primary: POST_BOUNDS.primary,
  secondary: POST_BOUNDS.secondary,
  method: POST_BOUNDS.method,
  attested: POST_BOUNDS.attested
}

type CompletingForm = SentForm<keyof typeof COMPLETING_BOUNDS>

/** The fields that an author filled in. */
export interface FilledIn {
  readonly asked: ReadonlySet<string>
  readonly fields: PostFields
  readonly name: string
  readonly handle: string
  readonly address: string
}

/** Reads what an author filled in, over the fields of the draft. */
export const readFilledIn = (form: CompletingForm, post: Post): FilledIn => {
  const asked = new Set((form.get("_asked") ?? "").split(" "))
  const line = (name: Exclude<keyof typeof COMPLETING_BOUNDS, "_asked">) => (form.get(name) ?? "").trim()
  const sent = {
    title: line("title"),
    description: line("description"),
    price: line("price"),
    primary: line("primary"),
    secondary: line("secondary"),
    method: line("method"),
    isAttested: form.has("attested")
  }
  const changed = Object.entries(sent).filter(([name]) =>
    asked.has(name === "isAttested" ? "attested" : name)
  )
  return {
    asked,
    fields: { ...fieldsOf(post), ...Object.fromEntries(changed) },
    name: line("name"),
    handle: line("handle").replace(/^@/, ""),
    address: line("address")
  }
}

/** The members of the API behind the controls of a draft. */
const MEMBERS = {
  title: "title",
  description: "description",
  price: "priceXno",
  primary: "primaryCategoryId",
  secondary: "secondaryCategoryId",
  method: "creationMethod",
  attested: "creationAttested"
} as const

const ADDRESS = "Enter a Nano address that can receive money. Copy it from your wallet again."

/** Makes the function that saves what a draft lacked. Returns its revision, and the reasons for what was refused. */
export const makeCompleting = Effect.gen(function* () {
  const posts = yield* Posts
  const profiles = yield* Profiles
  const payouts = yield* PayoutAddresses
  const checkPatch = checked(PostPatch)
  const checkNames = checked(ProfilePatch)
  const checkAddress = checked(PayoutAddressRequest)

  /** Saves the names that were never chosen. */
  const saveNames = Effect.fnUntraced(function* (owner: BrowserAuthority, { asked, handle, name }: FilledIn) {
    const profile = yield* profiles.own(owner)
    const chosen = chosenNames(profile)
    const names = {
      ...(asked.has("name") && chosen.name === "" ? { name } : {}),
      ...(asked.has("handle") && chosen.handle === "" ? { handle } : {})
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
  const saveAddress = Effect.fnUntraced(function* (owner: BrowserAuthority, { address, asked }: FilledIn) {
    if (!asked.has("address")) return []
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
    filled: FilledIn
  ) {
    const all = membersOf(filled.fields)
    const patch = Object.entries(MEMBERS).flatMap(([control, member]) =>
      filled.asked.has(control) ? [[member, all[member]] as const] : []
    )
    const refused: ReadonlyArray<Refused> = [
      ...(yield* saveNames(owner, filled)),
      ...(yield* saveAddress(owner, filled))
    ]
    if (patch.length === 0) return { revision, refused }
    const saved = yield* Effect.result(
      Effect.flatMap(checkPatch(Object.fromEntries(patch)), (it) =>
        posts.update(publisher, post.id, it, revision, fieldsOf(post).slug === "")
      )
    )
    if (Result.isSuccess(saved)) return { revision: saved.success.updatedAt, refused }
    const error = saved.failure
    if (error._tag === "NotFound" || error._tag === "RevisionConflict") return yield* error
    return { revision, refused: [...refused, ...refusalOf(error).refused] }
  })
})
