import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ChallengeId, OwnerId, type SessionId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** Failed claims that kill a challenge. */
const FAILED_CLAIMS_MAX = 5

const ChallengeRow = Schema.Struct({ public_key: Schema.Uint8Array, message: Schema.String })
export type ChallengeRow = typeof ChallengeRow.Type

export interface NewChallenge {
  readonly id: ChallengeId
  readonly public_key: Uint8Array
  /** The account that the wallet is to be linked to; null for a sign-in. */
  readonly owner_id: OwnerId | null
  readonly message: string
  readonly issued_at: Date
  readonly expires_at: Date
}

/** The rows of a claim: a session, and the owner when the wallet is new. */
export interface Claim {
  readonly challengeId: ChallengeId
  readonly newOwnerId: OwnerId
  readonly newName: string
  readonly newHandle: string
  readonly sessionId: SessionId
  readonly sessionExpiresAt: Date
  readonly tokenHash: Uint8Array
  readonly at: Date
}

/** Wallet challenges, and the sessions that their claims open. */
export class WalletChallengesRepo extends Context.Service<
  WalletChallengesRepo,
  {
    readonly insert: (challenge: NewChallenge) => Effect.Effect<void>
    /** Returns the challenge for this owner's link, before its end, also when it was consumed. */
    readonly findLink: (
      id: ChallengeId,
      owner: OwnerId,
      at: Date
    ) => Effect.Effect<Option.Option<ChallengeRow>>
    /** Consumes the challenge of a link; false when it is not open any more. */
    readonly consume: (id: ChallengeId, at: Date) => Effect.Effect<boolean>
    /** Returns a challenge that can be claimed at this moment. */
    readonly findOpen: (id: ChallengeId, at: Date) => Effect.Effect<Option.Option<ChallengeRow>>
    readonly countFailure: (id: ChallengeId) => Effect.Effect<void>
    /** Consumes the challenge and opens the session of its owner; none when the challenge is not open any more. */
    readonly claim: (claim: Claim) => Effect.Effect<Option.Option<OwnerId>>
    readonly sweep: (expiredBefore: Date) => Effect.Effect<void>
  }
>()("pennypress/accounts/sessions/WalletChallengesRepo") {
  static readonly layer = Layer.effect(
    WalletChallengesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const { changed, maybe } = statements(sql, "WalletChallengesRepo")

      const isOpen = (at: Date) =>
        sql`claimed_at is null and failed_claims < ${sql.literal(String(FAILED_CLAIMS_MAX))} and expires_at > ${at}`

      const findOpen = SqlSchema.findOneOption({
        Request: Schema.Struct({ id: ChallengeId, at: Schema.Date }),
        Result: ChallengeRow,
        execute: ({ at, id }) =>
          sql`
            select public_key, message from wallet_challenges
            where id = ${id} and owner_id is null and ${isOpen(at)}`
      })

      // The one place outside the folder `owners` that writes owners. One statement, so that 50 claims of one challenge open one session. A new
      // wallet that claims two challenges at once meets the unique key and is one owner.
      const claim = SqlSchema.findOneOption({
        Request: Schema.Any,
        Result: Schema.Struct({ owner_id: OwnerId }),
        execute: (claim: Claim) => sql`
          with claimed as (
            update wallet_challenges set claimed_at = ${claim.at}
            where id = ${claim.challengeId} and owner_id is null and ${isOpen(claim.at)}
            returning public_key
          ), known as (
            select id from owners where wallet_public_key = (select public_key from claimed)
          ), created as (
            insert into owners (id, kind, wallet_public_key, name, handle, created_at)
            select ${claim.newOwnerId}::uuid, 'wallet', public_key, ${claim.newName}, ${claim.newHandle}, ${claim.at}
            from claimed where not exists (select 1 from known)
            on conflict (wallet_public_key) do update set wallet_public_key = excluded.wallet_public_key
            returning id
          ), opened as (
            insert into sessions (id, owner_id, method, created_at, expires_at)
            select ${claim.sessionId}::uuid, id, 'nano', ${claim.at}, ${claim.sessionExpiresAt}
            from (select id from known union all select id from created) as owner
            returning id, owner_id
          ), token as (
            insert into refresh_tokens (token_hash, session_id, created_at)
            select ${claim.tokenHash}, id, ${claim.at} from opened
          )
          select owner_id from opened`
      })

      return WalletChallengesRepo.of({
        insert: Effect.fn("WalletChallengesRepo.insert")(
          (challenge) => sql`insert into wallet_challenges ${sql.insert({ ...challenge })}`,
          Effect.asVoid,
          Effect.orDie
        ),
        findLink: (id, owner, at) => maybe("findLink", ChallengeRow)`
          select public_key, message from wallet_challenges
          where id = ${id} and owner_id = ${owner} and expires_at > ${at}
            and failed_claims < ${sql.literal(String(FAILED_CLAIMS_MAX))}`,
        consume: (id, at) => changed("consume")`
          update wallet_challenges set claimed_at = ${at} where id = ${id} and ${isOpen(at)}`,
        findOpen: Effect.fn("WalletChallengesRepo.findOpen")((id, at) => Effect.orDie(findOpen({ id, at }))),
        countFailure: Effect.fn("WalletChallengesRepo.countFailure")(
          (id) => sql`update wallet_challenges set failed_claims = failed_claims + 1 where id = ${id}`,
          Effect.asVoid,
          Effect.orDie
        ),
        claim: Effect.fn("WalletChallengesRepo.claim")(
          (it) =>
            Effect.map(
              claim(it),
              Option.map((row) => row.owner_id)
            ),
          Effect.orDie
        ),
        sweep: Effect.fn("WalletChallengesRepo.sweep")(
          (expiredBefore) => sql`delete from wallet_challenges where expires_at < ${expiredBefore}`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
