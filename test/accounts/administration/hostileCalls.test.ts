import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const operationId = "00000000-0000-7000-8000-000000000000"

/** JSON that nests deeper than any call stack. */
const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`

const call = (members: Readonly<Record<string, unknown>>) =>
  `${JSON.stringify({ _tag: "Request", id: "1", tag: "uploads.hold", payload: { operationId }, headers: [], ...members })}\n`

/** A call whose payload has deep JSON in the place of `0`. */
const deepCall = (tag: string, payload: object) => call({ tag, payload }).replace(/:0([,}])/, `:${deep}$1`)

const hostile: Readonly<Record<string, string>> = {
  "headers that are null": call({ headers: null }),
  "headers that are a number": call({ headers: 5 }),
  "a header that is null": call({ headers: [null] }),
  "a header without a value": call({ headers: [["x-api-key"]] }),
  "a header whose value is an object": call({ headers: [["x-api-key", {}]] }),
  "a header named __proto__": call({ headers: [["__proto__", "x"]] }),
  "an id that is an object": call({ id: {} }),
  "no id": call({ id: undefined }),
  "an empty tag": call({ tag: "" }),
  "a tag of every object": call({ tag: "constructor" }),
  "no payload": call({ payload: undefined }),
  "an unknown message": call({ _tag: "Surprise" }),
  "an interrupt of nothing": call({ _tag: "Interrupt", requestId: "9" }),
  "a call without an answer": call({ isNotification: true }),
  "a deep id": deepCall("uploads.hold", { operationId: 0 }),
  "a deep draft": deepCall("posts.create", { draft: 0 }),
  "a deep member of a draft": deepCall("posts.create", { draft: { title: 0 } }),
  "a deep unknown member": deepCall("posts.create", { draft: { titel: 0 } }),
  "a deep query": deepCall("discovery.posts", { q: 0 }),
  "deep bytes": deepCall("uploads.avatar", { requestKey: "a", bytes: 0 }),
  "no JSON": "{\n",
  "no line": "",
  null: "null\n"
}

layer(service(database("test_hostile_calls"), 1, { adminToken: ADMIN_TOKEN }))("/rpc", (it) => {
  for (const [number, [name, body]] of Object.entries(hostile).entries()) {
    it.effect(`The service answers a hostile call (${name}), and serves on`, () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const { key } = yield* authorOf(number)
        const headers = { "x-api-key": key }
        const send = (sent: string) =>
          client.send("POST", "/rpc", { token: ADMIN_TOKEN, headers, body: sent })
        const answer = yield* send(body)
        assert.isBelow(answer.status, 500, answer.text)
        assert.isBelow(answer.text.length, 10_000)
        assert.include((yield* send(call({}))).text, "UploadNotFound")
      })
    )
  }
})
