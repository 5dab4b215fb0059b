import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { completePost, publisher, signIn } from "./support/actors/owner.ts"
import { database } from "./support/Database.ts"
import { service, TestClient } from "./support/TestClient.ts"

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8")

const PUBLISHING = readFileSync(new URL("../src/publishing/README.md", import.meta.url), "utf8")

/** Returns the requests of a block of a document, as curl would send them. */
const requestsOf = (document: string, name: string) => {
  const [, block = ""] = new RegExp(`^\`\`\`sh ${name}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(document) ?? []
  return block
    .split(/^curl /m)
    .slice(1)
    .map((command) => ({
      method: /-X (\w+)/.exec(command)?.[1] ?? (command.includes("--json") ? "POST" : "GET"),
      body: /--json '([^']*)'/.exec(command)?.[1] ?? "",
      headers: [...command.matchAll(/-H "([^:]+): ([^"]*)"/g)].map(([, name = "", value = ""]) => [
        name,
        value
      ]),
      path: /http:\/\/localhost:4020([^\s"]+)/.exec(command)?.[1] ?? ""
    }))
}

layer(service(database("test_tour")))("the first tour", (it) => {
  it.effect("A wallet signs in, publishes a Post, and anyone reads it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const client = yield* TestClient
      const { accessToken, handle, key } = yield* publisher(1)

      const me = yield* client.send("GET", "/api/v1/me", { token: accessToken })
      assert.deepStrictEqual(me.body.publication, { ready: true, blockers: [] })

      const created = yield* client.send("POST", "/api/v1/posts", { token: key, body: completePost })
      assert.strictEqual(created.status, 201)
      assert.strictEqual(created.body.slug, "on-pennies")

      const published = yield* client.send("POST", `/api/v1/posts/${created.body.id}/publish`, {
        token: key,
        headers: { "idempotency-key": "first-light" }
      })
      assert.strictEqual(published.status, 200)
      assert.strictEqual(published.body.url, `https://press.test/@${handle}/on-pennies`)
      assert.strictEqual(published.body.publishedAt, "2026-11-21T05:00:00.000000Z")

      const found = yield* client.send("GET", "/api/posts?q=penny")
      assert.strictEqual(found.body.total, 1)
      const page = yield* client.send("GET", `/@${handle}/on-pennies`)
      assert.include(page.text, "<p>A penny for your <strong>thoughts</strong>.</p>")
      const text = yield* client.send("GET", `/@${handle}/on-pennies.md`)
      assert.include(text.text, completePost.freeContentMarkdown)
      const read = yield* client.send("GET", `/api/posts/${found.body.data[0].id}/public-content`)
      assert.strictEqual(read.body.contentMarkdown, completePost.freeContentMarkdown)
    })
  )

  it.effect("The requests of the README publish a Post for sale, and mail it", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken, wallet } = yield* signIn(2)
      const requests = requestsOf(README, "publish")
      assert.lengthOf(requests, 6)
      const known: Record<string, string> = { ACCESS_TOKEN: accessToken }
      const filled = (text: string) =>
        text
          .replaceAll(/\$([A-Z_]+)/g, (_, name: string) => known[name] ?? "")
          .replace("nano_…", wallet.account)
      const send = ({ body, headers, method, path }: (typeof requests)[number]) =>
        client.send(method, filled(path), {
          headers: Object.fromEntries(headers.map(([name = "", value = ""]) => [name, filled(value)])),
          ...(body === "" ? {} : { body: JSON.parse(filled(body)) })
        })
      let last: any
      for (const request of requests) {
        const answer = yield* send(request)
        const { path } = request
        assert.oneOf(answer.status, [200, 201], answer.text)
        last = answer.body
        if (last.key !== undefined) known["KEY"] = last.key
        if (last.updatedAt !== undefined) known["UPDATED_AT"] = last.updatedAt
        if (path === "/api/v1/posts") known["POST_ID"] = last.id
      }
      const { body } = yield* client.send("GET", `/api/posts/${known["POST_ID"]}`)
      assert.strictEqual(body.title, "On two pennies")
      assert.strictEqual(last.url, `https://press.test/@ada_writes/${body.slug}`)
      const statuses = yield* Effect.forEach(requestsOf(README, "mail"), (request) =>
        Effect.map(send(request), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [202, 200, 202])
    })
  )

  it.effect("The requests of “Publish later” schedule a draft, list it and cancel that", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const client = yield* TestClient
      const { key } = yield* publisher(3)
      const { body: draft } = yield* client.send("POST", "/api/v1/posts", { token: key, body: completePost })
      const requests = requestsOf(PUBLISHING, "later")
      assert.lengthOf(requests, 3)
      const answers = yield* Effect.forEach(requests, ({ body, method, path }) =>
        client.send(method, path.replace("$POST_ID", draft.id), {
          token: key,
          ...(body === "" ? {} : { body: JSON.parse(body) })
        })
      )
      const [saved, list, cancelled] = answers.map((answer) => {
        assert.strictEqual(answer.status, 200, answer.text)
        return answer.body
      })
      assert.strictEqual(saved.schedule.publishAt, "2026-11-30T08:00:00.000000Z")
      assert.deepStrictEqual(
        list.data.map((post: { readonly id: string }) => post.id),
        [draft.id]
      )
      assert.isNull(cancelled.schedule)
    })
  )
})
