import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { PostContent } from "./content.ts"

/** What publishing asks of the owner. */
export interface PublisherState {
  readonly name: string
  readonly handle: string
  readonly payout_address: string | null
}

/** What publishing asks of a Post beside its content. */
export interface PublishedState extends PublisherState {
  readonly awaits_attachments: boolean
}

const required = (field: string, message: string): FieldError => ({ field, code: "required", message })

/** `name`, `handle` or both while they are still the ones that a new account starts with (specification 3.1). */
export const missingOfProfile = ({ handle, name }: PublisherState): ReadonlyArray<FieldError> => [
  ...(isReservedName(name) ? [required("name", "Choose a name before you publish")] : []),
  ...(isGeneratedHandle(handle) ? [required("handle", "Choose a handle before you publish")] : [])
]

/** Everything that a public Post needs and this one lacks (specification 3.1, 4.3.3). */
export const missingOfPost = (
  content: PostContent,
  { awaits_attachments, payout_address }: PublishedState
): ReadonlyArray<FieldError> => {
  const missing: Array<FieldError> = []
  if (content.title === "") missing.push(required("title", "A public Post has a title"))
  if (content.description === "") missing.push(required("description", "A public Post has a description"))
  if (content.free_content_markdown === null && content.paid_content_markdown === null) {
    missing.push(required("content", "A public Post has content"))
  }
  if (content.enable_paywall && content.price_raw === null) {
    missing.push(required("priceRaw", "A Post behind a paywall has a price"))
  }
  if (content.primary_category_id === null) {
    missing.push(required("primaryCategoryId", "A public Post has a primary category"))
  } else if (content.primary_category_id === content.secondary_category_id) {
    const message = "The secondary category differs from the primary one"
    missing.push({ field: "secondaryCategoryId", code: "mismatch", message })
  }
  if (content.creation_method === null) {
    missing.push(required("creationMethod", "Declare how the Post was produced"))
  }
  if (!content.creation_attested) {
    missing.push(required("creationAttested", "Attest that you reviewed the Post and answer for it"))
  }
  if (payout_address === null) {
    missing.push(required("payoutAddress", "Save a payout address, as readers can tip every Post"))
  }
  if (awaits_attachments) {
    missing.push(required("attachments", "Finish or cancel the uploads of files that were not received"))
  }
  return missing
}
