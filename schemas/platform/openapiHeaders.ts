/** Headers of many answers, described once. */
export const components = {
  ETag: {
    description: "Names this answer; If-None-Match asks whether it is still the current one",
    schema: { type: "string" }
  },
  "Cache-Control": {
    description:
      "`public, max-age=15, stale-while-revalidate=15, stale-if-error=300` for an anonymous read (`max-age=300` for related Posts), `private, no-store` for one with an owner session",
    schema: { type: "string" }
  },
  Vary: { description: "Caches keep one answer for each Authorization", schema: { type: "string" } },
  "Accept-Ranges": {
    description: "The file can be requested in parts",
    schema: { type: "string", const: "bytes" }
  },
  "Content-Disposition": {
    description: "The name of the file, in ASCII and in UTF-8 (RFC 6266)",
    schema: { type: "string" }
  },
  "Content-Range": {
    description: "The bytes of the answer and of the whole file; in a 416, those of the file alone",
    schema: { type: "string", examples: ["bytes 0-99/5120"] }
  },
  "Repr-Digest": { description: "The SHA-256 of the whole file (RFC 9530)", schema: { type: "string" } },
  "X-Purchase-Receipt": {
    description:
      "The receipt of the payment or the gift token of this request: it reads the Post and its files from now on. Keep it as a secret",
    schema: { type: "string" }
  },
  "Payment-Required": {
    description: "The terms of the payment: base64 of the members `x402Version` to `extensions` of the body",
    schema: { type: "string" }
  },
  "Payment-Response": {
    description:
      "The outcome of the payment of this request, in base64 of its JSON; absent without a payment",
    schema: { type: "string" }
  },
  "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } },
  "RateLimit-Policy": {
    description:
      "The limits that the request was counted against: name, quota (q) and window in seconds (w), as draft-ietf-httpapi-ratelimit-headers has it",
    schema: { type: "string", examples: ['"sign-in";q=60;w=60'] }
  },
  RateLimit: {
    description:
      "For each limit: name, remaining quota (r), and seconds until the whole quota is available again (t)",
    schema: { type: "string", examples: ['"sign-in";r=59;t=1'] }
  }
}

/** References to these descriptions, by the names of the headers. */
export const refs = (...names: ReadonlyArray<keyof typeof components>) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Headers of answers that count against a rate limit. */
export const limitHeaders = refs("RateLimit-Policy", "RateLimit")

/** Headers that the service adds by status to every operation. */
export const headersByStatus: Readonly<Record<string, Record<string, object>>> = {
  "401": { "WWW-Authenticate": { schema: { type: "string", const: "Bearer" } } },
  "429": { ...refs("Retry-After"), ...limitHeaders },
  "503": refs("Retry-After")
}

/** The part of an operation that has headers. */
interface WithHeaders {
  readonly parameters: ReadonlyArray<{ name: string; readonly in: string }>
  readonly responses: Readonly<Record<string, { headers?: Record<string, unknown> }>>
}

/** Headers are not sensitive to case; documents spell them as the RFCs do. */
const canonical = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/(^|-)([a-z])/g, (_, dash: string, first: string) => dash + first.toUpperCase())

/** Spells the headers of an operation. */
export const nameHeaders = ({ parameters, responses }: WithHeaders): void => {
  for (const parameter of parameters) {
    if (parameter.in === "header") parameter.name = canonical(parameter.name)
  }
  for (const response of Object.values(responses)) {
    if (response.headers === undefined) continue
    const headers = Object.entries(response.headers)
    response.headers = Object.fromEntries(
      headers.map(([name, header]) => [name in components ? name : canonical(name), header])
    )
  }
}

/** Adds the headers by which payers learn the terms and the outcome of a payment to every answer. */
export const describePayment = (isPaid: boolean, { responses }: Pick<WithHeaders, "responses">): void => {
  if (!isPaid) return
  for (const [status, response] of Object.entries(responses)) {
    const terms = status === "402" ? refs("Payment-Required") : {}
    response.headers = { ...response.headers, ...terms, ...refs("Payment-Response") }
  }
}

/** The header of every answer. */
export const requestId = {
  "X-Request-Id": {
    description: "Names the request in the service's logs; a valid one that the caller sends is kept",
    schema: { type: "string" }
  }
}
