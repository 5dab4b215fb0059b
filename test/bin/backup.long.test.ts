import { execFile } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { makeClient } from "../../src/client/PennypressClient.ts"
import { completePost, publisher } from "../support/actors/owner.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { clientOf } from "../support/httpClient.ts"
import { TestClient } from "../support/TestClient.ts"
import { serveIn } from "../wire/program.ts"

const PROGRAM = fileURLToPath(new URL("../../src/bin/pennypress.ts", import.meta.url))

const path = process.env["PATH"]

/** Runs a command to its end. Returns its output and its status. */
const pennypress = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    promisify(execFile)(process.execPath, [PROGRAM, ...args], {
      env: { PATH: path, SCANNER: "none", ...env }
    }).then(
      ({ stderr, stdout }) => ({ status: 0, text: stdout + stderr }),
      (error) => ({ status: error.code, text: `${error.stdout}${error.stderr}` })
    )
  )

/** Starts the service in a data directory. Returns its origin. */
const served = Effect.fnUntraced(function* (dataDirectory: string) {
  const service = yield* serveIn(dataDirectory, { SCANNER: "none" })
  const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* service.firstLine) ?? []
  return { ...service, origin }
})

describe("the commands of backups", () => {
  it.live("A service is backed up while it runs, and restored into another folder", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const [data, backups, other] = ["data", "backups", "other"].map((name) => join(home, name)) as [
        string,
        string,
        string
      ]
      const first = yield* served(data)
      const client = yield* makeClient({ baseUrl: first.origin })
      yield* Effect.provideService(
        Effect.gen(function* () {
          const test = yield* TestClient
          const { key } = yield* publisher(1)
          const made = yield* test.send("POST", "/api/v1/posts", {
            token: key,
            headers: { "idempotency-key": "one" },
            body: completePost
          })
          yield* test.send("POST", `/api/v1/posts/${made.body.id}/publish`, {
            token: key,
            headers: { "idempotency-key": "two" },
            body: {}
          })
        }),
        TestClient,
        clientOf(first.origin)
      )
      assert.lengthOf((yield* client.discovery.posts({ query: {} })).data, 1)

      const made = yield* pennypress(["backup", "--to", backups], { PENNYPRESS_DATA: data })
      assert.strictEqual(made.status, 0, made.text)
      assert.match(made.text, /The service's secret is not in it/)

      const unasked = yield* pennypress(["restore", "--from", backups, "--into", other], {})
      assert.strictEqual(unasked.status, 1)
      assert.match(unasked.text, /^pennypress: The secret of the service is not in this backup/m)
      const full = yield* pennypress(["restore", "--from", backups, "--into", data], {
        SERVER_SECRET: readFileSync(join(data, "server-secret"), "utf8").trim()
      })
      assert.strictEqual(full.status, 1)
      assert.match(full.text, /is not empty/)

      const restored = yield* pennypress(["restore", "--from", backups, "--into", other], {
        SERVER_SECRET: readFileSync(join(data, "server-secret"), "utf8").trim()
      })
      assert.strictEqual(restored.status, 0, restored.text)
      assert.match(restored.text, /is restored/)
      assert.strictEqual(statSync(join(other, "server-secret")).mode & 0o077, 0)
      assert.isNotEmpty(readdirSync(other))
      const second = yield* served(other)
      const again = yield* makeClient({ baseUrl: second.origin })
      assert.deepStrictEqual(
        (yield* again.discovery.posts({ query: {} })).data.map(({ title }) => title),
        [completePost.title]
      )
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
