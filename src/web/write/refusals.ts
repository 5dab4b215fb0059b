import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { DESK, signInPath } from "../browser/paths.ts"
import { type Refused, refusedOf } from "./postForm.ts"

/**
 * The outcome of a form of a post, as a code. The script of the page decides by it:
 * - `saved`: the service has all that the form shows.
 * - `unsaved`: the form shows more, such as a picture in the text.
 * - `conflict`: another version was saved elsewhere.
 * - `refused`: a field is wrong, so the same text is refused again.
 * - `session`, `account`, `key`: the author must sign in, change the account, or make another key.
 * - `missing`: the post does not exist any more.
 * - `repeat`: only another press saves the text, as another draft.
 * - `limited`: the author reached a limit for now.
 * - `blocked`: the rules of the service forbid it for now.
 */
export type Outcome =
  | "saved"
  | "unsaved"
  | "conflict"
  | "refused"
  | "session"
  | "account"
  | "key"
  | "missing"
  | "repeat"
  | "limited"
  | "blocked"

/** The outcome and the words of a refused form. */
export interface Refusal {
  readonly outcome: Outcome
  readonly status: number
  readonly refused: ReadonlyArray<Refused>
  readonly told: Told | null
}

/** A sentence about what happened, and where an author solves what keeps the text from being saved. */
export interface Told {
  readonly said: string
  readonly link?: { readonly path: string; readonly name: string }
  /** The address of a public post that was saved. */
  readonly url?: string
}

/** The sentence for an author whose session ended while they wrote. */
export const SIGNED_OUT: Told = {
  said: "You are signed out. What you wrote is still here.",
  link: { path: signInPath(DESK), name: "Sign in in a new tab" }
}

/** The sentence for an author who signed in with another account while they wrote. */
export const OTHER_ACCOUNT: Told = {
  said: "Nothing has been saved yet: you're signed in to a different account from the one that started this text.",
  link: { path: "/sign-out", name: "Switch accounts in a new tab" }
}

/** The sentence for an author whose post was deleted while they wrote. */
export const NO_POST: Told = { said: "This post no longer exists. What you wrote is still here." }

/** The sentence for an author who removes a picture that the post does not have. */
export const NO_PICTURE: Told = { said: "This post no longer has that picture." }

/** Sentences for an author who wrote while the website lost its key. */
export const NO_KEY: Readonly<Record<"limit" | "revoked", Told>> = {
  limit: {
    said: "Nothing has been saved yet: you have five Publishing keys, and the website needs its own.",
    link: { path: "/write", name: "Make room in a new tab" }
  },
  revoked: {
    said: "Nothing has been saved yet: you revoked the website's key.",
    link: { path: "/write", name: "Make another one in a new tab" }
  }
}

const said: Readonly<Record<string, string>> = {
  IdempotencyMismatch:
    "An earlier version of this text is already among your drafts. Save again to keep this one as another draft.",
  ResourceGone: "You deleted the draft that this form made. Save again to make a new one.",
  IdempotencyKeySpent: "You did this before, and then undid it. Press the button again.",
  RateLimited: "You've made too many drafts today. Try again later. What you wrote is still here.",
  StorageQuotaReached: "Your account has no space left. Delete drafts or pictures that you no longer need.",
  PostPublished:
    "This post is published. You can't change its address, and you can only delete it once it's a draft again.",
  PostHasPurchases: "Readers bought this post, so you can't delete it. They can still read it.",
  FinancialHistoryRetained: "There are payments for this draft, so you can't delete it.",
  PostWithdrawn: "Moderators took this post off the site. It stays a draft until they restore it.",
  AccountRestricted: "Moderators have restricted your account."
}

/** Pages that say more about an error. */
const links: Readonly<Record<string, NonNullable<Told["link"]>>> = {
  PostWithdrawn: { path: "/desk/notifications?all", name: "Read why in a new tab" }
}

/** A press of the same button then makes a new request. */
const NEW_KEY = new Set(["IdempotencyMismatch", "ResourceGone", "IdempotencyKeySpent"])

const outcomeOf = (tag: string): Pick<Refusal, "outcome" | "status"> => {
  if (tag === "Validation") return { outcome: "refused", status: 422 }
  if (tag === "RateLimited") return { outcome: "limited", status: 429 }
  return { outcome: NEW_KEY.has(tag) ? "repeat" : "blocked", status: 409 }
}

/**
 * Returns the outcome and the words for an error of the services that save and publish posts. `price` is the text in the
 * field of a price, if the form has one.
 */
export const refusalOf = (
  error: {
    readonly _tag: string
    readonly detail?: string | undefined
    readonly errors?: ReadonlyArray<FieldError> | undefined
  },
  price = ""
): Refusal => {
  const { _tag: tag, detail, errors = [] } = error
  const sentence = said[tag] ?? (errors.length === 0 ? (detail ?? "This cannot be saved.") : null)
  const link = links[tag]
  const told = sentence === null ? null : { said: sentence, ...(link === undefined ? {} : { link }) }
  return { ...outcomeOf(tag), refused: refusedOf(errors, price), told }
}
