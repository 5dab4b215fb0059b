import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { type LoggedOut, SessionExpired, type TokenPair } from "../../../schemas/accounts/sessions/Session.ts"
import { type OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { type BrowserAuthority, OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { AccessTokens, type AccessClaims } from "../../platform/ports/AccessTokens.ts"
import { Sealer } from "../../platform/ports/Sealer.ts"
import { hashOf, Secrets } from "../../platform/secrets/Secrets.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import type { VerifiedMailbox } from "../email-codes/VerifiedMailbox.ts"
import { countOpened, countRefresh } from "./metrics.ts"
import { type RefreshRow, sessionStatements } from "./sessions.sql.ts"

/** A refresh family ends this long after its login, however often it is rotated (spec 8). */
export const FAMILY_LIFETIME_MILLIS = 30 * DAY_MILLIS
/** For this long, to the millisecond, an exact retry with the previous token returns the same pair (spec 3.5). */
const RETRY_WINDOW_MILLIS = 10_000

const prefixes = { nano: "ppw_", email: "ppe_" } as const

/** Owner sessions: who an access token belongs to, and how its pair is renewed (spec 3.5, 5). */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** A new refresh token; only its hash is ever stored. */
    readonly newRefreshToken: (method: AccessClaims["method"]) => Effect.Effect<Redacted.Redacted>
    readonly pairOf: (claims: AccessClaims, refreshToken: Redacted.Redacted) => Effect.Effect<TokenPair>
    /** Opens an e-mail session of the owner of a mailbox, for a caller who reads its mail. */
    readonly open: (owner: OwnerId, proof: VerifiedMailbox) => Effect.Effect<TokenPair>
    /**
     * Replaces both tokens of the calling session, as a refresh does; none if it has ended. The former refresh token
     * still returns the same pair for ten seconds.
     */
    readonly replace: (owner: OwnerAuthority) => Effect.Effect<Option.Option<TokenPair>>
    /** Returns true while the refresh token of a pair is the current one of a live session. */
    readonly isCurrent: (pair: TokenPair) => Effect.Effect<boolean>
    /** Returns the authority of an access token whose session has not ended. */
    readonly authenticate: (accessToken: Redacted.Redacted) => Effect.Effect<Option.Option<OwnerAuthority>>
    /** Returns the authority of a session that has not ended. The caller has checked a secret that stands for it. */
    readonly authorityOf: (id: SessionId) => Effect.Effect<Option.Option<OwnerAuthority>>
    /**
     * Returns the viewer of a public read. For an e-mail session only the signature decides, because the token gives no
     * access.
     */
    readonly viewerOf: (accessToken: Redacted.Redacted) => Effect.Effect<Option.Option<OwnerId>>
    /** Replaces both tokens together; a reused token ends its family. */
    readonly refresh: (refreshToken: Redacted.Redacted) => Effect.Effect<TokenPair, SessionExpired>
    /** Ends the calling session and no other. */
    readonly logout: (owner: OwnerAuthority) => Effect.Effect<LoggedOut>
    /** Ends a session. The caller has checked its owner. */
    readonly end: (id: SessionId) => Effect.Effect<void>
    /** Ends all sessions of browsers of an owner except this one. Sessions of programs stay. */
    readonly endOtherBrowsers: (browser: BrowserAuthority) => Effect.Effect<void>
    /**
     * Deletes what no request can use any longer: replacement pairs after their ten seconds, sessions after their end.
     */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/accounts/sessions/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const sessions = yield* sessionStatements
      const accessTokens = yield* AccessTokens
      const sealer = yield* Sealer
      const secrets = yield* Secrets
      const random = yield* SecureRandom.SecureRandom

      const newRefreshToken = (method: AccessClaims["method"]) =>
        Effect.map(secrets.token, (token) => Redacted.make(`${prefixes[method]}${token}`))

      const pairOf = (claims: AccessClaims, refreshToken: Redacted.Redacted) =>
        Effect.map(accessTokens.sign(claims), (accessToken) => ({
          accessToken,
          refreshToken: Redacted.value(refreshToken)
        }))

      const findLive = (id: SessionId) => Effect.flatMap(now, (at) => sessions.findLive(id, at))

      /** Returns the same pair again, for a client whose response was lost; anything else is reuse. */
      const retry = Effect.fnUntraced(function* (row: RefreshRow, at: Date) {
        const age = row.rotated_at === null ? Infinity : at.getTime() - row.rotated_at.getTime()
        if (age <= RETRY_WINDOW_MILLIS && row.replacement_is_current && row.sealed_replacement !== null) {
          const pair = yield* sealer.open(row.sealed_replacement)
          if (Option.isSome(pair)) {
            yield* countRefresh("retried")
            return JSON.parse(pair.value) as TokenPair
          }
        }
        yield* countRefresh("reused")
        const ended = yield* sessions.revoke(row.session_id, at)
        if (ended) {
          yield* Effect.logWarning("A refresh token was reused: its session is revoked").pipe(
            Effect.annotateLogs({ session: row.session_id, owner: row.owner_id })
          )
        }
        return yield* new SessionExpired()
      })

      const refused = Effect.andThen(countRefresh("refused"), Effect.fail(new SessionExpired()))

      const refresh = Effect.fn("Sessions.refresh")(function* (refreshToken: Redacted.Redacted) {
        const tokenHash = hashOf(refreshToken)
        const at = yield* now
        const found = yield* sessions.findToken(tokenHash)
        if (Option.isNone(found)) return yield* refused
        const row = found.value
        if (row.revoked_at !== null || row.expires_at <= at) return yield* refused
        if (row.rotated_at !== null) return yield* retry(row, at)

        const replacement = yield* newRefreshToken(row.method)
        const pair = yield* pairOf(
          { ownerId: row.owner_id, sessionId: row.session_id, method: row.method },
          replacement
        )
        const rotated = yield* sessions.rotate({
          tokenHash,
          replacementHash: hashOf(replacement),
          sealedReplacement: yield* sealer.seal(JSON.stringify(pair)),
          at
        })
        if (rotated) {
          yield* countRefresh("rotated")
          return pair
        }
        // Another request was first. Its pair is also the answer to this one, if the session has not ended.
        const again = yield* sessions.findToken(tokenHash)
        if (Option.isNone(again) || again.value.revoked_at !== null) return yield* refused
        return yield* retry(again.value, at)
      })

      return Sessions.of({
        newRefreshToken,
        pairOf,

        open: Effect.fn("Sessions.open")(function* (ownerId) {
          const at = yield* now
          const sessionId = SessionId.make(yield* random.uuidV7())
          const refreshToken = yield* newRefreshToken("email")
          yield* sessions.open({
            id: sessionId,
            owner_id: ownerId,
            method: "email",
            at,
            expires_at: later(at, FAMILY_LIFETIME_MILLIS),
            token_hash: hashOf(refreshToken)
          })
          yield* countOpened("email")
          return yield* pairOf({ ownerId, sessionId, method: "email" }, refreshToken)
        }),

        replace: Effect.fn("Sessions.replace")(function* (owner) {
          const replacement = yield* newRefreshToken(owner.method)
          const pair = yield* pairOf(owner, replacement)
          const rotate = sessions.rotateCurrent({
            sessionId: owner.sessionId,
            replacementHash: hashOf(replacement),
            sealedReplacement: yield* sealer.seal(JSON.stringify(pair)),
            at: yield* now
          })
          // A refresh that comes in between makes another token the current one.
          const isReplaced = (yield* rotate) || (yield* rotate)
          return isReplaced ? Option.some(pair) : Option.none()
        }),

        isCurrent: Effect.fn("Sessions.isCurrent")(function* ({ refreshToken }) {
          const at = yield* now
          const found = yield* sessions.findToken(hashOf(Redacted.make(refreshToken)))
          return Option.exists(
            found,
            (row) => row.rotated_at === null && row.revoked_at === null && row.expires_at > at
          )
        }),

        authenticate: Effect.fn("Sessions.authenticate")(function* (accessToken) {
          const claims = yield* accessTokens.verify(accessToken)
          if (Option.isNone(claims)) return Option.none()
          return Option.map(yield* findLive(claims.value.sessionId), ({ is_restricted: isRestricted }) =>
            OwnerAuthority.make({ ...claims.value, isRestricted })
          )
        }),

        authorityOf: Effect.fn("Sessions.authorityOf")(function* (sessionId) {
          return Option.map(yield* findLive(sessionId), ({ is_restricted, method, owner_id }) =>
            OwnerAuthority.make({ ownerId: owner_id, sessionId, method, isRestricted: is_restricted })
          )
        }),

        viewerOf: Effect.fn("Sessions.viewerOf")(function* (accessToken) {
          const claims = yield* accessTokens.verify(accessToken)
          if (Option.isNone(claims)) return Option.none()
          const { method, ownerId, sessionId } = claims.value
          const isLive = method === "email" || Option.isSome(yield* findLive(sessionId))
          return isLive ? Option.some(ownerId) : Option.none()
        }),

        refresh,

        logout: Effect.fn("Sessions.logout")(function* (owner) {
          yield* sessions.revoke(owner.sessionId, yield* now)
          return { loggedOut: true, scope: "local", accessTokenValidUntilExpiry: owner.method === "email" }
        }),

        end: Effect.fn("Sessions.end")(function* (id) {
          yield* sessions.revoke(id, yield* now)
        }),

        endOtherBrowsers: Effect.fn("Sessions.endOtherBrowsers")(function* ({ ownerId, sessionId }) {
          yield* sessions.revokeOtherBrowsers(ownerId, sessionId, yield* now)
        }),

        sweep: Effect.flatMap(now, (at) =>
          sessions.sweep({ sealedBefore: later(at, -RETRY_WINDOW_MILLIS), expiredBefore: at })
        )
      })
    })
  )
}
