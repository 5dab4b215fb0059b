import Negotiator from "negotiator"
import { remembered } from "../memory/remembered.ts"
import { HEADER_LENGTH_MAX, KNOWN_MAX } from "./acceptBounds.ts"

/** The names of HTML in an Accept header. The most specific one counts. */
const NAMES = ["text/html", "text/*", "*/*"]

/** The types of an Accept header, compared with HTML. */
interface Accepted {
  /** The types that weigh more than HTML, the heaviest first. */
  readonly aboveHtml: ReadonlyArray<string>
  readonly namesHtml: boolean
}

const nameOf = (member: string) => member.split(";", 1)[0]?.trim()

const read = (accept: string): Accepted => {
  const members = accept.slice(0, HEADER_LENGTH_MAX).toLowerCase().split(",")
  const html = NAMES.find((name) => members.some((member) => nameOf(member) === name))
  // Among equal types the first one wins, and that should be HTML.
  const first = members.toSorted(
    (one, other) => Number(nameOf(other) === html) - Number(nameOf(one) === html)
  )
  const types = new Negotiator({ headers: { accept: first.join(",") } }).mediaTypes()
  const end = html === undefined ? -1 : types.indexOf(html)
  return { aboveHtml: end === -1 ? types : types.slice(0, end), namesHtml: types.includes("text/html") }
}

const accepted = remembered(read, KNOWN_MAX)

/**
 * Returns the media type that a client prefers to HTML; undefined for HTML. The client has to name the type and to give
 * it more weight: clients that accept anything are browsers, robots that make previews, or curl.
 */
export const preferredToHtml = (
  accept: string | undefined,
  types: ReadonlyArray<string>
): string | undefined =>
  accept === undefined || types.length === 0
    ? undefined
    : accepted(accept).aboveHtml.find((type) => types.includes(type))

/** Returns true for a client that names HTML among the types that it accepts. */
export const namesHtml = (accept: string | undefined): boolean =>
  accept !== undefined && accepted(accept).namesHtml
