import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Client } from "pg"
import { eventually } from "../support/eventually.ts"
import { started } from "../wire/server.ts"
import { type AnyClient, clients } from "./officialClients.ts"

/** An id that no Post has. */
const NO_POST = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

const connected = (connectionString: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** Begins a call of a tool. `ended` tells what became of it at the client. */
const cancellableCall = (name: string, client: AnyClient) => {
  const controller = new AbortController()
  const options = { signal: controller.signal }
  const ended = client
    .callTool(
      { name: "svc_preview", arguments: { post_id: NO_POST } },
      ...(name === "sdk 1.32" ? [undefined, options] : [options])
    )
    .then(
      () => "answered",
      () => "cancelled"
    )
  return { abort: () => controller.abort(), ended }
}

describe("a call that its client cancels", () => {
  it.live("A cancelled call ends at the client, keeps the connection, and stops with its request", () =>
    Effect.gen(function* () {
      const { databaseUrl, logs, origin } = yield* started("test_mcp_cancellation")
      const url = new URL(`${origin}/mcp`)
      const holder = yield* connected(Redacted.value(databaseUrl))
      const observer = yield* connected(Redacted.value(databaseUrl))
      const waiting = Effect.promise(async () => {
        const { rowCount } = await observer.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        )
        return rowCount ?? 0
      })

      for (const [name, connect] of Object.entries(clients)) {
        const client = yield* Effect.promise(() => connect(url, fetch))
        // Reads of Posts wait until the transaction ends.
        yield* Effect.promise(() => holder.query("begin; lock table posts in access exclusive mode"))
        const { abort, ended } = cancellableCall(name, client)
        yield* eventually(
          "a read that waits",
          Effect.map(waiting, (count) => count > 0)
        )
        abort()
        assert.strictEqual(yield* Effect.promise(() => ended), "cancelled", name)
        // A client without a handshake cancels by ending the request, and with it ends the work.
        if (name.endsWith("2026-07-28")) {
          yield* eventually(
            "no read that waits",
            Effect.map(waiting, (count) => count === 0)
          )
        }
        yield* Effect.promise(() => holder.query("rollback"))
        const { structuredContent } = yield* Effect.promise(() =>
          client.callTool({ name: "svc_preview", arguments: { post_id: NO_POST } })
        )
        assert.strictEqual(structuredContent.reason, "not_public", name)
        yield* Effect.promise(() => client.close())
      }
      assert.deepStrictEqual(
        logs.filter(({ level }) => level === "Error" || level === "Fatal"),
        []
      )
    })
  )
})
