import { Redacted } from "effect"

/** Kinds of credential that an operation may expect. */
export type Expected = "access token" | "Publishing key" | "either" | "viewer"

type Came = "none" | "access token" | "Publishing key" | "refresh token" | "unknown"

const wanted: Readonly<Record<Expected, string>> = {
  "access token": "Send the access token of an owner session.",
  "Publishing key": "Send a Publishing key, which POST /api/v1/api-keys issues.",
  either: "Send the access token of an owner session, or a Publishing key.",
  viewer: "Send the access token of an owner session, or leave the header out to read without a credential."
}

const invalid = {
  "access token":
    "The access token is invalid or expired, or its session has ended. Call POST /api/v1/auth/refresh with the refresh token, or sign in again.",
  "Publishing key":
    "The Publishing key is wrong, expired or revoked. Issue another one with POST /api/v1/api-keys."
} as const

/** The kinds that an operation takes. */
const takes: Readonly<Record<Expected, ReadonlyArray<Came>>> = {
  "access token": ["access token"],
  "Publishing key": ["Publishing key"],
  either: ["access token", "Publishing key"],
  viewer: ["access token", "Publishing key"]
}

/** Returns the kind of a credential, judged only by its form. */
const kindOf = (credential: string): Came => {
  if (credential === "") return "none"
  if (credential.startsWith("ppk_")) return "Publishing key"
  if (/^pp[we]_/.test(credential)) return "refresh token"
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential) ? "access token" : "unknown"
}

/**
 * Returns the sentence of a 401: the kind of credential that was sent, the kind that the operation expects, and the
 * next step. It tells a client that refreshes its session on each 401 when a refresh does not help.
 */
export const refusalOf = (expected: Expected, credential: Redacted.Redacted | undefined): string => {
  const came = kindOf(credential === undefined ? "" : Redacted.value(credential))
  if (came === "none") return `The request has no "Authorization: Bearer" header. ${wanted[expected]}`
  if (came === "unknown") return `The credential has an unknown format. ${wanted[expected]}`
  if (came !== "refresh token" && takes[expected].includes(came)) return invalid[came]
  const article = came === "access token" ? "An" : "A"
  return `${article} ${came} was sent, which this operation does not accept. ${wanted[expected]}`
}
