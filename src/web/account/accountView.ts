import type { ApiKey } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import type { OwnerMe } from "../../../schemas/accounts/me/Me.ts"
import type { Html } from "../../platform/pages/html.ts"

/** A field that was refused, with the text that was typed into it. */
interface Refused {
  readonly control: "address" | "label" | "email" | "code" | "account"
  readonly sentence: string
  readonly typed: string
}

/** A browser in which the owner is signed in. */
interface SignedIn {
  readonly id: string
  readonly label: string
  readonly since: string
  readonly isThis: boolean
}

/** An active Publishing key, or one that has ended. */
export interface KeyView {
  readonly apiKey: ApiKey
  readonly isActive: boolean
  /** True for the key that the website holds. */
  readonly isWebsite: boolean
  /** Posts that wait for their publication, and end with the key. */
  readonly scheduled: number
}

/** The content of the page of an account. */
export interface AccountView {
  readonly me: OwnerMe
  /** The payout addresses before this one, newest first. */
  readonly pastAddresses: ReadonlyArray<{ readonly address: string; readonly until: string | null }>
  /** The address that waits for its code. */
  readonly pendingEmail: string | null
  /** Oldest first. */
  readonly keys: ReadonlyArray<KeyView>
  readonly browsers: ReadonlyArray<SignedIn>
  /** Names the key that the form makes, so that it is made only once. */
  readonly key: string
  /** A sentence about what happened; it has the focus. */
  readonly told: Html | string | null
  readonly refused: Refused | null
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

/** Returns the reason for which a field was refused, and the text that it shows. */
export const stateOf = ({ refused }: AccountView, control: Refused["control"], otherwise = "") =>
  refused?.control === control
    ? { wrong: refused.sentence, value: refused.typed }
    : { wrong: undefined, value: otherwise }
