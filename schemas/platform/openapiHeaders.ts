/** Headers of many answers, described once. */
export const components = {
  ETag: {
    description: "Names this answer; If-None-Match asks whether it is still the current one",
    schema: { type: "string" }
  },
  "Cache-Control": {
    description:
      "`public, max-age=15` for an anonymous read (300 for related Posts), `private, no-store` for one with an owner session",
    schema: { type: "string" }
  },
  Vary: { description: "Caches keep one answer for each Authorization", schema: { type: "string" } },
  "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } },
  "RateLimit-Policy": {
    description:
      "The limits that the request was counted against: name, quota (q) and window in seconds (w), as draft-ietf-httpapi-ratelimit-headers has it",
    schema: { type: "string", examples: ['"sign-in";q=60;w=60'] }
  },
  RateLimit: {
    description:
      "Of each limit: name, what remains of the quota (r), and seconds until all of it is there again (t)",
    schema: { type: "string", examples: ['"sign-in";r=59;t=1'] }
  }
}

/** References to these descriptions, by the names of the headers. */
export const refs = (...names: ReadonlyArray<keyof typeof components>) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Headers of answers that count against a rate limit. */
export const limitHeaders = refs("RateLimit-Policy", "RateLimit")

/** Headers that the service adds by status, whatever the operation. */
export const headersByStatus: Readonly<Record<string, Record<string, object>>> = {
  "401": { "WWW-Authenticate": { schema: { type: "string", const: "Bearer" } } },
  "429": { ...refs("Retry-After"), ...limitHeaders },
  "503": refs("Retry-After")
}

/** The header of every answer. */
export const requestId = {
  "X-Request-Id": {
    description: "Names the request in the service's logs; a valid one that the caller sends is kept",
    schema: { type: "string" }
  }
}
