import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../../support/actors/author.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"

/** Writes to each Post. */
const WRITES = 40
const POSTS = 3

/** A state of a Post; an absent title means that it is not public. */
type State = string | undefined

/** The states of a Post in the order of its writes, and the ones that a client saw in an answer. */
interface History {
  readonly id: string
  readonly states: Array<State>
  /** For each process, the last state whose write it answered. */
  readonly told: [number, number]
}

/** One process over the database, with its own store of answers. The clock of both stands still: no answer expires. */
const process = (url: Parameters<typeof pool>[0], seed: number) =>
  Layer.build(Layer.fresh(service(pool(url, { signals: true }), seed, { isAlone: false })))

const titleOf = ({ body, status }: TestAnswer): State => (status === 200 ? body.title : undefined)

/** A reader that fails when it sees a state from before one that it saw in an answer. */
const watcher = ({ states, told }: History, process: 0 | 1) => {
  let least = 0
  return <E, R>(read: Effect.Effect<State, E, R>) =>
    Effect.suspend(() => {
      const from = Math.max(least, told[process])
      return Effect.map(read, (seen) => {
        assert.include(states.slice(from), seen, `at ${from} of ${JSON.stringify(states)}`)
        least = states.indexOf(seen, from)
      })
    })
}

describe("kept answers of two processes", () => {
  it.effect("A kept answer is never older than its process's changes, and soon has those of the other", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_discovery_coherence")
      const processes = yield* Effect.all([process(url, 1), process(url, 2)])
      const clients = processes.map((it) => Context.get(it, TestClient)) as [
        TestClient["Service"],
        TestClient["Service"]
      ]
      const [first] = processes
      const sql = Context.get(first, SqlClient.SqlClient)

      const histories = yield* Effect.forEach(
        Array.from({ length: POSTS }, (_, n) => n),
        Effect.fnUntraced(function* (n) {
          const author = yield* authorOf(n)
          const { id } = yield* author.published({ title: `${n} begins` })
          return { author, history: { id, states: [`${n} begins`], told: [0, 0] } as History }
        })
      ).pipe(Effect.provide(first))

      const progress = { isDone: false }

      /** Changes, unpublishes and publishes a Post, each through one process or the other. */
      const write = Effect.fnUntraced(function* ({ author, history }: (typeof histories)[number]) {
        for (let n = 1; n <= WRITES; n++) {
          const at = yield* Random.nextIntBetween(0, 1)
          const path = `/api/v1/posts/${history.id}`
          const send = (method: string, path: string, body?: unknown) =>
            clients[at]!.send(method, path, {
              token: author.key,
              headers: { "idempotency-key": `${history.id}-${n}` },
              ...(body === undefined ? {} : { body })
            })
          const isPublic = history.states.at(-1) !== undefined
          if (!isPublic) {
            history.states.push(history.states.findLast((it) => it !== undefined))
            assert.strictEqual((yield* send("POST", `${path}/publish`)).status, 200)
          } else if ((yield* Random.nextIntBetween(0, 3)) === 0) {
            history.states.push(undefined)
            assert.strictEqual((yield* send("POST", `${path}/unpublish`)).status, 200)
          } else {
            const title = `${history.id.slice(-4)} is ${n}`
            history.states.push(title)
            assert.strictEqual((yield* send("PATCH", path, { title })).status, 200)
          }
          history.told[at] = history.states.length - 1
          // Another process takes the place of the second one, with an empty store.
          if (n === WRITES / 4 && history === histories[0]?.history)
            clients[1] = Context.get(yield* process(url, 3), TestClient)
          if (n === WRITES / 2) {
            yield* sql`
              select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and application_name = 'pennypress signals'`
          }
        }
      })

      /** Reads a Post and a list over and over through one process. */
      const read = Effect.fnUntraced(function* (at: 0 | 1, { history }: (typeof histories)[number]) {
        const watchPost = watcher(history, at)
        const watchList = watcher(history, at)
        while (!progress.isDone) {
          // Kept answers need no input or output: without a pause the writers would get no turn.
          yield* Effect.promise(() => setImmediate())
          yield* watchPost(Effect.map(clients[at].send("GET", `/api/posts/${history.id}`), titleOf))
          yield* watchList(
            Effect.map(
              clients[at].send("GET", "/api/posts?per_page=50"),
              ({ body }) => body.data.find((it: { readonly id: string }) => it.id === history.id)?.title
            )
          )
        }
      })

      const writers = Effect.forEach(histories, write, { concurrency: "unbounded" }).pipe(
        Effect.ensuring(Effect.sync(() => (progress.isDone = true)))
      )
      const readers = histories.flatMap((it) => [read(0, it), read(1, it)])
      yield* Effect.all([writers, ...readers], { concurrency: "unbounded", discard: true })

      for (const { history } of histories) {
        for (const client of clients) {
          yield* eventually(
            "the last state in every process",
            Effect.map(
              client.send("GET", `/api/posts/${history.id}`),
              (answer) => titleOf(answer) === history.states.at(-1)
            )
          )
        }
      }
    })
  )
})
