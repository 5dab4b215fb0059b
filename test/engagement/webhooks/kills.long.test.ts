import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../../support/actors/author.ts"
import { signIn } from "../../support/actors/owner.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { eventually } from "../../support/eventually.ts"
import { run } from "../../support/processes.ts"
import { servedOver } from "../../support/servedOver.ts"
import { soak } from "../../support/soak.ts"
import { TestClient } from "../../support/TestClient.ts"

const ROUNDS = soak(3, 200)
const WEBHOOKS = 3
/** Comments that are written while a process is killed. */
const COMMENTS = 12
/** Time in which they are written, numbered and sent on an idle machine. */
const BUSY_MILLIS = 500

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Moments that are spread over that time, in no order. */
const momentOf = (round: number) => ((round * 0.618_034 + 0.4) % 1) * BUSY_MILLIS

interface Received {
  readonly path: string
  readonly id: string
  readonly body: string
}

interface EventRow {
  readonly id: string
  readonly subject_id: string
  readonly sequence: number | null
  readonly body: string | null
}

it.live(
  "A service and a receiver that are killed at any moment lose no event, and an id has one content",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_webhook_kills")
      const directory = yield* temporaryDirectory
      const file = join(directory, "received")
      const receiverAt = (port: string) => run("../engagement/webhooks/receiverProcess.ts", [file, port])
      const received = Effect.sync(() =>
        (existsSync(file) ? readFileSync(file, "utf8") : "")
          .split("\n")
          .filter(Boolean)
          .map((line): Received => JSON.parse(line))
      )

      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let receiver = yield* receiverAt("0")
        const origin = yield* receiver.line
        const { port } = new URL(origin)
        let process = yield* servedOver(url, directory)
        const client = TestClient.of({
          send: (...request) => Effect.suspend(() => process.client.send(...request))
        })
        const author = yield* Effect.provideService(authorOf(1), TestClient, client)
        const post = yield* author.published()
        for (const n of numbers(WEBHOOKS)) {
          const { status } = yield* client.send("POST", "/api/v1/webhooks", {
            token: author.accessToken,
            body: { url: `${origin}/${n}`, events: ["comment.created"] }
          })
          assert.strictEqual(status, 201)
        }

        const written = new Set<string>()
        /** Writes a comment. One that has no answer may exist or not. */
        const write = Effect.fnUntraced(function* (token: string, content: string) {
          const answer = yield* Effect.exit(
            client.send("POST", `/api/v1/posts/${post.id}/comments`, {
              token,
              headers: { "idempotency-key": content.replaceAll(" ", "-") },
              body: { content }
            })
          )
          if (Exit.isSuccess(answer) && answer.value.status === 201) written.add(answer.value.body.id)
        })
        const events = sql<EventRow>`select id, subject_id, sequence::int4 as sequence, body from events order by sequence`

        /** Ends the turns of a process that is dead. */
        const endTurns = sql`update webhooks set leased_until = localtimestamp where leased_until > localtimestamp`
        /** Lets the time of rests and of failures pass. */
        const passTime = Effect.andThen(
          sql`update webhook_deliveries set due_at = localtimestamp where state = 'waiting' and due_at > localtimestamp`,
          sql`
            update webhooks set due_at = localtimestamp, is_resting = false,
              leased_until = case when is_resting then localtimestamp else leased_until end
            where is_resting or due_at > localtimestamp and due_at < 'infinity'`
        )

        for (const round of numbers(ROUNDS)) {
          const { accessToken } = yield* Effect.provideService(signIn(1), TestClient, client)
          const writing = yield* Effect.forkChild(
            Effect.forEach(numbers(COMMENTS), (n) => write(accessToken, `Comment ${n} of ${round}`), {
              concurrency: 3
            })
          )
          yield* Effect.sleep(momentOf(round))
          if (round % 3 === 1) {
            yield* receiver.kill("SIGKILL")
            yield* Fiber.join(writing)
            receiver = yield* receiverAt(port)
            assert.strictEqual(yield* receiver.line, origin)
            yield* passTime
          } else {
            yield* process.kill
            yield* Fiber.join(writing)
            yield* endTurns
            process = yield* servedOver(url, directory)
          }
          const before = written.size
          yield* write(accessToken, `The last one of ${round}`)
          assert.strictEqual(written.size, before + 1)
          yield* eventually(
            `everything of round ${round} arrives`,
            Effect.gen(function* () {
              yield* passTime
              const waiting = yield* sql`
                select id from events where sequence is null
                union all select id from webhook_deliveries where state <> 'delivered'`
              const subjects = new Set((yield* events).map((it) => it.subject_id))
              return waiting.length === 0 && [...written].every((id) => subjects.has(id))
            })
          )
        }

        const told = yield* events
        const all = yield* received
        assert.deepStrictEqual(
          told.map(({ sequence }) => sequence),
          numbers(told.length).map((n) => n + 1)
        )
        for (const n of numbers(WEBHOOKS)) {
          const bodies = new Map(all.filter(({ path }) => path === `/${n}`).map(({ body, id }) => [id, body]))
          assert.deepStrictEqual(bodies, new Map(told.map(({ body, id }) => [id, body ?? ""])))
        }
        const contents = new Map(told.map(({ body, id }) => [id, body]))
        for (const { body, id } of all) assert.strictEqual(body, contents.get(id))
      }).pipe(Effect.provide(Layer.fresh(pool(url))))
    }),
  soak(120_000, 1_800_000)
)
