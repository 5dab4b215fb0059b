import Negotiator from "negotiator"
import { remembered } from "../memory/remembered.ts"
import type { Coding } from "../ports/AnswerBytes.ts"
import { HEADER_LENGTH_MAX, KNOWN_MAX } from "./acceptBounds.ts"

/** The codings of this service by their names in headers, the smallest result first. */
const CODINGS: Readonly<Record<string, Coding>> = { br: "br", gzip: "gzip", "x-gzip": "gzip" }
const NAMES = Object.keys(CODINGS)

const chosen = (header: string): Coding | undefined => {
  const read = new Negotiator({ headers: { "accept-encoding": header.slice(0, HEADER_LENGTH_MAX) } })
  return CODINGS[read.encoding(NAMES, { preferred: NAMES }) ?? ""]
}

const remember = remembered(chosen, KNOWN_MAX)

/** Returns the coding that a client prefers, from its Accept-Encoding header; undefined for the bytes as they are. */
export const codingFor = (header: string | undefined): Coding | undefined =>
  header === undefined ? undefined : remember(header)
