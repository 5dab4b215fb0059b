import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  Subscriber,
  SubscriberCounts,
  SubscriberSource,
  SubscriberState
} from "../../../schemas/engagement/subscribers/Subscriber.ts"
import { type EmailAddress, Mailbox, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId, type PostId, SubscriberId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { DAY_MILLIS } from "../../platform/time/now.ts"
import type { ReaderOf } from "./subscriptionTokens.ts"

/** Life of a request that no one confirms. */
export const CONFIRM_MILLIS = 2 * DAY_MILLIS

/** Returns the text whose keyed hash stays of a reader who left. */
export const formerMailbox = (mailbox: Mailbox): string => `former subscriber ${mailbox}`

/** A request to get the posts of an author by mail. */
interface NewRequest {
  /** Names the request, and the reader if they are new. */
  readonly id: string
  readonly author: OwnerId
  readonly email: EmailAddress
  readonly at: Date
  /** A request after this moment had its mail. */
  readonly askedBefore: Date
}

/** A reader who asked, and whether this request needs to be confirmed. */
const AskedRow = Schema.Struct({ id: SubscriberId, is_due: Schema.Boolean })

/** The author of a handle. */
const AuthorRow = Schema.Struct({ id: OwnerId, name: Schema.String, handle: Schema.String })

/** A subscription, as the reader sees it. */
const SubscriptionRow = Schema.Struct({
  name: Schema.String,
  handle: Schema.String,
  address: Schema.String,
  state: SubscriberState,
  confirmed_at: Schema.NullOr(Schema.Date),
  /** The place from which the author brought the reader, in the author's words; null for one who used a form. */
  brought_from: Schema.NullOr(Schema.String),
  /** True for a list that the operator approved: its readers may not have confirmed. */
  is_approved: Schema.Boolean
})
export type SubscriptionRow = typeof SubscriptionRow.Type

/** A reader whose subscription a statement began or ended. */
export const ChangedRow = Schema.Struct({ id: SubscriberId, author_id: OwnerId, source: SubscriberSource })
export type ChangedRow = typeof ChangedRow.Type

const source = "case when s.import_id is null then 'form' else 'import' end as source"

/** The columns of a {@link ChangedRow}, for `subscribers s`. */
export const changedColumns = `s.id, s.author_id, ${source}`

const EndedRow = Schema.Struct({ ...ChangedRow.fields, state: SubscriberState })

const ComplainedRow = Schema.Struct({
  ...ChangedRow.fields,
  mailbox: Schema.String,
  got_mail: Schema.Boolean
})

/** A reader who left, and whose address is not needed any more. */
const LeaverRow = Schema.Struct({ id: SubscriberId, author_id: OwnerId, mailbox: Mailbox })

const IdRow = Schema.Struct({ id: SubscriberId })

/** Mails that may fail in a row before their reader gets no more. */
const FAILURES_MAX = 3

/** A place in the list of an author: readers after it are older. */
interface Slice {
  readonly after: SubscriberId | undefined
  readonly limit: number
}

const columns = `s.id, s.address as email, s.state, ${source}, wire_time(created_at) as "createdAt", wire_time(confirmed_at) as "confirmedAt",
  wire_time(ended_at) as "endedAt"`

const subscription = `o.name, o.handle, s.address, s.state, s.confirmed_at,
  (select i.source from subscriber_imports i where i.id = s.import_id) as brought_from,
  exists (select from subscriber_imports i where i.id = s.import_id and i.decision = 'approved') as is_approved`

/** Statements over `subscribers`. */
export const subscriberStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "subscribers")

  return {
    /** Returns the public author of a handle. */
    author: (handle: string) => maybe("author", AuthorRow)`
      select id, name, handle from public_owners where lower(handle) = lower(${handle})`,

    /**
     * Saves a request. It writes one row for every address: a new one, one that is known, and one that ended, whose state
     * stays until the request is confirmed. None is due for a mailbox that complained.
     */
    ask: ({ askedBefore, at, author, email, id }: NewRequest) => one("ask", AskedRow)`
      insert into subscribers as s (id, author_id, address, mailbox, state, created_at, asked_at, ask_id)
      values (${id}, ${author}, ${email}, ${mailboxOf(email)}, 'pending', ${at}, ${at}, ${id})
      on conflict (author_id, mailbox) do update set
        asked_at = case when s.state <> 'active' and (s.asked_at is null or s.asked_at <= ${askedBefore}) then excluded.asked_at else s.asked_at end,
        ask_id = case when s.state <> 'active' and (s.asked_at is null or s.asked_at <= ${askedBefore}) then excluded.ask_id else s.ask_id end,
        import_id = case when s.state <> 'active' and (s.asked_at is null or s.asked_at <= ${askedBefore}) then null else s.import_id end
      returning id, ask_id = ${id} and not exists (
        select from subscribers c where c.mailbox = s.mailbox and c.state = 'complained') as is_due`,

    /** Dates the request of a reader back to this time; null leaves it as it is. */
    askAgain: (id: SubscriberId, askedAt: Date | null) => run("askAgain")`
      update subscribers set asked_at = coalesce(${askedAt}::timestamptz, asked_at) where id = ${id}`,

    /** Returns what a reader subscribed to, also after its end. */
    subscription: (id: SubscriberId) => maybe("subscription", SubscriptionRow)`
      select ${sql.literal(subscription)} from subscribers s join owners o on o.id = s.author_id where s.id = ${id}`,

    /** Returns what the reader of an author subscribed to, also after its end. */
    subscriptionOf: ({ author, mailbox }: ReaderOf) => maybe("subscriptionOf", SubscriptionRow)`
      select ${sql.literal(subscription)} from subscribers s join owners o on o.id = s.author_id
      where s.author_id = ${author} and s.mailbox = ${mailbox}`,

    /** Locks a reader who does not get mail, for the surrounding transaction; none for one who does. */
    holdInactive: (id: SubscriberId) => maybe("holdInactive", ChangedRow)`
      select ${sql.literal(changedColumns)} from subscribers s where id = ${id} and state <> 'active' for update`,

    /** Locks the readers with a mailbox who get mail, of an author or of all. */
    holdActive: (mailbox: Mailbox, author?: OwnerId) => many("holdActive", ChangedRow)`
      select ${sql.literal(changedColumns)} from subscribers s
      where mailbox = ${mailbox} and state = 'active' ${author === undefined ? sql`` : sql`and author_id = ${author}`}
      order by id for update`,

    /** Confirms a request that was made at this moment, unless the reader left after it. A repeat changes nothing. */
    confirm: (id: SubscriberId, askedAt: Date, at: Date) => maybe("confirm", SubscriptionRow)`
      update subscribers s set state = 'active', failures = 0, ended_at = null, ended_by = null,
        confirmed_at = case when state = 'active' then confirmed_at else ${at} end
      from public_owners o
      where s.id = ${id} and o.id = s.author_id and (s.ended_at is null or s.ended_at <= ${askedAt})
      returning ${sql.literal(subscription)}`,

    /** Ends a subscription for its reader. A repeat changes nothing. */
    end: ({ author, mailbox }: ReaderOf, at: Date) => maybe("end", SubscriptionRow)`
      update subscribers s set state = case when s.ended_at is null then 'ended' else s.state end,
        ended_at = coalesce(s.ended_at, ${at}), ended_by = coalesce(s.ended_by, 'reader')
      from owners o where s.author_id = ${author} and s.mailbox = ${mailbox} and o.id = s.author_id
      returning ${sql.literal(subscription)}`,

    /** Ends every subscription of a mailbox. */
    endAll: (mailbox: Mailbox, at: Date) => run("endAll")`
      update subscribers set state = 'ended', ended_at = ${at}, ended_by = 'reader'
      where mailbox = ${mailbox} and ended_at is null`,

    /** Locks a reader of an author who gets mail. */
    holdOwn: (author: OwnerId, id: SubscriberId) => many("holdOwn", ChangedRow)`
      select ${sql.literal(changedColumns)} from subscribers s
      where id = ${id} and author_id = ${author} and state = 'active' for update`,

    /** Ends the subscription of a reader for the author. */
    remove: (author: OwnerId, id: SubscriberId, at: Date) => maybe("remove", IdRow)`
      update subscribers set state = case when ended_at is null then 'ended' else state end,
        ended_at = coalesce(ended_at, ${at}), ended_by = coalesce(ended_by, 'author')
      where id = ${id} and author_id = ${author} returning id`,

    /** Returns the newest readers of an author, one beyond the slice when there are more. */
    list: (author: OwnerId, state: SubscriberState | undefined, { after, limit }: Slice) => many(
      "list",
      Subscriber
    )`
      select ${sql.literal(columns)} from subscribers s
      where author_id = ${author} ${state === undefined ? sql`` : sql`and state = ${state}`}
        ${after === undefined ? sql`` : sql`and id < ${after}`}
      order by id desc ${sql.literal(`limit ${limit + 1}`)}`,

    /** Returns the reader with a mailbox. */
    find: (author: OwnerId, mailbox: Mailbox) => many("find", Subscriber)`
      select ${sql.literal(columns)} from subscribers s where author_id = ${author} and mailbox = ${mailbox}`,

    counts: (author: OwnerId) => one("counts", SubscriberCounts)`
      select (count(*) filter (where state = 'pending'))::int as pending,
        (count(*) filter (where state = 'active'))::int as active
      from subscribers where author_id = ${author}`,

    /**
     * Counts a mail that did not arrive: that of a post, or the last one of the author for a report, which names no post. A
     * mailing between two failures arrived, so the count begins again. A second failure of a mailing is not counted. The last of
     * too many in a row ends the subscription, which the returned state says.
     */
    failed: (id: SubscriberId, at: Date, post?: PostId) => many("failed", EndedRow)`
      with failed as (
        select s.id, m.created_at, case when (
          select count(*) from (
            select from mailings b where b.owner_id = s.author_id and b.state in ('sending', 'sent')
              and b.created_at > s.failed_mailing_at and b.created_at <= m.created_at limit 2) since
        ) = 1 then s.failures + 1 else 1 end as failures
        from subscribers s cross join lateral (
          select created_at from mailings m where m.owner_id = s.author_id and m.state in ('sending', 'sent')
            ${post === undefined ? sql`` : sql`and m.id = ${post}`}
          order by created_at desc limit 1) m
        where s.id = ${id} and s.state = 'active'
          and (s.failed_mailing_at is null or s.failed_mailing_at < m.created_at)
        for update of s)
      update subscribers s set failures = f.failures, failed_mailing_at = f.created_at,
        state = case when f.failures >= ${FAILURES_MAX} then 'bounced' else s.state end,
        ended_at = case when f.failures >= ${FAILURES_MAX} then ${at}::timestamptz end,
        ended_by = case when f.failures >= ${FAILURES_MAX} then 'bounce' end
      from failed f where s.id = f.id returning ${sql.literal(changedColumns)}, s.state`,

    /**
     * Ends every subscription of the mailbox of a reader who complained. Returns those that it ended, and which of them got mail
     * until now.
     */
    complained: (id: SubscriberId, at: Date) => many("complained", ComplainedRow)`
      with before as (
        select s.id, s.state from subscribers s join subscribers r on r.mailbox = s.mailbox
        where r.id = ${id} and s.state <> 'complained' for update of s)
      update subscribers s set state = 'complained', ended_at = ${at}, ended_by = 'complaint'
      from before b where s.id = b.id returning ${sql.literal(changedColumns)}, s.mailbox, b.state = 'active' as got_mail`,

    /** Deletes requests that no one confirmed. */
    sweepRequests: (askedBefore: Date) => run("sweepRequests")`
      delete from subscribers where state = 'pending' and asked_at < ${askedBefore}`,

    /**
     * Returns some readers who left before a moment, and did not ask again since another. A complaint stays: no mail may follow
     * it.
     */
    leavers: (endedBefore: Date, askedBefore: Date, limit: number) => many("leavers", LeaverRow)`
      select id, author_id, mailbox from subscribers
      where ended_at < ${endedBefore} and state <> 'complained' and (asked_at is null or asked_at < ${askedBefore})
      order by ended_at limit ${limit}`,

    /** Deletes readers who left, and keeps the hashes of their mailboxes. One who came back meanwhile stays. */
    forget: (
      leavers: ReadonlyArray<{ readonly id: SubscriberId; readonly mac: string }>,
      endedBefore: Date,
      askedBefore: Date
    ) => run("forget")`
      with gone as (
        delete from subscribers s using jsonb_to_recordset(${JSON.stringify(leavers)}::jsonb) as l (id uuid, mac text)
        where s.id = l.id and s.ended_at < ${endedBefore} and (s.asked_at is null or s.asked_at < ${askedBefore})
        returning s.author_id, l.mac
      )
      insert into former_subscribers (author_id, mailbox_mac) select author_id, decode(mac, 'hex') from gone
      on conflict do nothing`,

    /** Deletes some hashes of an author. Returns true if there may be more. */
    eraseSomeFormer: (author: OwnerId, limit: number) => changed("eraseSomeFormer")`
      delete from former_subscribers
      where ctid = any(array(select ctid from former_subscribers where author_id = ${author} limit ${limit}))`,

    /** Deletes some readers of an author. Returns true if there may be more. */
    eraseSome: (author: OwnerId, limit: number) => changed("eraseSome")`
      delete from subscribers where id = any(array(select id from subscribers where author_id = ${author} limit ${limit}))`
  }
})

/** Erases the readers of accounts that are deleted. */
export const subscriberErasure = Effect.map(subscriberStatements, ({ eraseSome, eraseSomeFormer }) => ({
  eraseSome,
  eraseSomeFormer
}))
