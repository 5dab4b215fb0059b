import { Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** A cookie of one path. */
export interface OwnCookie {
  /** Returns the value that a request shows; undefined without one. */
  readonly read: (request: HttpServerRequest.HttpServerRequest) => Redacted.Redacted | undefined
  readonly set: (
    value: Redacted.Redacted
  ) => (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
  readonly clear: (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
}

/**
 * Adds the prefix by which browsers keep other sites and paths from setting the cookie, as far as the path allows it.
 */
const prefixedName = (name: string, path: string, isSecure: boolean) =>
  isSecure ? `${path === "/" ? "__Host-" : "__Secure-"}${name}` : name

/** Makes cookies that scripts cannot read, and that browsers do not send with the forms of other sites. */
export const makeCookies =
  (baseUrl: string) =>
  (name: string, path: string, maxAgeSeconds: number): OwnCookie => {
    const isSecure = baseUrl.startsWith("https:")
    const fullName = prefixedName(name, path, isSecure)
    const options = { path, httpOnly: true, secure: isSecure, sameSite: "lax" } as const
    return {
      read: ({ cookies }) => {
        const value = cookies[fullName]
        return value === undefined || value === "" ? undefined : Redacted.make(value)
      },
      set: (value) =>
        HttpServerResponse.setCookieUnsafe(fullName, Redacted.value(value), {
          ...options,
          maxAge: `${maxAgeSeconds} seconds`
        }),
      clear: HttpServerResponse.setCookieUnsafe(fullName, "", { ...options, maxAge: 0 })
    }
  }
