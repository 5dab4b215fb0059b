import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { statements } from "../sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../work/lease.ts"

interface NewMail {
  readonly id: string
  readonly recipient: EmailAddress
  readonly sealed_content: Uint8Array
  readonly created_at: Date
  readonly expires_at: Date
  readonly is_bulk: boolean
}

/** Mails that share a body, one for each reader. */
export interface NewSharedMails {
  readonly bodyId: string
  readonly at: Date
  readonly expiresAt: Date
  readonly readers: ReadonlyArray<{
    readonly id: string
    readonly readerId: string
    readonly recipient: string
    readonly mailbox: string
  }>
}

/** A mail that this process holds a lease on. */
const ClaimedMail = Schema.Struct({
  id: Schema.String,
  recipient: Schema.String,
  /** Null for a mail that shares its body with others: then both ids are there. */
  sealed_content: Schema.NullOr(Schema.Uint8Array),
  body_id: Schema.NullOr(Schema.String),
  reader_id: Schema.NullOr(Schema.String),
  expires_at: Schema.Date,
  attempts: Schema.Int,
  is_bulk: Schema.Boolean,
  /** True if the text left in a previous attempt of unknown end, as in a crash. That attempt may have sent the mail. */
  was_cut: Schema.Boolean,
  /** The address of the account with this mailbox, as its owner spells it. */
  owner_email: Schema.NullOr(Schema.String)
})
export type ClaimedMail = typeof ClaimedMail.Type

const ExpiredRow = Schema.Struct({ body_id: Schema.String, mails: Schema.Int })
const CountRow = Schema.Struct({ mails: Schema.Int })

export const mailQueue: WorkQueue = { table: "mails", condition: "not is_bulk" }
/** The mails that may wait. */
export const bulkMailQueue: WorkQueue = { table: "mails", condition: "is_bulk and body_id is null" }
/** The mails that share a body. They may wait for days, so they have places of their own. */
export const sharedMailQueue: WorkQueue = { table: "mails", condition: "body_id is not null" }

/** Selects the mails that have not left yet. */
export const waitingMails = "select created_at from mails order by id"

/**
 * Deletes the mails of shared bodies, whose ids are in a common table expression of the surrounding statement. A mail whose text
 * may have left stays, as does that of `keptReader`. Returns the id of the body of each.
 */
export const withdrawn = (sql: SqlClient.SqlClient, bodies: string, keptReader: string | null) => sql`
  delete from mails using ${sql(bodies)} bodies where mails.body_id = bodies.id and mails.attempt_began_at is null
    ${keptReader === null ? sql`` : sql`and mails.reader_id <> ${keptReader}`}
  returning mails.body_id`

/** Statements over `mails`, the outbox of mail. */
export const mailStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, one, run } = statements(sql, "mails")
  const { held, leased } = leases(sql, mailQueue)

  return {
    /** Puts a mail into the outbox, due at once. */
    insert: (mail: NewMail) => run("insert")`
      insert into mails ${sql.insert({ ...mail, mailbox: mailboxOf(mail.recipient), due_at: mail.created_at })}`,

    /** Puts mails that share a body into the outbox, due at once. */
    insertShared: ({ at, bodyId, expiresAt, readers }: NewSharedMails) => run("insertShared")`
      insert into mails (id, recipient, mailbox, is_bulk, body_id, reader_id, created_at, expires_at, due_at)
      select id, recipient, mailbox, true, ${bodyId}::uuid, reader_id, ${at}::timestamptz, ${expiresAt}::timestamptz,
        ${at}::timestamptz
      from unnest(${readers.map(({ id }) => id)}::uuid[], ${readers.map(({ recipient }) => recipient)}::text[],
        ${readers.map(({ mailbox }) => mailbox)}::text[], ${readers.map(({ readerId }) => readerId)}::uuid[])
        r (id, recipient, mailbox, reader_id)`,

    /** Counts the mails that share a body and have not left yet, at most `limit`. */
    countShared: (limit: number) =>
      Effect.map(
        one("countShared", CountRow)`
          select count(*)::int4 as mails from (select from mails where body_id is not null limit ${limit}) waiting`,
        (row) => row.mails
      ),

    /**
     * Claims mails of a queue that are due. The claim looks the owner up,
     * not the request that posts the mail. The request therefore takes the same time for every mailbox.
     */
    claim: (claim: Claim, queue = mailQueue) => many("claim", ClaimedMail)`
      with ${leases(sql, queue).due(claim)}
      update mails m set ${leased(claim)} from due where m.id = due.id
      returning m.id, m.recipient, m.sealed_content, m.body_id, m.reader_id, m.expires_at, m.attempts, m.is_bulk,
        m.attempt_began_at is not null as was_cut,
        (select o.email from owners o where o.mailbox = m.mailbox) as owner_email`,

    /**
     * Records that the text of a mail leaves, and prolongs its lease until this time; false when its lease ended.
     * No process claims it before.
     */
    handOver: (lease: Lease, at: Date, leaseUntil: Date) => changed("handOver")`
      update mails set attempt_began_at = ${at}, due_at = ${leaseUntil} where ${held(lease)}`,

    /** Makes a mail due at once whose text has not left. A hand-over that comes later finds no lease. */
    releaseUnsent: (lease: Lease, at: Date) => run("releaseUnsent")`
      update mails set due_at = ${at}, attempts = attempts + 1 where ${held(lease)} and attempt_began_at is null`,

    /** Deletes a mail that needs no further attempt; false when its lease ended. */
    complete: (lease: Lease) => changed("complete")`delete from mails where ${held(lease)}`,

    /**
     * Ends a lease and makes the mail due at this time; false when the lease ended before. `keepsCut` remembers that an attempt
     * was cut off.
     */
    release: (lease: Lease, dueAt: Date, keepsCut = false) => changed("release")`
      update mails set due_at = ${dueAt}, attempt_began_at = case when ${keepsCut} then attempt_began_at end
      where ${held(lease)}`,

    /** Deletes expired mails. Returns the numbers of those that shared a body. */
    sweep: (expiredBefore: Date) => many("sweep", ExpiredRow)`
      with expired as (delete from mails where expires_at < ${expiredBefore} returning body_id)
      select body_id, count(*)::int4 as mails from expired where body_id is not null group by body_id
      order by body_id`,

    /** Counts the mails that have not left yet. */
    count: Effect.map(one("count", CountRow)`select count(*)::int4 as mails from mails`, (row) => row.mails)
  }
})
