import { type Html, html } from "../../../platform/pages/html.ts"
import { contactUrlOf, objection } from "../../../platform/ports/operatorContact.ts"

/** Says how to object to a decision, with a link to the operator. */
export const objectionTo = (contact: string | undefined): Html => {
  const said = objection(contact)
  if (contact === undefined) return html`${said}`
  return html`${said.slice(0, -contact.length)}<a href="${contactUrlOf(contact)}"><bdi>${contact}</bdi></a>`
}
