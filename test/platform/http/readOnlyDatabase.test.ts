import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { completePost } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { makeReadOnly, makeWritable } from "../../support/readOnly.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { Logs } from "./Logs.ts"

const NAME = "test_http_read_only"

layer(service(database(NAME)).pipe(Layer.provideMerge(Logs.layer)))("a read-only database", (it) => {
  it.effect("Reads are answered, and each write is 503 in its family until the database is writable", () =>
    Effect.gen(function* () {
      const { send } = yield* TestClient
      const author = yield* authorOf(1)
      const { id } = yield* author.published({})
      const account = author.wallet.account
      const form = {
        "content-type": "application/x-www-form-urlencoded",
        accept: "text/html",
        origin: "https://press.test"
      }
      const key = { "idempotency-key": "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0001" }
      /** Requests of each family that change something. */
      const writes = {
        draft: () => author.create(completePost),
        edit: () => author.patch(id, { title: "Changed" }),
        publication: () => author.publish(id, "again"),
        challenge: () => send("POST", "/api/v1/auth/nano/challenge", { body: { account } }),
        comment: () =>
          send("POST", `/api/v1/posts/${id}/comments`, {
            token: author.accessToken,
            headers: key,
            body: { content: "First!" }
          }),
        profile: () => send("PATCH", "/api/v1/profile", { token: author.key, body: { name: "Other" } }),
        refresh: () => send("POST", "/api/v1/auth/refresh", { body: { refreshToken: author.refreshToken } }),
        registration: () =>
          send("POST", "/api/v1/registrations", { headers: key, body: { email: "new@example.org" } }),
        page: () =>
          send("POST", "/sign-in", {
            headers: form,
            body: "email=reader%40example.org&back=%2F"
          })
      }

      yield* makeReadOnly(NAME)
      yield* eventually(
        "reads",
        Effect.map(send("GET", `/api/v1/posts/${id}`, { token: author.key }), ({ status }) => status === 200)
      )
      assert.strictEqual((yield* send("GET", "/health/ready")).status, 503)
      assert.strictEqual((yield* send("GET", "/health/ready?for=reads")).status, 200)
      for (const [name, write] of Object.entries(writes)) {
        const { headers, status, text } = yield* write()
        assert.strictEqual(status, 503, `${name}: ${text}`)
        assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, name)
        assert.match(text, /dependency_unavailable|dependency-unavailable|Nothing is lost/, name)
      }
      yield* makeWritable(NAME)
      for (const [name, write] of Object.entries(writes))
        yield* eventually(
          name,
          Effect.map(write(), ({ status }) => status < 400)
        )
      assert.strictEqual((yield* send("GET", "/health/ready")).status, 200)
      assert.notInclude(JSON.stringify(yield* Logs), "A request crashed")
    })
  )
})
