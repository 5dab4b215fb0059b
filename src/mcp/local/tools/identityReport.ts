import { Effect } from "effect"
import type { Me } from "../../../../schemas/accounts/me/Me.ts"
import type { LocalContext, LocalIdentity } from "../../../../schemas/mcp/local/coreTools.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { StateStore } from "../ports/StateStore.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readCredential } from "../state/credentials.sql.ts"
import { type Identity, readIdentity } from "../state/identity.sql.ts"
import { readSetup, recordOf } from "../state/setup.sql.ts"

type Observed = { readonly me: Me } | { readonly failure: ToolFailure }

const observed = <R>(call: Effect.Effect<Me, ToolFailure, R>): Effect.Effect<Observed, never, R> =>
  call.pipe(
    Effect.map((me) => ({ me })),
    Effect.catch((failure) => Effect.succeed({ failure }))
  )

/** Returns the state of an identity after a look with the key, and one with the session. */
const statusOf = (
  { ownerId }: Identity,
  byKey: Observed | undefined,
  bySession: Observed
): LocalIdentity["status"] => {
  if (byKey !== undefined && "failure" in byKey && byKey.failure.code === "credential-invalid") {
    return "credential-invalid"
  }
  if ("failure" in bySession && bySession.failure.code === "reconnect-required") return "reconnect-required"
  const seen = [byKey, bySession].flatMap((it) => (it !== undefined && "me" in it ? [it.me] : []))
  // A credential of another owner is as useless as a refused one.
  if (seen.some(({ owner }) => owner.id !== ownerId)) return "credential-invalid"
  return seen.length > 0 ? "verified" : "selected"
}

interface IdentityReport {
  readonly identity: LocalIdentity
  readonly publication: Pick<LocalContext["publication"], "blockers" | "ready">
}

/** Makes the report on the identity, which is observed for each call. */
export const makeIdentityReport = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi

  const report = Effect.gen(function* () {
    const { hasKey, identity, setup } = yield* store.read((tx) =>
      Effect.succeed({
        identity: readIdentity(tx),
        hasKey: readCredential(tx, "publishing-key") !== undefined,
        setup: recordOf(readSetup(tx))
      })
    )
    if (identity === undefined) {
      const none: IdentityReport = {
        identity: {
          status: "not-selected",
          ownerId: null,
          handle: null,
          method: null,
          authorKind: null,
          authorKindStatus: "unknown",
          setup
        },
        publication: { ready: false, blockers: [] }
      }
      return none
    }
    const byKey = hasKey ? yield* observed(sessions.asPublisher(client.me.read())) : undefined
    const bySession = yield* observed(sessions.asOwner(client.me.read()))
    const status = statusOf(identity, byKey, bySession)
    const seen = [byKey, bySession].flatMap((it) =>
      it !== undefined && "me" in it && it.me.owner.id === identity.ownerId ? [it.me] : []
    )[0]
    const observedReport: IdentityReport = {
      identity: {
        status,
        ownerId: identity.ownerId,
        handle: seen?.owner.handle ?? identity.handle,
        method: identity.method,
        authorKind: seen?.owner.authorKind ?? null,
        authorKindStatus: seen === undefined ? "unavailable" : "verified",
        setup
      },
      publication: {
        ready: byKey !== undefined && "me" in byKey && seen !== undefined && seen.publication.ready,
        blockers: seen?.publication.blockers.map(({ code }) => code) ?? []
      }
    }
    return observedReport
  })
  return { report }
})
