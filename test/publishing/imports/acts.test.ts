import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { ImportState } from "../../../schemas/publishing/imports/Import.ts"
import { nextState } from "../../../src/publishing/imports/rows/importState.ts"
import { keysOf } from "../../accounts/api-keys/keys.ts"
import { ownerIdOf } from "../../payments/settlement/paying.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { type Importer, importerOf, stepImports, withJsonItems, workImports } from "./importer.ts"
import { fileOf } from "./jsonItems.ts"

const declared = { creationMethod: "human_written", creationAttested: true } as const

/** Puts a row of an import into a state, as its steps do. */
const put = Effect.fnUntraced(function* (id: string, state: ImportState) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update imports set state = ${state} where id = ${id}`
})

layer(service(database("test_import_acts"), 1, withJsonItems))("acts on imports", (it) => {
  it.effect("Each state allows the acts that its row of the table has, and refuses the others", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const { id } = yield* author.imported([{}])
      const [item] = (yield* author.items(id)).body.data
      const acts = {
        apply: () => author.apply(id, { items: "all" }),
        publish: () => author.publishItems(id, { items: [item.id], ...declared }),
        undo: () => author.undo(id),
        cancel: () => author.cancelImport(id)
      }
      const states = [
        "awaiting_file",
        "reading",
        "review",
        "applying",
        "done",
        "failed",
        "cancelled"
      ] as const
      for (const state of states)
        for (const [act, run] of Object.entries(acts)) {
          yield* put(id, state)
          const answer = yield* run()
          const next = nextState(state, act as keyof typeof acts)
          if (next === undefined) {
            assert.deepStrictEqual(refusalOf(answer), [409, "import-state"], `${state} ${act}`)
            assert.strictEqual(answer.body.state, state)
          } else assert.isBelow(answer.status, 300, `${state} ${act} ${answer.text}`)
          assert.strictEqual((yield* author.get(id)).body.state, next ?? state, `${state} ${act}`)
        }
      for (const state of ["reading", "applying"] as const) {
        yield* put(id, state)
        const refused = yield* author.removeImport(id)
        assert.deepStrictEqual(refusalOf(refused), [409, "import-in-progress"])
        assert.strictEqual(refused.body.importId, id)
      }
      yield* put(id, "review")
      assert.strictEqual((yield* author.removeImport(id)).status, 204)
    })
  )

  it.effect("A cancel ends an import before its next item, and what was made stays", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const reading = (yield* author.begin(fileOf([{}]))).body
      yield* author.put(reading.id, fileOf([{}]))
      assert.strictEqual((yield* author.cancelImport(reading.id)).body.state, "cancelled")
      yield* workImports
      assert.strictEqual((yield* author.get(reading.id)).body.state, "cancelled")
      const { id } = yield* author.imported([{}, {}])
      const { data } = (yield* author.items(id)).body
      yield* author.apply(id, { items: [data[0].id] })
      yield* workImports
      yield* author.apply(id, { items: "all" })
      assert.strictEqual((yield* author.cancelImport(id)).body.state, "cancelled")
      yield* workImports
      const after = (yield* author.items(id)).body.data
      assert.deepStrictEqual(
        after.map((it: any) => it.outcome),
        ["created", "new"]
      )
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 1, kept: 0 })
    })
  )

  it.effect(
    "An undo deletes a draft whose publication was refused, and keeps one that its author edited",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(9)
        const { id } = yield* author.imported([{}, {}])
        yield* author.apply(id)
        yield* workImports
        const { data } = (yield* author.items(id)).body
        const { body: post } = yield* author.read(data[1].postId)
        yield* author.patch(post.id, { ogTitle: "Mine" }, { "x-post-revision": post.updatedAt })
        // Without a category no post is published, and the declaration is written before that is found.
        yield* author.publishItems(id, { items: data.map((it: any) => it.id), ...declared })
        yield* workImports
        for (const it of (yield* author.items(id)).body.data)
          assert.deepStrictEqual(
            it.report.map(({ code }: any) => code),
            ["publication_incomplete"]
          )
        assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 1, kept: 1 })
      })
  )

  it.effect("A key that ends while its import works ends that work", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(3)
      const { id } = yield* author.imported([{}])
      yield* author.apply(id)
      const keys = yield* keysOf(author.accessToken)
      const ownerId = yield* ownerIdOf(author.accessToken)
      for (const { keyId } of yield* keys.list) yield* keys.revoke(keyId)
      yield* workImports
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly state: string }>`select state from imports where id = ${id}`
      assert.deepStrictEqual(rows, [{ state: "cancelled" }])
      assert.isEmpty(yield* sql`select from posts where owner_id = ${ownerId}`)
    })
  )

  it.effect("A restricted account reads and deletes its imports, and nothing else", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(4)
      const { id } = yield* author.imported([{}])
      yield* author.apply(id)
      const sql = yield* SqlClient.SqlClient
      const ownerId = yield* ownerIdOf(author.accessToken)
      yield* sql`update owners set restricted_at = ${new Date(0)} where id = ${ownerId}`
      const [item] = (yield* author.items(id)).body.data
      const refused = [
        yield* author.begin(10),
        yield* author.put(id, fileOf([{}])),
        yield* author.apply(id),
        yield* author.publishItems(id, { items: [item.id], ...declared }),
        yield* author.undo(id),
        yield* author.cancelImport(id)
      ]
      for (const answer of refused) assert.deepStrictEqual(refusalOf(answer), [403, "account-restricted"])
      yield* workImports
      assert.strictEqual((yield* author.get(id)).body.state, "cancelled")
      assert.strictEqual((yield* author.removeImport(id)).status, 204)
    })
  )

  it.effect("Another process goes on where the first one stopped, and writes no item twice", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(6)
      const file = fileOf(Array.from({ length: 25 }, (_, n) => ({ title: `Post ${n}` })))
      const { id } = (yield* author.begin(file)).body
      yield* author.put(id, file)
      const sql = yield* SqlClient.SqlClient
      // A process that was killed after its first batch leaves rows and a lease.
      yield* stepImports
      yield* sql`delete from import_items where import_id = ${id} and ordinal >= 10`
      yield* sql`
        update imports set state = 'reading', due_at = ${new Date(60_000)}, counts = jsonb_set(counts::jsonb, '{items}', '10')::json
        where id = ${id}`
      assert.strictEqual(yield* stepImports, 0)
      yield* TestClock.adjust("1 minute")
      yield* workImports
      const { data, pagination } = (yield* author.items(id, "?limit=100")).body
      assert.deepStrictEqual(
        data.map(({ ordinal }: any) => ordinal),
        Array.from({ length: 25 }, (_, n) => n)
      )
      assert.isFalse(pagination.hasMore)
      assert.strictEqual((yield* author.get(id)).body.counts.items, 25)
    })
  )
})

layer(service(database("test_import_acts_limits"), 2, { ...withJsonItems, rateLimitFactor: 1 }))(
  "limits of imports",
  (it) => {
    it.effect("An account begins ten imports a day, and repeats are free", () =>
      Effect.gen(function* () {
        const author = yield* importerOf(1)
        for (let n = 0; n < 10; n++) {
          const begun = yield* author.begin(10, { key: `of-day-${n}` })
          assert.strictEqual(begun.status, 201, begun.text)
          assert.strictEqual((yield* author.begin(10, { key: `of-day-${n}` })).status, 201)
          yield* author.cancelImport(begun.body.id)
        }
        const refused = yield* author.begin(10)
        assert.deepStrictEqual(refusalOf(refused), [429, "rate-limited"])
        yield* TestClock.adjust("1 day")
        assert.strictEqual((yield* author.begin(10)).status, 201)
      })
    )
  }
)

layer(service(database("test_import_acts_client"), 3, withJsonItems))("races over imports", (it) => {
  it.effect("Two processes that apply, cancel and undo leave each draft with one source", () =>
    Effect.gen(function* (): Effect.fn.Return<void, unknown, Scope.Scope> {
      const processes = yield* twoAssemblies("test_import_races", withJsonItems)
      const on =
        (n: number) =>
        <A>(effect: Effect.Effect<A, any, any>): Effect.Effect<A> =>
          Effect.orDie(Effect.provideContext(effect, processes[n % 2]! as never)) as Effect.Effect<A>
      const author: Importer = yield* on(0)(importerOf(1))
      const { id } = yield* on(0)(author.imported([{}, {}, {}, {}]))
      // One of two requests begins, and the other one learns that the import works.
      const begun = yield* Effect.all([on(0)(author.apply(id)), on(1)(author.apply(id))], { concurrency: 2 })
      assert.deepStrictEqual(begun.map(({ status }) => status).toSorted(), [202, 409])
      yield* Effect.all([on(0)(workImports), on(1)(workImports), on(0)(author.cancelImport(id))], {
        concurrency: 3
      })
      yield* on(1)(workImports)
      const sql = Context.get(processes[0], SqlClient.SqlClient)
      const rows = yield* sql<{ readonly posts: bigint; readonly sources: bigint; readonly items: bigint }>`
        select (select count(*) from posts) as posts, (select count(*) from import_sources) as sources,
          (select count(*) from import_items where post_id is not null) as items`
      const [{ items, posts, sources } = { items: 0n, posts: 1n, sources: 2n }] = rows
      assert.deepStrictEqual([posts, sources], [items, items])

      // An edit either comes before the undo, and keeps its draft, or finds it gone.
      const { data } = (yield* on(0)(author.items(id))).body
      const made: ReadonlyArray<{ readonly postId: string }> = data.filter(
        ({ postId }: { readonly postId: string | null }) => postId !== null
      )
      const raced = yield* Effect.all(
        [
          on(0)(author.undo(id)),
          ...made.map((item) => on(1)(author.patch(item.postId, { title: "Edited" })))
        ],
        { concurrency: 5 }
      )
      const [undone, ...edits] = raced as ReadonlyArray<any>
      const kept = edits.filter(({ status }) => status === 200).length
      assert.deepStrictEqual(undone.body, { deleted: made.length - kept, kept })
      const left = yield* sql`select from posts`
      assert.lengthOf(left, kept)
    })
  )
})
