import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { BrowserSessions } from "../../accounts/browser-sessions/BrowserSessions.ts"
import { FAMILY_LIFETIME_MILLIS } from "../../accounts/sessions/Sessions.ts"
import { makeCookies } from "../../platform/http/cookies.ts"
import { Site } from "../../platform/pages/Site.ts"

/** Makes the reader of the cookie by which a browser is signed in. Pages for one reader alone use it. */
export const makeBrowser = Effect.gen(function* () {
  const { authenticate } = yield* BrowserSessions
  const { baseUrl } = yield* Site
  const cookie = makeCookies(baseUrl)("pennypress", "/", FAMILY_LIFETIME_MILLIS / 1000)

  /** The owner who is signed in in this browser. */
  const owner = Effect.gen(function* () {
    const token = cookie.read(yield* HttpServerRequest.HttpServerRequest)
    return token === undefined ? Option.none() : yield* authenticate(token)
  })

  return {
    cookie,
    owner,
    /** The account that buys and reads in this browser; null for a reader without one, and for a restricted account. */
    reader: Effect.map(owner, (found) =>
      Option.isSome(found) && !found.value.isRestricted ? found.value.ownerId : null
    )
  }
})
