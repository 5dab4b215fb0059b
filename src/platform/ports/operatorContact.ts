import { Effect } from "effect"
import { isEmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { Settings } from "./Settings.ts"

/** Pages of the operator that say how to write to them, the best one first. */
const PAGES = ["contact", "imprint"] as const

/** Reads how people reach the operator: a mail address or the URL of a page. Undefined for a site that names neither. */
export const operatorContact = Effect.gen(function* () {
  const { operatorContact, sitePages } = yield* Settings
  const origin = yield* PublicBaseUrl
  if (operatorContact !== undefined) return operatorContact
  const page = PAGES.find((name) => sitePages.some((it) => it.name === name))
  return page === undefined ? undefined : `${origin}/pages/${page}`
})

/** Returns the URL that a link to the operator has. */
export const contactUrlOf = (contact: string): string =>
  isEmailAddress(contact) ? `mailto:${encodeURIComponent(contact).replaceAll("%40", "@")}` : contact

/** Says how to object to a decision. Without a contact, only the operator's other pages can say that. */
export const objection = (contact: string | undefined): string =>
  contact === undefined
    ? "If you think this is a mistake, contact the people who run this site."
    : `If you think this is a mistake, write to the people who run this site: ${contact}`

/** Returns the detail of a refusal that follows from a decision: what was decided, the reason, and how to object. */
export const refusalText = (decision: string, reason: string | null, contact: string | undefined): string =>
  `${decision}${reason === null ? "" : ` The reason: “${reason}”.`} ${objection(contact)}`
