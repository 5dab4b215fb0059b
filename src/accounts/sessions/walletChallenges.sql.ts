import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ChallengeId, OwnerId, type SessionId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** Failed claims that kill a challenge. */
const FAILED_CLAIMS_MAX = 5

const ChallengeRow = Schema.Struct({ public_key: Schema.Uint8Array, message: Schema.String })
export type ChallengeRow = typeof ChallengeRow.Type

const ClaimedRow = Schema.Struct({ owner_id: OwnerId })

/** An act of an owner that a signature confirms. */
export type SignedAct = "link" | "deletion"

interface NewChallenge {
  readonly id: ChallengeId
  readonly purpose: "sign_in" | SignedAct
  readonly public_key: Uint8Array
  /** The account that the wallet is to be linked to, or that it deletes; null for a sign-in. */
  readonly owner_id: OwnerId | null
  readonly message: string
  readonly issued_at: Date
  readonly expires_at: Date
}

/** The rows of a claim: a session, and the owner when the wallet is new. */
interface Claim {
  readonly challengeId: ChallengeId
  readonly newOwnerId: OwnerId
  readonly newName: string
  readonly newHandle: string
  readonly sessionId: SessionId
  readonly sessionExpiresAt: Date
  readonly tokenHash: Uint8Array
  readonly at: Date
}

/** Statements over `wallet_challenges`, and the sessions that their claims open. */
export const walletChallengeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, maybe, run } = statements(sql, "walletChallenges")

  const isOpen = (at: Date) =>
    sql`claimed_at is null and failed_claims < ${sql.literal(String(FAILED_CLAIMS_MAX))} and expires_at > ${at}`

  return {
    insert: (challenge: NewChallenge) =>
      run("insert")`insert into wallet_challenges ${sql.insert({ ...challenge })}`,

    /** Returns the challenge for this owner's act, before its end, also when it was consumed. */
    findOwn: (act: SignedAct, id: ChallengeId, owner: OwnerId, at: Date) => maybe("findOwn", ChallengeRow)`
      select public_key, message from wallet_challenges
      where id = ${id} and purpose = ${act} and owner_id = ${owner} and expires_at > ${at}
        and failed_claims < ${sql.literal(String(FAILED_CLAIMS_MAX))}`,

    /** Consumes the challenge of an act; false if it is no longer open. */
    consume: (id: ChallengeId, at: Date) => changed("consume")`
      update wallet_challenges set claimed_at = ${at} where id = ${id} and ${isOpen(at)}`,

    /** Returns a challenge that can be claimed at this moment. */
    findOpen: (id: ChallengeId, at: Date) => maybe("findOpen", ChallengeRow)`
      select public_key, message from wallet_challenges
      where id = ${id} and owner_id is null and ${isOpen(at)}`,

    /** Returns true for a wallet that an account signs in with. */
    hasOwner: (publicKey: Uint8Array) =>
      Effect.map(
        maybe(
          "hasOwner",
          ClaimedRow
        )`select id as owner_id from owners where wallet_public_key = ${publicKey}`,
        Option.isSome
      ),

    /** Counts a failed claim of a challenge. */
    countFailure: (id: ChallengeId) => run("countFailure")`
      update wallet_challenges set failed_claims = failed_claims + 1 where id = ${id}`,

    /**
     * Consumes the challenge and opens the session of its owner; none if the challenge is no longer open. This is the
     * only place outside the folder `owners` that writes owners. It is one statement, so that 50 claims of one
     * challenge open one session. Two claims by one new wallet conflict on its unique key and create one owner.
     */
    claim: (it: Claim) =>
      Effect.map(
        maybe("claim", ClaimedRow)`
          with claimed as (
            update wallet_challenges set claimed_at = ${it.at}
            where id = ${it.challengeId} and owner_id is null and ${isOpen(it.at)}
            returning public_key
          ), known as (
            select id from owners where wallet_public_key = (select public_key from claimed)
          ), created as (
            insert into owners (id, kind, wallet_public_key, name, handle, created_at)
            select ${it.newOwnerId}::uuid, 'wallet', public_key, ${it.newName}, ${it.newHandle}, ${it.at}
            from claimed where not exists (select 1 from known)
            on conflict (wallet_public_key) do update set wallet_public_key = excluded.wallet_public_key
            returning id
          ), opened as (
            insert into sessions (id, owner_id, method, created_at, expires_at)
            select ${it.sessionId}::uuid, id, 'nano', ${it.at}, ${it.sessionExpiresAt}
            from (select id from known union all select id from created) as owner
            returning id, owner_id
          ), token as (
            insert into refresh_tokens (token_hash, session_id, created_at)
            select ${it.tokenHash}, id, ${it.at} from opened
          )
          select owner_id from opened`,
        Option.map((row) => row.owner_id)
      ),

    /** Erases challenges of an owner. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from wallet_challenges where ctid = any(array(
        select ctid from wallet_challenges where owner_id = ${owner} limit ${limit}))`,

    sweep: (expiredBefore: Date) =>
      run("sweep")`delete from wallet_challenges where expires_at < ${expiredBefore}`
  }
})

/** Erases challenges of accounts that are deleted. */
export const walletChallengeErasure = Effect.map(walletChallengeStatements, ({ eraseSome }) => ({
  eraseSome
}))

/** Finds challenges of owners that are signed in, and uses them once. */
export const ownChallenges = Effect.map(walletChallengeStatements, ({ consume, findOwn }) => ({
  consume,
  findOwn
}))
