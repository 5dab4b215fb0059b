import { Effect, Option } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { TokenPair } from "../../../schemas/accounts/sessions/Session.ts"
import { type BrowserAuthority, CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { BrowserSessions } from "../../accounts/browser-sessions/BrowserSessions.ts"
import { FAMILY_LIFETIME_MILLIS } from "../../accounts/sessions/Sessions.ts"
import { makeCookies } from "../../platform/http/cookies.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { signInPath } from "./paths.ts"

type Response = HttpServerResponse.HttpServerResponse

const restricted = messagePage({
  title: "Your account is restricted",
  said: "Our moderators have restricted it, so you can't use it here."
})

/** Makes the reader of the cookie by which a browser is signed in. Only private pages use it. */
export const makeBrowser = Effect.gen(function* () {
  const { authenticate, end, open } = yield* BrowserSessions
  const { baseUrl } = yield* Site
  const count = yield* limiting
  const { page, seeOther } = yield* makePrivatePages
  const cookie = makeCookies(baseUrl)("pp", "/", FAMILY_LIFETIME_MILLIS / 1000)

  /** The owner who is signed in in this browser. */
  const owner = Effect.gen(function* () {
    const token = cookie.read(yield* HttpServerRequest.HttpServerRequest)
    return token === undefined ? Option.none() : yield* authenticate(token)
  })

  /** Counts a form of an owner as the API does. */
  const counted = (signedIn: BrowserAuthority) =>
    Effect.provideService(count("account"), CurrentOwner, signedIn)

  return {
    cookie,
    owner,
    counted,
    restricted: page(restricted, 403),
    /** The account that buys and reads in this browser; null for a reader without one, and for a restricted account. */
    reader: Effect.map(owner, (found) =>
      Option.isSome(found) && !found.value.isRestricted ? found.value.ownerId : null
    ),
    /** Acts for the owner who is signed in. Any other reader goes to the sign-in, and from there back to a path. */
    asOwner: <E, R>(back: string, act: (signedIn: BrowserAuthority) => Effect.Effect<Response, E, R>) =>
      Effect.gen(function* () {
        const found = yield* owner
        if (Option.isNone(found)) return seeOther(signInPath(back))
        if (found.value.isRestricted) return page(restricted, 403)
        yield* counted(found.value)
        return yield* act(found.value)
      }),
    /**
     * Signs this browser in, and redirects to a path. The session of its previous cookie ends, so no tab can use it.
     */
    signIn: Effect.fnUntraced(function* (pair: TokenPair, path: string) {
      const former = yield* owner
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const token = yield* open(pair, headers["user-agent"] ?? "")
      if (Option.isSome(former)) yield* Effect.orDie(end(former.value, former.value.sessionId))
      return cookie.set(token)(seeOther(path))
    })
  }
})
