import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type EmailAddress, type Mailbox } from "../../../schemas/platform/EmailAddress.ts"
import { SubscriberId } from "../../../schemas/platform/Ids.ts"
import { mailingStatements } from "../../../src/engagement/subscribers/mailings/mailings.sql.ts"
import { subscriberStatements } from "../../../src/engagement/subscribers/subscribers.sql.ts"
import { insertOwner, insertPost, postId } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes, wholeTables } from "../../support/plans.ts"
import { soak } from "../../support/soak.ts"

/** Readers of two authors. Of each hundred, one waits to be confirmed, one left and one complained. */
const READERS = soak(20_000, 50_000)

/** Posts of each author that were mailed. */
const POSTS = 500

/** Owners, whose table is too small for an index. */
const OWNERS = 3

const START = "2026-01-01T00:00:00Z"

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const author = yield* insertOwner(1)
  const other = yield* insertOwner(2)
  for (let number = 1; number <= 2 * POSTS; number += 1)
    yield* insertPost(number, number % 2 === 1 ? author : other, "published")
  // A statement of the service has five seconds.
  for (let from = 0; from < READERS; from += 10_000)
    yield* sql`
      insert into subscribers (id, author_id, address, mailbox, state, created_at, asked_at, ask_id, confirmed_at, ended_at,
        ended_by)
      select md5(n::text)::uuid, o.id, 'reader' || n || '@example.org', 'reader' || n || '@example.org', s.state, at, at,
        md5(n::text)::uuid, at, case when s.ended_by is not null then at end, s.ended_by
      from generate_series(${from + 1}::integer, ${from + 10_000}::integer) n
      cross join lateral (select timestamptz '2026-01-01 00:00:00Z' + n * interval '1 minute' as at) moment
      cross join lateral (select case n / 2 % 100 when 0 then 'pending' when 1 then 'ended' when 2 then 'complained'
        else 'active' end as state, case n / 2 % 100 when 1 then 'reader' when 2 then 'complaint' end as ended_by) s
      join (select id, row_number() over (order by id) - 1 as place from owners) o on o.place = n % 2`
  yield* sql`
    insert into mailings (id, owner_id, state, created_at, due_at)
    select id, owner_id, 'sent', timestamptz '2026-01-01 00:00:00Z' + row_number() over () * interval '1 hour', '2026-01-01'
    from posts`
  yield* sql`vacuum analyze subscribers, mailings, owners`.unprepared
  const [reader] = yield* sql<{ readonly id: string; readonly address: string }>`
    select id, address from subscribers where state = 'active' and author_id = ${author} order by id offset ${0.2 * READERS}::integer limit 1`
  return { author, reader: SubscriberId.make(reader!.id), address: reader!.address }
})

layer(database("test_subscriber_plans"))(`readers by mail among ${READERS}`, (it) => {
  it.effect(
    "Requests, links, lists, batches, reports and sweeps read by indexes, and no more than they need",
    () =>
      Effect.gen(function* () {
        const { address, author, reader } = yield* seed
        const subscribers = yield* subscriberStatements
        const mailings = yield* mailingStatements
        const email = address as EmailAddress
        const mailbox = address as Mailbox
        const at = new Date("2026-03-01T00:00:00Z")
        const old = new Date(START)
        const mailing = {
          id: postId(1),
          owner_id: author,
          attempts: 1,
          state: "sending" as const,
          created_at: at,
          position: reader
        }
        const request = { id: reader, author, email, at, askedBefore: old }
        const page = { after: reader, limit: 50 }
        const reads = {
          ask: [2, subscribers.ask(request)],
          subscription: [OWNERS, subscribers.subscription(reader)],
          confirm: [OWNERS, subscribers.confirm(reader, at, at)],
          end: [OWNERS, subscribers.end({ author, mailbox }, at)],
          endAll: [1, subscribers.endAll(mailbox, at)],
          complained: [1, subscribers.complained(reader, at)],
          failed: [2, subscribers.failed(reader, at)],
          refused: [2, subscribers.failed(reader, at, postId(1))],
          list: [51, subscribers.list(author, undefined, page)],
          active: [60, subscribers.list(author, "active", page)],
          find: [1, subscribers.find(author, mailbox)],
          sweepRequests: [400, subscribers.sweepRequests(new Date("2026-01-02"))],
          leavers: [400, subscribers.leavers(new Date("2026-01-02"), new Date("2026-01-02"), 100)],
          readers: [1_000, mailings.readers(mailing, 1_000)],
          progress: [OWNERS, mailings.progress(author, postId(1))],
          body: [OWNERS, mailings.body(postId(1), reader)],
          begin: [OWNERS, mailings.begin(postId(3), author, at)],
          beginForNone: [OWNERS, mailings.begin(postId(3), yield* insertOwner(3), at)]
        } as const
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const)
          for (const [name, [most, read]] of Object.entries(reads)) {
            const nodes = yield* planNodes(mode, read as Effect.Effect<unknown, unknown>)
            assert.notInclude(wholeTables(nodes), "subscribers", `${name}, ${mode}`)
            assert.notInclude(wholeTables(nodes), "mailings", `${name}, ${mode}`)
            assert.isAtMost(mostRows(nodes), most, `${name}, ${mode}`)
          }
      })
  )
})
