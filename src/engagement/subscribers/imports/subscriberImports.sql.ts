import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type EmailAddress, Mailbox } from "../../../../schemas/platform/EmailAddress.ts"
import { OwnerId, SubscriberId, SubscriberImportId } from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../../platform/work/lease.ts"
import { ChangedRow, changedColumns } from "../subscribers.sql.ts"

/** The kind of work, as the bell, metrics and logs name it. */
export const SUBSCRIBER_IMPORTS = "subscriber_imports"

/** The imports whose readers wait for their mail. */
export const subscriberImportQueue: WorkQueue = {
  table: "subscriber_imports",
  condition: "due_at is not null"
}

/** An import that this process holds a lease on. */
const DueImport = Schema.Struct({ id: SubscriberImportId, owner_id: OwnerId, attempts: Schema.Int })
export type DueImport = typeof DueImport.Type

interface NewImport {
  readonly id: SubscriberImportId
  readonly owner: OwnerId
  readonly source: string
  readonly statement: string
  readonly rows: number
  readonly at: Date
}

/** A reader of a list. Ids ascend in its order. */
interface NewReader {
  readonly id: string
  readonly email: EmailAddress
  readonly mailbox: Mailbox
  readonly state: "pending" | "ended" | "bounced"
  /** Keyed hashes of the mailbox, in hexadecimal digits. */
  readonly macs: ReadonlyArray<string>
}

/** Readers who wait for a mail, and those who were saved. */
const CountsRow = Schema.Struct({ saved: Schema.Int, waiting: Schema.Int })
const CountRow = Schema.Struct({ readers: Schema.Int })
const KnownRow = Schema.Struct({ is_known: Schema.Boolean })
const WaitingRow = Schema.Struct({ readerId: SubscriberId, recipient: Schema.String, mailbox: Mailbox })

const ImportRow = Schema.Struct({
  id: SubscriberImportId,
  handle: Schema.String,
  source: Schema.String,
  statement: Schema.String,
  rows: Schema.Int,
  waiting: Schema.Int,
  created_at: Timestamp
})
export type ImportRow = typeof ImportRow.Type

/** The mail that asks a reader of an import to confirm. */
const ConfirmationRow = Schema.Struct({
  name: Schema.String,
  handle: Schema.String,
  address: Schema.String,
  author: OwnerId,
  mailbox: Mailbox,
  asked_at: Schema.Date
})

const IdRow = Schema.Struct({ id: SubscriberImportId })

/** A mailbox that complained about any author gets no mail. */
const COMPLAINED = "exists (select from subscribers c where c.mailbox = s.mailbox and c.state = 'complained')"

/** Statements over `subscriber_imports`, and over the readers of one. */
export const subscriberImportStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "subscriberImports")
  const { due, held, leased } = leases(sql, subscriberImportQueue)

  return {
    /**
     * Asks if an account may bring readers: it is public, and older than this moment, or has a verified address, a follower or a
     * sale. None for one that is not public.
     */
    author: (owner: OwnerId, newSince: Date | null) => maybe("author", KnownRow)`
      select ${newSince}::timestamptz is null or o.created_at <= ${newSince} or o.email_verified_at is not null
        or o.follower_count > 0 or exists (
          select from posts p join post_counts n on n.post_id = p.id where p.owner_id = o.id and n.purchases > 0
        ) as is_known
      from public_owners o where o.id = ${owner}`,

    begin: ({ at, id, owner, rows, source, statement }: NewImport) => run("begin")`
      insert into subscriber_imports (id, owner_id, source, statement, rows, created_at)
      values (${id}, ${owner}, ${source}, ${statement}, ${rows}, ${at})`,

    /**
     * Saves the readers of an import, and makes it due. Readers who are on the list of the author, or were, stay as they are.
     * One who complained about another author is saved as if a mail had left, so that nothing tells of it.
     */
    save: ({ at, id, owner }: NewImport, readers: ReadonlyArray<NewReader>) => one("save", CountsRow)`
      with s as (
        select * from jsonb_to_recordset(${JSON.stringify(readers)}::jsonb)
          as r (id uuid, email text, mailbox text, state text, macs text[])
      ), saved as (
        insert into subscribers (id, author_id, address, mailbox, state, created_at, asked_at, ask_id, import_id, ended_at,
          ended_by)
        select s.id, ${owner}::uuid, s.email, s.mailbox, s.state, ${at}::timestamptz,
          case when s.state <> 'pending' or ${sql.literal(COMPLAINED)} then ${at}::timestamptz end, s.id, ${id}::uuid,
          case when s.state <> 'pending' then ${at}::timestamptz end,
          case s.state when 'ended' then 'reader' when 'bounced' then 'bounce' end
        from s
        where not exists (
          select from former_subscribers f
          where f.author_id = ${owner}::uuid
            and f.mailbox_mac in (select decode(mac, 'hex') from unnest(s.macs) mac))
        order by s.id
        on conflict (author_id, mailbox) do nothing
        returning state, asked_at
      ), counts as (
        select (count(*) filter (where state = 'pending'))::int as saved,
          (count(*) filter (where asked_at is null))::int as waiting
        from saved
      ), made_due as (
        update subscriber_imports set due_at = ${at} from counts where id = ${id} and counts.waiting > 0
      )
      select saved, waiting from counts`,

    claim: (claim: Claim) => many("claim", DueImport)`
      with ${due(claim)}
      update subscriber_imports i set ${leased(claim)} from due where i.id = due.id
      returning i.id, i.owner_id, i.attempts`,

    /** Locks the lists of an author for the surrounding transaction, so that two of them share a day's mails. */
    lock: (owner: OwnerId) => run("lock")`
      select id from subscriber_imports where owner_id = ${owner} order by id for update`,

    /** Returns the next readers to ask: as many as the author may still ask after this moment. None while no one sees the author. */
    waiting: ({ id, owner_id }: DueImport, askedAfter: Date, max: number) => many("waiting", WaitingRow)`
      select s.id as "readerId", s.address as recipient, s.mailbox from subscribers s
      where s.import_id = ${id} and s.state = 'pending' and s.asked_at is null
        and exists (select from public_owners where id = ${owner_id})
      order by s.id limit greatest(0, ${max} - (
        select count(*)::int from subscribers a
        where a.author_id = ${owner_id} and a.import_id is not null and a.asked_at > ${askedAfter}))`,

    /** Records that readers are asked to confirm. */
    asked: (readers: ReadonlyArray<SubscriberId>, at: Date) => run("asked")`
      update subscribers set asked_at = ${at} where id = any(${readers}::uuid[])`,

    /** Makes an import due later, or ends its work when no reader waits any more. False when the lease ended. */
    advance: (lease: DueImport, dueAt: Date) => changed("advance")`
      update subscriber_imports set due_at = case when exists (
          select from subscribers s where s.import_id = ${lease.id} and s.state = 'pending' and s.asked_at is null
        ) then ${dueAt}::timestamptz end
      where ${held(lease satisfies Lease)} and due_at is not null`,

    /** Returns what the mail of a reader says; none for one who confirmed, left, or was removed. */
    confirmation: (id: string, reader: SubscriberId) => maybe("confirmation", ConfirmationRow)`
      select o.name, o.handle, s.address, s.author_id as author, s.mailbox, s.asked_at from subscribers s join public_owners o on o.id = s.author_id
      where s.id = ${reader} and s.import_id = ${id} and s.state = 'pending' and s.asked_at is not null
        and not ${sql.literal(COMPLAINED)}`,

    /** Returns imports whose readers wait, oldest first, one beyond the page when there are more. */
    list: (after: SubscriberImportId | undefined, limit: number) => many("list", ImportRow)`
      select i.id, o.handle, i.source, i.statement, i.rows, wire_time(i.created_at) as created_at,
        (select count(*)::int from subscribers s
          where s.import_id = i.id and s.state = 'pending' and s.asked_at is null) as waiting
      from subscriber_imports i join owners o on o.id = i.owner_id
      where i.due_at is not null ${after === undefined ? sql`` : sql`and i.id > ${after}`}
      order by i.id limit ${limit + 1}`,

    /** Decides an import whose readers wait; none for any other. */
    decide: (id: SubscriberImportId, decision: "approved" | "refused") => maybe("decide", IdRow)`
      update subscriber_imports set decision = ${decision}, due_at = null
      where id = ${id} and due_at is not null returning id`,

    /** Makes the readers of an import who did not confirm yet get the posts. */
    activate: (id: SubscriberImportId, at: Date) => many("activate", ChangedRow)`
      update subscribers s set state = 'active', confirmed_at = ${at}, asked_at = coalesce(s.asked_at, ${at})
      where s.import_id = ${id} and s.state = 'pending' and not ${sql.literal(COMPLAINED)}
      returning ${sql.literal(changedColumns)}`,

    /** Deletes the readers of an import who did not confirm yet. */
    drop: (id: SubscriberImportId) => one("drop", CountRow)`
      with changed as (delete from subscribers where import_id = ${id} and state = 'pending' returning 1)
      select count(*)::int as readers from changed`,

    /** Deletes some imports of an author, after the readers. Returns true if there may be more. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from subscriber_imports
      where id = any(array(select id from subscriber_imports where owner_id = ${owner} limit ${limit}))`
  }
})

/** Erases the imports of accounts that are deleted. */
export const subscriberImportErasure = Effect.map(subscriberImportStatements, ({ eraseSome }) => ({
  eraseSome
}))
