import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Mailbox } from "../../../../schemas/platform/EmailAddress.ts"
import { OwnerId, PostId, SubscriberId } from "../../../../schemas/platform/Ids.ts"
import { withdrawn } from "../../../platform/mail/mails.sql.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { later, MINUTE_MILLIS } from "../../../platform/time/now.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../../platform/work/lease.ts"
import { publicText } from "../../../publishing/discovery/summary.ts"

/** The kind of work, as the bell, metrics and logs name it. */
export const MAILINGS = "mailings"

/** Time from a publication to its mail, in which an author takes a slip back. */
export const GRACE_MILLIS = 5 * MINUTE_MILLIS

/** A mailing that this process holds a lease on. `position` is the last reader whose mail is in the outbox. */
const Mailing = Schema.Struct({
  id: PostId,
  owner_id: OwnerId,
  attempts: Schema.Int,
  state: Schema.Literals(["waiting", "sending"]),
  created_at: Schema.Date,
  position: Schema.NullOr(SubscriberId)
})
export type Mailing = typeof Mailing.Type

/** The part of a post that everyone may read. */
const PostFacts = Schema.Struct({
  title: Schema.String,
  language: Schema.String,
  name: Schema.String,
  handle: Schema.String,
  slug: Schema.String,
  price_raw: Schema.NullOr(Schema.String),
  markdown: Schema.NullOr(Schema.String),
  is_paid: Schema.Boolean,
  published_at: Schema.Date
})

/** The state of a mailing, with the mails that have not left yet. */
const ProgressRow = Schema.Struct({
  state: Schema.Literals(["waiting", "sending", "sent", "cancelled"]),
  due_at: Schema.Date,
  is_current: Schema.Boolean,
  /** Null before the texts are made. */
  bytes: Schema.NullOr(Schema.Int),
  is_cut: Schema.NullOr(Schema.Boolean),
  recipients: Schema.Int,
  failed: Schema.Int,
  left: Schema.Int
})
export type ProgressRow = typeof ProgressRow.Type

const ReaderRow = Schema.Struct({ readerId: SubscriberId, recipient: Schema.String, mailbox: Schema.String })

/** The mail of a reader. */
const BodyRow = Schema.Struct({
  subject: Schema.String,
  html: Schema.String,
  text: Schema.String,
  author: OwnerId,
  mailbox: Mailbox,
  name: Schema.String,
  handle: Schema.String
})

/** The texts of a mail, as they are frozen when it is due, with what they were made of. */
interface Texts {
  readonly subject: string
  readonly html: string
  readonly text: string
  /** Bytes of the whole HTML. */
  readonly bytes: number
  readonly isCut: boolean
  readonly isPaid: boolean
  readonly publishedAt: Date
}

/** The texts of a mail, up to the end that differs for each reader. */
const TextsRow = Schema.Struct({ subject: Schema.String, html: Schema.String, text: Schema.String })

/** A mailing that is locked; its mails leave while its post is the one of its texts. */
const HeldRow = Schema.Struct({ is_current: Schema.Boolean })
const AuthorRow = Schema.Struct({ name: Schema.String, handle: Schema.String })
const CountRow = Schema.Struct({ readers: Schema.Int })

export const mailingQueue: WorkQueue = { table: "mailings", condition: "state in ('waiting', 'sending')" }

/**
 * The condition that a mailing `m` may still leave: its post `p` is the same publication, and did not get a price. Words that were
 * moved behind the paywall of a paid post after the texts were made still leave; only its author can stop that.
 */
const isCurrent = "p.published_at = m.published_at and (m.is_paid or not p.enable_paywall)"

/** Statements over `mailings`. */
export const mailingStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "mailings")
  const { due, held, leased } = leases(sql, mailingQueue)

  /** Takes the mails of a mailing that is stopped out of the outbox. */
  const unsent = (reader: SubscriberId | null = null) => sql`
    unsent as (${withdrawn(sql, "stopped", reader)})`
  const cancelled = sql`state = 'cancelled',
    recipients = recipients - (select count(*)::int from unsent where body_id = m.id)`
  /** The condition that mails of a mailing `m` have not left. */
  const isUnderWay = sql.literal(
    "(m.state in ('waiting', 'sending') or (m.state = 'sent' and exists (select from mails where body_id = m.id)))"
  )

  return {
    /**
     * Saves the mail about a first publication, for an author with readers. It is due in five minutes. The range and the
     * order keep PostgreSQL from reading the readers of all authors for one who has none.
     */
    begin: (post: PostId, author: OwnerId, at: Date) => run("begin")`
      insert into mailings (id, owner_id, state, created_at, due_at)
      select ${post}::uuid, ${author}::uuid, 'waiting', ${at}::timestamptz, ${later(at, GRACE_MILLIS)}::timestamptz
      where (select id from subscribers where author_id between ${author} and ${author} and state = 'active'
        order by author_id, id limit 1) is not null
      on conflict do nothing`,

    claim: (claim: Claim) => many("claim", Mailing)`
      with ${due(claim)}
      update mailings m set ${leased(claim)} from due where m.id = due.id
      returning m.id, m.owner_id, m.attempts, m.state, m.created_at, m.position`,

    /** Returns what everyone may read of a post; none for one that is not public. */
    facts: (post: PostId) => maybe("facts", PostFacts)`
      select p.title, p.language, o.name, o.handle, p.slug,
        case when p.enable_paywall then p.price_raw::text end as price_raw, ${sql.literal(publicText)} as markdown,
        p.enable_paywall as is_paid, p.published_at
      from public_posts p join owners o on o.id = p.owner_id where p.id = ${post}`,

    /** Freezes the texts of a mailing that is due, and begins to send it; false when its post changed meanwhile. */
    freeze: (
      lease: Lease,
      { bytes, html, isCut, isPaid, publishedAt, subject, text }: Texts,
      at: Date
    ) => changed("freeze")`
      update mailings set state = 'sending', subject = ${subject}, html = ${html}, text = ${text}, bytes = ${bytes},
        is_cut = ${isCut}, is_paid = ${isPaid}, published_at = ${publishedAt}, due_at = ${at}
      where ${held(lease)} and state = 'waiting' and exists (
        select from public_posts p where p.id = mailings.id and p.published_at = ${publishedAt}::timestamptz
          and (${isPaid}::boolean or not p.enable_paywall))`,

    /** Ends a mailing that no one gets. */
    drop: (lease: Lease) => run("drop")`
      update mailings set state = 'cancelled' where ${held(lease)} and state = 'waiting'`,

    /** Locks a mailing that is being sent, for the surrounding transaction; none if it was cancelled. */
    hold: (lease: Lease) => maybe("hold", HeldRow)`
      select exists (select from public_posts p where p.id = m.id and ${sql.literal(isCurrent)}) as is_current
      from mailings m where ${held(lease)} and state = 'sending' for update`,

    /** Returns the next readers, in the order of their ids. */
    readers: ({ owner_id, position }: Mailing, limit: number) => many("readers", ReaderRow)`
      select id as "readerId", address as recipient, mailbox from subscribers
      where author_id = ${owner_id} and state = 'active' ${position === null ? sql`` : sql`and id > ${position}`}
      order by id ${sql.literal(`limit ${limit}`)}`,

    /** Saves the last reader whose mail is in the outbox, and whether more may follow. */
    advance: (lease: Lease, position: SubscriberId | null, count: number, hasMore: boolean, at: Date) => run(
      "advance"
    )`
      update mailings set position = coalesce(${position}::uuid, position), recipients = recipients + ${count},
        state = ${hasMore ? "sending" : "sent"}, due_at = ${at}
      where ${held(lease)}`,

    /** Makes a mailing wait until there is room in the outbox. */
    wait: (lease: Lease, until: Date) => run("wait")`
      update mailings set due_at = ${until} where ${held(lease)}`,

    /** Returns how far a mailing of an owner is. */
    progress: (owner: OwnerId, post: PostId) => maybe("progress", ProgressRow)`
      select m.state, m.due_at, coalesce(p.id is not null and (m.state = 'waiting' or ${sql.literal(isCurrent)}), false) as is_current,
        m.bytes, m.is_cut, m.recipients, m.failed, (select count(*)::int from mails where body_id = m.id) as left
      from mailings m left join public_posts p on p.id = m.id
      where m.id = ${post} and m.owner_id = ${owner}`,

    /** Returns the texts that readers of an own post got, or get; none before they are made and once they are erased. */
    texts: (owner: OwnerId, post: PostId) => maybe("texts", TextsRow)`
      select subject, html, text from mailings
      where id = ${post} and owner_id = ${owner} and state in ('sending', 'sent') and html is not null`,

    /** Counts the readers who get the next mail of an author. */
    count: (owner: OwnerId) => one("count", CountRow)`
      select count(*)::int as readers from subscribers where author_id = ${owner} and state = 'active'`,

    /** Returns the names of an author. */
    author: (owner: OwnerId) => one("author", AuthorRow)`select name, handle from owners where id = ${owner}`,

    /** Makes a mailing due at once. */
    sendNow: (owner: OwnerId, post: PostId, at: Date) => run("sendNow")`
      update mailings set due_at = least(due_at, ${at}) where id = ${post} and owner_id = ${owner} and state = 'waiting'`,

    /** Cancels a mailing, also one that is being sent: the mails that have not left do not leave. */
    cancel: (owner: OwnerId, post: PostId) => run("cancel")`
      with stopped as (
        select id from mailings m where id = ${post} and owner_id = ${owner} and ${isUnderWay} for update
      ), ${unsent()}
      update mailings m set ${cancelled} from stopped where m.id = stopped.id`,

    /** Cancels the mailings of posts that are no longer public, for good: a post that is public again is not mailed. */
    cancelAll: (posts: ReadonlyArray<PostId>) => run("cancelAll")`
      with stopped as (
        select id from mailings m where id = any(${posts}::uuid[]) and ${isUnderWay} order by id for update
      ), ${unsent()}
      update mailings m set ${cancelled} from stopped where m.id = stopped.id`,

    /**
     * Cancels a mailing whose post was published again, got a price or is not public. Its mails that wait leave the outbox, but
     * for that of this reader, which is being worked on.
     */
    stop: (post: PostId, reader: SubscriberId | null) => run("stop")`
      with stopped as (
        select id from mailings m where id = ${post} and state in ('sending', 'sent', 'cancelled') and (state = 'cancelled'
          or not exists (select from public_posts p where p.id = m.id and ${sql.literal(isCurrent)})) for update
      ), ${unsent(reader)}
      update mailings m set ${cancelled} from stopped where m.id = stopped.id`,

    /** Returns the mail of a reader; none for one who left, a mailing that was cancelled and a post that is not the same. */
    body: (post: PostId, reader: SubscriberId) => maybe("body", BodyRow)`
      select m.subject, m.html, m.text, m.owner_id as author, s.mailbox, o.name, o.handle
      from mailings m join public_posts p on p.id = m.id and ${sql.literal(isCurrent)}
      join owners o on o.id = m.owner_id
      join subscribers s on s.id = ${reader} and s.author_id = m.owner_id and s.state = 'active'
      where m.id = ${post} and m.state in ('sending', 'sent') and m.html is not null`,

    /** Counts mails that no reader got. */
    failed: (post: PostId, count: number) => run("failed")`
      update mailings set failed = failed + ${count} where id = ${post}`,

    /** Erases the texts of mailings from before this moment, without those whose mails wait. */
    sweep: (before: Date) => run("sweep")`
      update mailings set html = null, text = null
      where html is not null and created_at < ${before} and state in ('sent', 'cancelled')
        and not exists (select from mails where body_id = mailings.id)`,

    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from mailings where id = any(array(select id from mailings where owner_id = ${owner} limit ${limit}))`
  }
})

/** Erases the mailings of accounts that are deleted. */
export const mailingErasure = Effect.map(mailingStatements, ({ eraseSome }) => ({ eraseSome }))

/** The statements that follow the first publication of a post and the end of one. */
export const noticedMailings = Effect.map(mailingStatements, ({ begin, cancelAll }) => ({ begin, cancelAll }))
