import { remembered } from "../memory/remembered.ts"
import type { Coding } from "../ports/AnswerBytes.ts"
import { weightsOf } from "./weights.ts"

/** Header texts whose meaning is kept. Clients send few different ones. */
const KNOWN_MAX = 256

/** The codings of this service, the smallest result first. */
const CODINGS = ["br", "gzip"] as const satisfies ReadonlyArray<Coding>

/** Returns the weight of a coding in an Accept-Encoding header: from 0, refused, to 1. */
const weightOf = (members: ReadonlyMap<string, number>, coding: Coding) =>
  members.get(coding) ?? (coding === "gzip" ? members.get("x-gzip") : undefined) ?? members.get("*") ?? 0

const chosen = (header: string): Coding | undefined => {
  const members = weightsOf(header)
  return CODINGS.filter((coding) => weightOf(members, coding) > 0).toSorted(
    (one, other) => weightOf(members, other) - weightOf(members, one)
  )[0]
}

const remember = remembered(chosen, KNOWN_MAX)

/** Returns the coding that a client prefers, from its Accept-Encoding header; undefined for the bytes as they are. */
export const codingFor = (header: string | undefined): Coding | undefined =>
  header === undefined ? undefined : remember(header)
