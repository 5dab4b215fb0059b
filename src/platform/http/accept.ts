import { remembered } from "../memory/remembered.ts"
import { weightsOf } from "./weights.ts"

/** Header texts whose meaning is kept. Clients send few different ones. */
const KNOWN_MAX = 256

/** Returns the weight of a media type: that of its own name, of its kind, or of any type. */
const weightOf = (members: ReadonlyMap<string, number>, type: string): number =>
  members.get(type) ?? members.get(type.replace(/\/.*/, "/*")) ?? members.get("*/*") ?? 0

const weights = remembered(weightsOf, KNOWN_MAX)

/**
 * Returns the media type that a client prefers to HTML; undefined for HTML. A type has to be named and to weigh more: what
 * accepts anything is a browser, a robot that makes previews, or curl.
 */
export const preferredToHtml = (
  accept: string | undefined,
  types: ReadonlyArray<string>
): string | undefined => {
  if (accept === undefined || types.length === 0) return undefined
  const members = weights(accept)
  const html = weightOf(members, "text/html")
  return types
    .filter((type) => members.has(type) && weightOf(members, type) > html)
    .toSorted((one, other) => weightOf(members, other) - weightOf(members, one))[0]
}

/** Returns true for a client that names HTML among the types that it accepts. */
export const namesHtml = (accept: string | undefined): boolean =>
  accept !== undefined && (weights(accept).get("text/html") ?? 0) > 0
