import type { Effect, Scope } from "effect"
import type { FormPart } from "../../publishing/uploads/multipart.ts"
import type { TestClient } from "../../support/TestClient.ts"
import type { Browser } from "../browser.ts"

/** An author who is signed in, with a name, a handle and a payout address. */
export interface DeskAuthor {
  readonly reader: Browser
  /** A Bearer token of a session of the same account. */
  readonly token: string
  /** A number of the account, from which a test makes names of its own. */
  readonly number: number
}

/** A request that a form sends. */
export interface FormRequest {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
  /** The file that was chosen in a form with a file. */
  readonly file?: FormPart
}

/** A form of the desk, as one test plays all of them. */
export interface DeskForm {
  /** Completes the sentence "The form to ... ". */
  readonly name: string
  /** Makes what the form is about, as this author, and returns what the browser sends when it is pressed. */
  readonly request: (author: DeskAuthor) => Effect.Effect<FormRequest, unknown, TestClient | Scope.Scope>
  /** A text that the author typed: every refusal shows it again. */
  readonly typed?: string
  /** True if the form acts with the Publishing key of the website. */
  readonly needsKey?: true
  /** A field with a revision that is no longer the last, for a form that says from which one it began. */
  readonly stale?: Readonly<Record<string, string>>
  /** True if the path or a field names a thing of the account, which does not exist for others. */
  readonly isOfOwn?: true
  /** True for a button that public pages have, too. Without a session it gets 200 with the sign-in. */
  readonly isOnPublicPages?: true
  /** True if the form exists for moderators alone: others get the 404 of a path that does not exist. */
  readonly isHidden?: true
  /** True if the same form sent again is refused, and not only without effect. */
  readonly isOnce?: true
}
