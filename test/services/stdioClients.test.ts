import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Client as ModernClient } from "@modelcontextprotocol/client"
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Client as Postgres } from "pg"
import { runDemo } from "../../src/bin/demoFlow.ts"
import type { AnyClient } from "../mcp/officialClients.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"
import { soak } from "../support/soak.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"
import { useEveryTool } from "./everyTool.ts"
import { built, programOf } from "./svcMcpProgram.ts"

const INFO = { name: "tests", version: "1.0.0" }

type Connect = (args: Array<string>) => Promise<AnyClient>

const connectedOld: Connect = async (args) => {
  const client = new Client(INFO)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }) as never
  )
  return client as AnyClient
}

const connectedNew =
  (mode: "legacy" | "auto" | { pin: string }): Connect =>
  async (args) => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } })
    await client.connect(new ModernTransport({ command: process.execPath, args, stderr: "ignore" }))
    return client as unknown as AnyClient
  }

const clients: Readonly<Record<string, Connect>> = {
  "sdk 1.32": connectedOld,
  "client 2.4": connectedNew("legacy"),
  "client 2.4, which finds out the revision": connectedNew("auto"),
  "client 2.4 of 2026-07-28": connectedNew({ pin: "2026-07-28" })
}

/** Clients with a handshake; the later revision has no pings. */
const hasPing: ReadonlySet<string> = new Set(["sdk 1.32", "client 2.4"])

/** An agent of a service that has Posts, over the program as it is built. */
const stage = Effect.fnUntraced(function* (database: string) {
  const service = yield* started(database, {}, { SCANNER: "none" })
  const { origin } = service
  const path = yield* built(origin)
  yield* runDemo({ baseUrl: origin, markdown: "Pennies.", print: () => Effect.void }).pipe(
    Effect.provide(Layer.mergeAll(NodeHttpClient.layerUndici, SecureRandom.layerWebCrypto))
  )
  const { data } = JSON.parse((yield* get(`${origin}/api/posts`)).text)
  const paid = data.find((post: any) => post.enablePaywall)
  const free = data.find((post: any) => !post.enablePaywall)
  const directory = join(yield* temporaryDirectory, "state")
  const program = programOf(path, origin, directory)
  const { code, log } = yield* program.run("setup", "new-agent", "--name", "Agent", "--handle", "agent_one")
  assert.strictEqual(code, 0, log)
  return {
    ...service,
    directory,
    freePost: free.id as string,
    paidPost: paid.id as string,
    priceRaw: paid.priceRaw as string,
    files: join(directory, "files"),
    args: [path, "--origin", origin, "--state-dir", directory, "serve"]
  }
})

const grantsIn = (directory: string) => {
  const database = new DatabaseSync(join(directory, "state.db"), { readOnly: true })
  try {
    return database.prepare("select * from grants").all()
  } finally {
    database.close()
  }
}

const connection = (connectionString: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Postgres({ connectionString })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** Begins a call. `ended` tells what became of it at the client. */
const cancellable = (name: string, client: AnyClient) => {
  const controller = new AbortController()
  const options = { signal: controller.signal }
  const ended = client
    .callTool(
      { name: "svc_list_drafts", arguments: {} },
      ...(name === "sdk 1.32" ? [undefined, options] : [options])
    )
    .then(
      () => "answered",
      () => "cancelled"
    )
  return { abort: () => controller.abort(), ended }
}

describe("svc-mcp, as it is built", () => {
  it.live("Official clients use the program over standard input and output, two together", () =>
    Effect.gen(function* () {
      const there = yield* stage("test_stdio_clients")
      // In the short form, each client uses the program beside the next one; in the soak also beside one of its kind.
      const names = Object.keys(clients)
      const different = names.flatMap((name, at) => (at % 2 === 0 ? [[name, names[at + 1] ?? name]] : []))
      const pairs = [...different, ...names.map((name) => [name, name])]
      for (const together of pairs.slice(0, soak(different.length, pairs.length)))
        yield* Effect.promise(() =>
          Promise.all(
            together.map(async (name, at) => {
              const client = await clients[name]!(there.args)
              await useEveryTool(client, there, `${name}, ${at} of ${together.length}`)
              if (hasPing.has(name)) await client.ping()
              assert.include(client.getInstructions() ?? "", "untrusted")
              await client.close()
            })
          )
        )
      assert.deepStrictEqual(grantsIn(there.directory), [])
      assert.notInclude(readFileSync(join(there.directory, "state.db"), "latin1"), "approved")
    })
  )

  it.live("A cancelled call ends, and the next one goes on", () =>
    Effect.gen(function* () {
      const there = yield* stage("test_stdio_cancelling")
      const databaseUrl = Redacted.value(there.databaseUrl)
      const holder = yield* connection(databaseUrl)
      const observer = yield* connection(databaseUrl)
      const waiting = Effect.promise(async () => {
        const { rowCount } = await observer.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        )
        return rowCount ?? 0
      })
      for (const [name, connect] of Object.entries(clients)) {
        const client = yield* Effect.promise(() => connect(there.args))
        yield* Effect.promise(() => holder.query("begin; lock table posts in access exclusive mode"))
        const { abort, ended } = cancellable(name, client)
        yield* eventually(
          "a read that waits",
          Effect.map(waiting, (count) => count > 0)
        )
        abort()
        assert.strictEqual(yield* Effect.promise(() => ended), "cancelled", name)
        // The program ends its request, and with it the work of the service.
        yield* eventually(
          `no read that waits (${name})`,
          Effect.map(waiting, (count) => count === 0)
        )
        yield* Effect.promise(() => holder.query("rollback"))
        const { structuredContent } = yield* Effect.promise(() =>
          client.callTool({ name: "svc_list_drafts", arguments: {} })
        )
        assert.strictEqual(structuredContent.total, 0, name)
        yield* Effect.promise(() => client.close())
      }
    })
  )
})
