import { Effect } from "effect"
import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { ProfileIncomplete, PublicationIncomplete } from "../../../schemas/publishing/posts/errors.ts"
import type { PostContent } from "./content.ts"
import type { PostRow } from "./postRow.ts"

/** The reasons that keep a Post from being public. */
export type PublicationRefusal = ProfileIncomplete | PublicationIncomplete

/** The columns of a Post that its publication needs. */
export type NeededContent = Pick<
  PostContent,
  | "title"
  | "description"
  | "free_content_markdown"
  | "paid_content_markdown"
  | "enable_paywall"
  | "price_raw"
  | "primary_category_id"
  | "secondary_category_id"
  | "creation_method"
  | "creation_attested"
>

/** The facts about an owner and files that publishing needs in addition to the content. */
export type PublicationState = Pick<PostRow, "name" | "handle" | "payout_address" | "attachments"> &
  Partial<Pick<PostRow, "awaits_images">>

const required = (field: string, message: string): FieldError => ({ field, code: "required", message })

/** Returns errors for a name or handle that a new account starts with (spec 3.1). */
const missingOfProfile = ({ handle, name }: PublicationState): ReadonlyArray<FieldError> => [
  ...(isReservedName(name) ? [required("name", "Choose a name before you publish")] : []),
  ...(isGeneratedHandle(handle) ? [required("handle", "Choose a handle before you publish")] : [])
]

/** Returns errors for the content that a public Post needs. */
const missingOfContent = (content: NeededContent): ReadonlyArray<FieldError> => {
  const missing: Array<FieldError> = []
  if (content.title === "") missing.push(required("title", "Give the Post a title"))
  if (content.description === "") missing.push(required("description", "Give the Post a description"))
  if (content.free_content_markdown === null && content.paid_content_markdown === null) {
    missing.push(required("content", "Write freeContentMarkdown or paidContentMarkdown"))
  } else if (content.enable_paywall && content.paid_content_markdown === null) {
    const message = "Write paidContentMarkdown, or send enablePaywall false"
    missing.push(required("content", message))
  }
  if (content.enable_paywall && content.price_raw === null) {
    const message = "Give the paid section a price, or send enablePaywall false to make it free"
    missing.push(required("priceRaw", message))
  }
  if (content.primary_category_id === null) {
    missing.push(required("primaryCategoryId", "Choose a primary category"))
  } else if (content.primary_category_id === content.secondary_category_id) {
    const message = "Choose a secondary category other than the primary one"
    missing.push({ field: "secondaryCategoryId", code: "mismatch", message })
  }
  return missing
}

/** Returns errors for the declaration, the payout address and the files (spec 3.1, 4.3.3). */
const missingOfDeclaration = (content: NeededContent, state: PublicationState): ReadonlyArray<FieldError> => {
  const missing: Array<FieldError> = []
  if (content.creation_method === null) {
    missing.push(required("creationMethod", "Declare how the Post was produced"))
  }
  if (!content.creation_attested) {
    const message = "Attest that you reviewed the Post and take responsibility for it"
    missing.push(required("creationAttested", message))
  }
  if (state.payout_address === null) {
    missing.push(required("payoutAddress", "Save a payout address, as readers can tip every Post"))
  }
  if (state.attachments.some((file) => file.state === "receiving")) {
    missing.push(required("attachments", "Finish or cancel the uploads of files that were not received"))
  }
  return missing
}

/** Returns an error for pictures of an import that readers would not see yet. */
const missingOfImages = ({ awaits_images }: PublicationState): ReadonlyArray<FieldError> =>
  awaits_images === true
    ? [
        {
          field: "images",
          code: "pending",
          message: "Wait until the import has brought the pictures of the Post"
        }
      ]
    : []

/** Returns everything that a draft lacks to be public, of the Profile and of the Post. */
export const missingOf = (content: NeededContent, state: PublicationState): ReadonlyArray<FieldError> => [
  ...missingOfProfile(state),
  ...missingOfContent(content),
  ...missingOfDeclaration(content, state),
  ...missingOfImages(state)
]

const failOn = Effect.fnUntraced(function* (
  state: PublicationState,
  post: ReadonlyArray<FieldError>
): Effect.fn.Return<void, PublicationRefusal> {
  const profile = missingOfProfile(state)
  if (profile.length > 0) return yield* new ProfileIncomplete({ errors: profile })
  if (post.length > 0) return yield* new PublicationIncomplete({ errors: post })
})

/** Fails with everything that a draft lacks to be public: the Profile first, then the Post. */
export const checkPublication = (content: NeededContent, state: PublicationState) =>
  failOn(state, [
    ...missingOfContent(content),
    ...missingOfDeclaration(content, state),
    ...missingOfImages(state)
  ])

/**
 * Fails with everything that a public Post would lack after an edit. The declaration and the payout address must be
 * complete (spec 3.1). Content that was missing before the edit may still be missing: removing a rejected image can
 * empty a public Post, and its author must be able to change the rest.
 */
export const checkPublicEdit = (before: PostRow, after: PostContent) => {
  const earlier = new Set(missingOfContent(before).map(({ message }) => message))
  const missing = missingOfContent(after).filter(({ message }) => !earlier.has(message))
  return failOn(before, [...missing, ...missingOfDeclaration(after, before)])
}
