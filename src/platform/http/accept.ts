import Negotiator from "negotiator"
import type { Coding } from "../ports/AnswerBytes.ts"
import { remembered } from "../work/remembered.ts"

/** Number of Accept headers whose meaning is kept. Clients send few different ones. */
const KNOWN_MAX = 256

/**
 * Maximum number of characters that are read of an Accept header. The headers of clients are shorter, and long ones
 * take milliseconds.
 */
const HEADER_LENGTH_MAX = 1_024

/** The codings of this service by their names in headers, the smallest result first. */
const CODINGS: Readonly<Record<string, Coding>> = { br: "br", gzip: "gzip", "x-gzip": "gzip" }
const CODING_NAMES = Object.keys(CODINGS)

const readCoding = (header: string): Coding | undefined => {
  const read = new Negotiator({ headers: { "accept-encoding": header.slice(0, HEADER_LENGTH_MAX) } })
  return CODINGS[read.encoding(CODING_NAMES, { preferred: CODING_NAMES }) ?? ""]
}

const knownCoding = remembered(readCoding, KNOWN_MAX)

/** Returns the coding that a client prefers, from its Accept-Encoding header; undefined for the bytes as they are. */
export const codingFor = (header: string | undefined): Coding | undefined =>
  header === undefined ? undefined : knownCoding(header)

/** The names of HTML in an Accept header. The most specific one counts. */
const HTML_NAMES = ["text/html", "text/*", "*/*"]

/** The types of an Accept header, compared with HTML. */
interface Accepted {
  /** The types that weigh more than HTML, the heaviest first. */
  readonly aboveHtml: ReadonlyArray<string>
  readonly namesHtml: boolean
}

const nameOf = (member: string) => member.split(";", 1)[0]?.trim()

const read = (accept: string): Accepted => {
  const members = accept.slice(0, HEADER_LENGTH_MAX).toLowerCase().split(",")
  const html = HTML_NAMES.find((name) => members.some((member) => nameOf(member) === name))
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
