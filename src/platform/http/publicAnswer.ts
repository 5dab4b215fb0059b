import { Effect } from "effect"
import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import type { PublicJson } from "../sql/JsonText.ts"

/** Seconds that a cache may keep a public read. */
const MAX_AGE_SECONDS = 15

/** Returns true when an If-None-Match header names this ETag. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" ||
    ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag))

/**
 * Answers a public read, which caches keep briefly and may revalidate. An owner who sends a credential gets a private
 * answer (spec 4.6.8). Caches are therefore told that the two differ.
 */
export const publicAnswer = <E, R>(
  read: Effect.Effect<PublicJson<unknown>, E, R>,
  request: HttpServerRequest.HttpServerRequest
) =>
  Effect.zipWith(read, Viewer, (json, { ownerId }) => {
    const etag = `"${json.etag}"`
    const headers = {
      etag,
      vary: "Authorization",
      "cache-control": ownerId === null ? `public, max-age=${MAX_AGE_SECONDS}` : "private, no-store"
    }
    return isKnown(request.headers["if-none-match"], etag)
      ? HttpServerResponse.empty({ status: 304, headers })
      : HttpServerResponse.text(json.text, { contentType: "application/json", headers })
  })
