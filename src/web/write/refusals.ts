import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { DESK, signInPath } from "../browser/paths.ts"
import { type Refused, refusedOf } from "./postForm.ts"

/** The words of a refused form. */
export interface Refusal {
  readonly status: number
  readonly refused: ReadonlyArray<Refused>
  readonly told: Told | null
  /** True if the next press makes something new. */
  readonly isNewKey: boolean
}

/** A sentence about what happened, and where an author solves what keeps the text from being saved. */
export interface Told {
  readonly said: string
  readonly link?: { readonly path: string; readonly name: string }
}

/** The sentence for an author whose session ended while they wrote. */
export const SIGNED_OUT: Told = {
  said: "You are signed out. What you wrote is still here.",
  link: { path: signInPath(DESK), name: "Sign in in a new tab" }
}

/** The sentence for an author who signed in with another account while they wrote. */
export const OTHER_ACCOUNT: Told = {
  said: "Nothing was saved yet: you are signed in with another account than the one that began this text.",
  link: { path: "/sign-out", name: "Change the account in a new tab" }
}

/** Sentences for an author who wrote while the website lost its key. */
export const NO_KEY: Readonly<Record<"limit" | "revoked", Told>> = {
  limit: {
    said: "Nothing was saved yet: you have five Publishing keys, and the website needs one of its own.",
    link: { path: "/write", name: "Make room in a new tab" }
  },
  revoked: {
    said: "Nothing was saved yet: you revoked the key of the website.",
    link: { path: "/write", name: "Make another one in a new tab" }
  }
}

const said: Readonly<Record<string, string>> = {
  IdempotencyMismatch:
    "An earlier version of this text is already among your drafts. Save again to keep this one as another draft.",
  ResourceGone: "You deleted the draft that this form made. Save again to make a new one.",
  IdempotencyKeySpent: "This was done before, and then undone. Press the button again.",
  RateLimited: "You have made many drafts today. Try again later; what you wrote is still here.",
  StorageQuotaReached: "Your account has no space left. Delete drafts or pictures that you no longer need.",
  PostPublished: "This post is published. Its address stays, and it is deleted only as a draft.",
  PostHasPurchases: "Readers bought this post, so it cannot be deleted. They keep reading it.",
  FinancialHistoryRetained: "Payments belong to this draft, so it cannot be deleted.",
  PostWithdrawn: "Moderators took this post off the site. It stays a draft until they restore it.",
  AccountRestricted: "Moderators have restricted your account."
}

/** A press of the same button then makes a new request. */
const NEW_KEY = new Set(["IdempotencyMismatch", "ResourceGone", "IdempotencyKeySpent"])

/** Returns the words for an error of the services that save and publish posts. */
export const refusalOf = (error: {
  readonly _tag: string
  readonly detail?: string | undefined
  readonly errors?: ReadonlyArray<FieldError> | undefined
}): Refusal => {
  const { _tag: tag, detail, errors = [] } = error
  const sentence = said[tag] ?? (errors.length === 0 ? (detail ?? "This cannot be saved.") : null)
  const status = tag === "Validation" ? 422 : tag === "RateLimited" ? 429 : 409
  const told = sentence === null ? null : { said: sentence }
  return { status, refused: refusedOf(errors), told, isNewKey: NEW_KEY.has(tag) }
}
