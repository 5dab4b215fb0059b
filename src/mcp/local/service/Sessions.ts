import { Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { TokenPair } from "../../../../schemas/accounts/sessions/Session.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { fromShallowJson } from "../../../../schemas/platform/jsonBounds.ts"
import { failureOf, toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import { StateStore, type Transaction } from "../ports/StateStore.ts"
import { readCredential, removeCredential, saveCredential } from "../state/credentials.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { endLease, keptAlive, renewLease, takeLease } from "../state/leases.sql.ts"
import { actingWith, ServiceApi } from "./ServiceApi.ts"

const Claims = fromShallowJson(Schema.Struct({ exp: Schema.Int }))

const decodeClaims = Schema.decodeUnknownOption(Claims)

/** Returns the expiry of an access token in milliseconds since 1970; null if it has none. */
const endOf = (token: Redacted.Redacted): number | null => {
  const [, payload = ""] = Redacted.value(token).split(".")
  const decoded = Result.getOrUndefined(Base64Url.decodeString(payload))
  const claims = Option.getOrUndefined(decodeClaims(decoded))
  return claims === undefined ? null : claims.exp * 1_000
}

/** Milliseconds before its end at which an access token is renewed. */
const RENEWED_BEFORE_MILLIS = 60_000

/** Time for which a call waits for another process that renews the session. */
const RENEWAL_WAITS = 100
const RENEWAL_WAIT_MILLIS = 100

/**
 * The lease of a renewal. The service answers an exact repeat within ten seconds with the same pair (spec 3.5), so the
 * lease of a dead process ends well before.
 */
const LEASE = "refresh"

/** Saves the two tokens of a session. */
export const saveTokens = (tx: Transaction, { accessToken, refreshToken }: TokenPair): void => {
  const access = Redacted.make(accessToken)
  saveCredential(tx, "access-token", { value: access, keyId: null, expiresAt: endOf(access) })
  saveCredential(tx, "refresh-token", { value: Redacted.make(refreshToken), keyId: null, expiresAt: null })
}

/** Forgets the session, which has ended. */
const removeTokens = (tx: Transaction): void => {
  removeCredential(tx, "access-token")
  removeCredential(tx, "refresh-token")
}

type Renewal =
  | { readonly _tag: "Fresh"; readonly token: Redacted.Redacted }
  | { readonly _tag: "Held" }
  | { readonly _tag: "Ours"; readonly access: Redacted.Redacted; readonly refresh: Redacted.Redacted }

const make = Effect.gen(function* () {
  const store = yield* StateStore
  const random = yield* SecureRandom.SecureRandom
  const { client } = yield* ServiceApi

  /** Returns a token that can be used, or takes the lease of its renewal. `stale` is a token that was refused. */
  const tokenOrLease = (lease: string, stale: string | undefined) =>
    store.write((tx): Effect.Effect<Renewal, ToolFailure> => {
      const access = readCredential(tx, "access-token")
      const refresh = readCredential(tx, "refresh-token")
      if (readIdentity(tx) === undefined) return Effect.fail(marked("identity-not-selected"))
      if (access === undefined || refresh === undefined) return Effect.fail(marked("reconnect-required"))
      const isFresh = access.expiresAt === null || access.expiresAt - tx.now > RENEWED_BEFORE_MILLIS
      if (isFresh && Redacted.value(access.value) !== stale) {
        return Effect.succeed({ _tag: "Fresh", token: access.value })
      }
      return Effect.succeed(
        takeLease(tx, LEASE, lease)
          ? { _tag: "Ours", access: access.value, refresh: refresh.value }
          : { _tag: "Held" }
      )
    })

  const givenUp = (lease: string) =>
    Effect.ignore(store.write((tx) => Effect.sync(() => endLease(tx, LEASE, lease))))

  /**
   * Records a renewal, and returns the new access token; undefined if the session has ended. A session that was opened
   * meanwhile, for example by `setup reconnect`, stays unchanged.
   */
  const booked = (lease: string, old: Redacted.Redacted, renewed: TokenPair | undefined) =>
    store.write((tx) =>
      Effect.sync(() => {
        endLease(tx, LEASE, lease)
        const current = readCredential(tx, "refresh-token")?.value
        if (current !== undefined && Redacted.value(current) === Redacted.value(old)) {
          if (renewed === undefined) removeTokens(tx)
          else saveTokens(tx, renewed)
        }
        return readCredential(tx, "access-token")?.value
      })
    )

  /** Renews the session. The new pair is on the disk before its first use. */
  const renew = Effect.fnUntraced(function* (lease: string, refresh: Redacted.Redacted) {
    const renewed = yield* client.sessions
      .refresh({ payload: { refreshToken: Redacted.value(refresh) } })
      .pipe(
        keptAlive(store.write((tx) => Effect.sync(() => renewLease(tx, LEASE, lease)))),
        Effect.mapError(failureOf),
        Effect.result
      )
    const hasEnded = renewed._tag === "Failure" && renewed.failure.code === "reconnect-required"
    if (renewed._tag === "Failure" && !hasEnded) return yield* renewed.failure
    const pair = renewed._tag === "Success" ? renewed.success : undefined
    return (yield* booked(lease, refresh, pair)) ?? (yield* marked("reconnect-required"))
  })

  /**
   * Returns an access token. Two processes that renewed a session at the same time would end it, so one of them waits.
   */
  const accessToken = Effect.fnUntraced(function* (stale?: string) {
    const lease = yield* random.uuidV4()
    for (let waits = 0; waits < RENEWAL_WAITS; waits++) {
      const renewal = yield* tokenOrLease(lease, stale)
      if (renewal._tag === "Fresh") return renewal.token
      if (renewal._tag === "Ours") {
        return yield* renew(lease, renewal.refresh).pipe(Effect.onError(() => givenUp(lease)))
      }
      yield* Effect.sleep(RENEWAL_WAIT_MILLIS)
    }
    return yield* marked("service-unavailable")
  })

  const publishingKey = store
    .read((tx) => Effect.succeed({ identity: readIdentity(tx), key: readCredential(tx, "publishing-key") }))
    .pipe(
      Effect.flatMap(({ identity, key }) => {
        if (identity === undefined) return Effect.fail(marked("identity-not-selected"))
        return key === undefined ? Effect.fail(marked("setup-incomplete")) : Effect.succeed(key.value)
      })
    )

  return {
    /** Calls with the Publishing key. A refused key is `credential-invalid`. */
    asPublisher: <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, ToolFailure, R> =>
      Effect.flatMap(publishingKey, (key) => toFailure(actingWith(key)(call))),

    /**
     * Calls with the session of the owner, which is renewed when necessary. An ended session is `reconnect-required`.
     */
    asOwner: <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, ToolFailure, R> =>
      Effect.gen(function* () {
        const token = yield* accessToken()
        const first = yield* Effect.result(toFailure(actingWith(token)(call)))
        if (first._tag === "Success") return first.success
        if (first.failure.code !== "credential-invalid") return yield* first.failure
        const renewed = yield* accessToken(Redacted.value(token))
        return yield* toFailure(actingWith(renewed)(call)).pipe(
          Effect.mapError((failure) =>
            failure.code === "credential-invalid" ? marked("reconnect-required") : failure
          )
        )
      })
  }
})

/** The credentials of the selected identity, lent to single calls. */
export class Sessions extends Context.Service<Sessions, Effect.Success<typeof make>>()(
  "pennypress/mcp/local/service/Sessions"
) {
  static readonly layer = Layer.effect(Sessions, make)
}
