import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { as } from "../../platform/mail/outbox.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { inTime, type Uploader, uploaderOf, workOff, zipFile } from "../../support/actors/uploader.ts"
import { soak } from "../../support/soak.ts"
import { type TestAnswer, TestClient, type TestRequest } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { storingAfter } from "../uploads/pipeline/otherStorage.ts"
import { within, world } from "../uploads/screenings.ts"
import { paywalled } from "./paywalled.ts"

/** Refuses what no order of events may leave: rules 3.1 and 4.3.8 hold at every commit. */
const watched = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* sql`
      create function watch_posts() returns trigger language plpgsql as $$
      declare files record;
      begin
        select count(*) as files, count(*) filter (where state = 'receiving') as receiving into files
        from post_attachments where post_id = new.id and removed_at is null;
        if files.files > files.receiving and (not new.enable_paywall or coalesce(new.paid_content_markdown, '') = '') then
          raise exception 'a Post with files is free or empty';
        end if;
        if new.status = 'published' and old.status <> 'published' and files.receiving > 0 then
          raise exception 'a Post is published whose file has not arrived';
        end if;
        return new;
      end $$`.unprepared
    yield* sql`create trigger watch_posts after update on posts for each row execute function watch_posts()`
      .unprepared
    yield* sql`
      create function watch_files() returns trigger language plpgsql as $$
      begin
        if new.state <> 'receiving' and new.removed_at is null and not exists (
          select from posts where id = new.post_id and enable_paywall and coalesce(paid_content_markdown, '') <> '') then
          raise exception 'a file is on a Post that is free or empty';
        end if;
        return new;
      end $$`.unprepared
    yield* sql`
      create constraint trigger watch_files after insert or update on post_attachments deferrable initially deferred
      for each row execute function watch_files()`.unprepared
  })

/** Two processes over one database and one store. `meanwhile` runs once, before the store does what it names. */
const twoProcesses = Effect.fnUntraced(function* (name: string) {
  const shared = yield* world
  const storage = Context.get(shared, ObjectStorage)
  let meanwhile: { readonly store: string; readonly run: Effect.Effect<unknown> } | undefined
  const before = (key: string) =>
    Effect.suspend((): Effect.Effect<unknown> => {
      if (meanwhile === undefined || !key.startsWith(meanwhile.store)) return Effect.void
      const { run } = meanwhile
      meanwhile = undefined
      return run
    })
  const seamed = ObjectStorage.of({ ...storage, ...storingAfter(storage, before) })
  const [first, second] = yield* twoAssemblies(name, {
    adminToken: ADMIN_TOKEN,
    ...within(Context.add(shared, ObjectStorage, seamed))
  })
  const sql = Context.get(first!, SqlClient.SqlClient)
  yield* watched(sql)
  const { objects } = Context.get(shared, ObjectStorageMemory)
  return {
    first: first!,
    second: second!,
    sql,
    /** Does something in the moment before an object with this prefix is stored. */
    before: (store: string, run: Effect.Effect<unknown>) => {
      meanwhile = { store, run }
    },
    /** Works in both processes until nothing is due, then compares rows and objects. */
    settled: Effect.gen(function* () {
      yield* as(first!)(workOff)
      yield* as(second!)(workOff)
      const keys = [...(yield* objects).keys()]
      const files = yield* sql<{ readonly key: string; readonly ready: boolean }>`
        select 'attachments/' || post_id || '/' || a.id || '.zip' as key, a.state = 'ready' as ready
        from post_attachments a join posts p on p.id = a.post_id order by 1`
      assert.deepStrictEqual(
        keys.filter((key) => key.startsWith("attachments/")).toSorted(),
        files.filter(({ ready }) => ready).map(({ key }) => key as never)
      )
      assert.deepStrictEqual(
        keys.filter((key) => !key.startsWith("attachments/")),
        []
      )
      assert.deepStrictEqual(
        yield* sql`select 1 from upload_operations where next_task is not null or staged_bytes > 0`,
        []
      )
      const lost = yield* sql`
        select 1 from post_attachments a where not exists (select from posts p where p.id = a.post_id)`
      assert.lengthOf(lost, 0)
      return files
    })
  }
})
type Processes = Effect.Success<ReturnType<typeof twoProcesses>>

/** A request of the author to the second process. */
type Send = (method: string, path: string, request?: TestRequest) => Effect.Effect<TestAnswer>

/** An act of the author, or of a moderator, while a ZIP is attached. */
interface Opponent {
  readonly act: (it: {
    readonly send: Send
    readonly post: string
    readonly author: Uploader
    readonly second: Processes["second"]
  }) => Effect.Effect<TestAnswer | undefined>
  /** The status while the file arrives, and its refusal then; and the status later. */
  readonly arriving: readonly [status: number, refusal: string | undefined]
  readonly later: number
  /** Files that are left: of one that arrived with it, and of one that was there. */
  readonly left: readonly [arriving: number, pending: number, ready: number]
}

const firstFile = Effect.fnUntraced(function* (send: Send, post: string) {
  const { operations } = (yield* send("GET", `/api/v1/posts/${post}/attachments`)).body
  return operations[0].safety.operationId as string
})

const opponents: Readonly<Record<string, Opponent>> = {
  "is published": {
    act: ({ post, send }) =>
      send("POST", `/api/v1/posts/${post}/publish`, { headers: { "idempotency-key": crypto.randomUUID() } }),
    arriving: [422, undefined],
    later: 200,
    left: [1, 1, 1]
  },
  "becomes free": {
    act: ({ post, send }) => send("PATCH", `/api/v1/posts/${post}`, { body: { enablePaywall: false } }),
    arriving: [200, "paid-post-required"],
    later: 422,
    left: [0, 1, 1]
  },
  "loses its paid text": {
    act: ({ post, send }) => send("PATCH", `/api/v1/posts/${post}`, { body: { paidContentMarkdown: null } }),
    arriving: [200, "paid-content-required"],
    later: 422,
    left: [0, 1, 1]
  },
  "is deleted": {
    act: ({ post, send }) => send("DELETE", `/api/v1/posts/${post}`),
    arriving: [204, undefined],
    later: 204,
    left: [0, 0, 0]
  },
  "loses the file": {
    act: Effect.fnUntraced(function* ({ post, send }) {
      const id = yield* firstFile(send, post)
      return yield* send("DELETE", `/api/v1/posts/${post}/attachments/${id}`)
    }),
    arriving: [200, undefined],
    later: 200,
    left: [0, 0, 0]
  },
  "has an author who is restricted": {
    act: Effect.fnUntraced(function* ({ author, second }) {
      const moderator = yield* as(second)(administrator())
      yield* Effect.orDie(moderator["accounts.restrict"]({ handle: author.handle, reason: "A test" }))
      yield* as(second)(followRestrictions)
      return undefined
    }, Effect.scoped),
    arriving: [0, undefined],
    later: 0,
    left: [1, 1, 1]
  }
}

describe("a Post that changes in one process while a ZIP is attached in another (3.1, 4.3.8)", () => {
  let number = 0
  for (const [what, { act, arriving, later, left }] of Object.entries(opponents))
    it.effect(`A Post that ${what} keeps the rules in each moment of an attachment`, () =>
      Effect.gen(function* () {
        const name = `test_attachments_race_${Object.keys(opponents).indexOf(what)}`
        const { before, first, second, settled, sql } = yield* twoProcesses(name)
        const there = Context.get(second, TestClient)
        for (const moment of ["arriving", "received", "copied", "ready"] as const) {
          const author = yield* as(first)(uploaderOf(++number))
          const send: Send = (method, path, request) =>
            there.send(method, path, { token: author.key, ...request })
          const post = yield* author.draft(paywalled)
          let answer: TestAnswer | undefined
          const meanwhile = Effect.tap(act({ send, post: post.id, author, second }), (it) =>
            Effect.sync(() => {
              answer = it
            })
          )
          if (moment === "arriving") before("staging/", meanwhile)
          if (moment === "copied") before("attachments/", meanwhile)
          const sent = yield* author.attach(post, { key: `attach-${number}` })
          if (moment === "received") yield* meanwhile
          yield* as(first)(workOff)
          if (moment === "ready") yield* meanwhile
          yield* settled

          const [status, refusal] = arriving
          assert.strictEqual(answer?.status ?? 0, moment === "arriving" ? status : later, moment)
          if (moment !== "arriving") assert.strictEqual(sent.status, 202, sent.text)
          else if (refusal !== undefined) assert.deepStrictEqual(refusalOf(sent).slice(0, 2), [422, refusal])
          else assert.isBelow(sent.status, 500, sent.text)
          const [count = 0] = { arriving: left, received: [left[1]], copied: [left[1]], ready: [left[2]] }[
            moment
          ]
          const rows = yield* sql`select state from post_attachments where post_id = ${post.id}`
          assert.deepStrictEqual(
            rows,
            Array.from({ length: count }, () => ({ state: "ready" })),
            moment
          )
          // No reader gets it without a payment, in any state of the Post.
          const [file] = yield* sql<{
            readonly id: string
          }>`select id from upload_operations where target_id = ${post.id}`
          if (file === undefined) continue
          const got = yield* there.send("GET", `/api/posts/${post.id}/attachments/${file.id}`)
          assert.include([402, 404], got.status, got.text)
        }
      })
    )
})

describe("concurrent changes of one Post in two processes", () => {
  it.effect("Attaching, removing, publishing and editing keep the rules in every order", () =>
    Effect.gen(function* () {
      const { first, second, settled, sql } = yield* twoProcesses("test_attachments_race_all")
      const author = yield* as(first)(uploaderOf(1))
      const processes = [first, second].map((it) => Context.get(it, TestClient))
      for (let round = 0; round < soak(4, 40); round++) {
        const { id } = yield* author.draft(paywalled)
        const there = yield* author.attach((yield* author.read(id)).body, {
          parts: [zipFile("x", "there.zip")]
        })
        const { updatedAt } = (yield* author.read(id)).body
        const path = `/api/v1/posts/${id}`
        const send = (n: number, method: string, rest: string, request: TestRequest = {}) =>
          processes[n % 2]!.send(method, `${path}${rest}`, { token: author.key, ...request })
        const acts: ReadonlyArray<(n: number) => Effect.Effect<TestAnswer>> = [
          (n) => author.attach({ id, updatedAt }, { parts: [zipFile(`${n}`, `${n}.zip`)] }),
          (n) => send(n, "PATCH", "", { body: { enablePaywall: false } }),
          (n) => send(n, "POST", "/publish", { headers: { "idempotency-key": `${round}-${n}` } }),
          (n) => send(n, "PATCH", "", { body: { paidContentMarkdown: `text ${n}` } }),
          (n) => send(n, "DELETE", `/attachments/${there.body.attachment.id}`),
          (n) => send(n, "POST", "/unpublish"),
          (n) => send(n, "DELETE", "")
        ]
        const all = [...acts, ...acts].map((act, n) => Effect.suspend(() => act(n + round)))
        const order = all.map((_, n) => all[(n * 5 + round) % all.length]!)
        const answers = yield* inTime(
          Effect.all([...order, as(first)(workOff), as(second)(workOff)] as const, {
            concurrency: "unbounded"
          })
        )
        for (const answer of answers)
          if (typeof answer !== "number") assert.isBelow(answer.status, 500, answer.text)
        yield* settled
      }
      assert.isAbove((yield* sql`select from upload_operations`).length, 0)
    })
  )
})
