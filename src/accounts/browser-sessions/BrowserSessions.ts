import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { TokenPair } from "../../../schemas/accounts/sessions/Session.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { BrowserAuthority, type OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { hashOf, Secrets } from "../../platform/secrets/Secrets.ts"
import { now } from "../../platform/time/now.ts"
import { WebsiteKeys } from "../api-keys/WebsiteKeys.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { browserLabel } from "./browserLabel.ts"
import { type BrowserSessionRow, browserSessionStatements } from "./browserSessions.sql.ts"

/** The name of the cookie with the token of a browser, without a prefix. Only private pages act on it. */
export const BROWSER_COOKIE = "pp"

/** The form of the token of a browser: a prefix, and what `secrets.token` makes. */
export const BROWSER_TOKEN = /ppb_[0-9A-Za-z]{43}/

/**
 * Sessions of browsers. Each stands for a session that a code or a signature opened, and ends with it. Its token is a
 * cookie that only pages read: no operation of the API accepts it (spec 5.3, 5.4).
 */
export class BrowserSessions extends Context.Service<
  BrowserSessions,
  {
    /**
     * Makes the token of a browser for a session that was opened just now. The session's tokens for the API are
     * discarded.
     */
    readonly open: (pair: TokenPair, userAgent: string) => Effect.Effect<Redacted.Redacted>
    readonly authenticate: (token: Redacted.Redacted) => Effect.Effect<Option.Option<BrowserAuthority>>
    /**
     * Returns the owner whose session this token stood for, also after its end. It proves nothing: its reader has to sign
     * in again.
     */
    readonly formerOwnerOf: (token: Redacted.Redacted) => Effect.Effect<Option.Option<OwnerId>>
    /** Returns the browsers in which the owner is signed in, newest first. */
    readonly list: (owner: OwnerAuthority) => Effect.Effect<ReadonlyArray<BrowserSessionRow>>
    /**
     * Ends one of the owner's browser sessions, and the key of the website with the last. Safe to repeat. Fails for the
     * id of another owner's session.
     */
    readonly end: (owner: OwnerAuthority, id: SessionId) => Effect.Effect<void, NotFound>
    /** Ends all browser sessions of the owner except this one. Safe to repeat. */
    readonly endOthers: (browser: BrowserAuthority) => Effect.Effect<void>
  }
>()("pennypress/accounts/browser-sessions/BrowserSessions") {
  static readonly layer = Layer.effect(
    BrowserSessions,
    Effect.gen(function* () {
      const browsers = yield* browserSessionStatements
      const sessions = yield* Sessions
      const websiteKeys = yield* WebsiteKeys
      const secrets = yield* Secrets

      return BrowserSessions.of({
        open: Effect.fn("BrowserSessions.open")(function* ({ accessToken }, userAgent) {
          const owner = yield* sessions.authenticate(Redacted.make(accessToken))
          if (Option.isNone(owner)) return yield* Effect.die(new Error("A session ended while it was opened"))
          const token = Redacted.make(`ppb_${yield* secrets.token}`)
          yield* browsers.insert({
            session_id: owner.value.sessionId,
            token_hash: hashOf(token),
            label: browserLabel(userAgent),
            created_at: yield* now
          })
          return token
        }),

        authenticate: Effect.fn("BrowserSessions.authenticate")(function* (token) {
          const found = yield* browsers.find(hashOf(token))
          if (Option.isNone(found)) return Option.none()
          const { is_moderator: isModerator, session_id } = found.value
          return Option.map(yield* sessions.authorityOf(session_id), (owner) =>
            BrowserAuthority.make({ ...owner, isModerator })
          )
        }),

        formerOwnerOf: Effect.fn("BrowserSessions.formerOwnerOf")((token) =>
          Effect.map(
            browsers.ownerOf(hashOf(token)),
            Option.map(({ owner_id }) => owner_id)
          )
        ),

        list: Effect.fn("BrowserSessions.list")(function* ({ ownerId }) {
          return yield* browsers.live(ownerId, yield* now)
        }),

        end: Effect.fn("BrowserSessions.end")(function* (owner, id) {
          if (!(yield* browsers.isOwn(owner.ownerId, id))) return yield* new NotFound()
          yield* sessions.end(id)
          yield* websiteKeys.expire(owner.ownerId)
        }),

        endOthers: sessions.endOtherBrowsers
      })
    })
  )
}
