import { readFileSync } from "node:fs"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Sink, Stdio, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { frameOf } from "../../../layers/nano/confirmationFrames.ts"
import * as NanoLedgerDevelopment from "../../../layers/nano/NanoLedgerDevelopment.ts"
import { sendWith } from "../../../layers/nano/rpcCall.ts"
import { wholeLines } from "../../../src/mcp/local/wholeLines.ts"
import { wholeAnswers } from "../../../src/platform/http-client/wholeAnswers.ts"
import { namesHtml } from "../../../src/platform/http/accept.ts"
import { clientAddress } from "../../../src/platform/rate-limits/clientAddress.ts"
import { openImportFile } from "../../../src/publishing/imports/openImportFile.ts"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { codeOf } from "../../publishing/archives/results.ts"
import { bombs } from "../../publishing/image-formats/makeHostile.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { pngFile, uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { LOCAL, service, TestClient, type TestRequest } from "../../support/TestClient.ts"

const MIB = 1024 * 1024
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
const objects = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels)
const members = (count: number) => Array.from({ length: count }, (_, i) => `"m${i}":1`).join(",")
const base64 = (text: string) => Buffer.from(text).toString("base64url")

const send = (method: string, path: string, request?: TestRequest) =>
  Effect.flatMap(TestClient, (client) => client.send(method, path, request))

/** Names a refusal: its status, its own code, and the code of the first member. */
const told = ({ body, status }: { readonly status: number; readonly body: any }) => {
  const errors = body?.errors ?? body?.data?.errors
  return [status, errors?.[0]?.code ?? body?.error?.code ?? body?.data?.code].filter((it) => it !== undefined)
}

let authors = 10
/** An author of one probe, who has the limits of an owner alone. */
const author = Effect.suspend(() => authorOf(++authors))

const form = {
  accept: "text/html",
  "content-type": "application/x-www-form-urlencoded",
  "sec-fetch-site": "same-origin"
}

/** Returns a function that creates Posts of a new author, and names the refusal. */
const creating = Effect.map(
  author,
  ({ key }) =>
    (body: unknown) =>
      Effect.map(send("POST", "/api/v1/posts", { token: key, body }), told)
)

/** Asks a Nano node that gives this answer. */
const nodeAnswering = (body: string) =>
  sendWith(
    HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body))))
  )(
    { url: Redacted.make("http://node.test/"), name: "node.test", authorization: Option.none() },
    { action: "version" },
    "3 seconds"
  ).pipe(
    Effect.flip,
    Effect.map((failure) => ("reason" in failure ? failure.reason : failure._tag))
  )

const lineRefusals = Effect.fnUntraced(function* (line: string) {
  let refusals = 0
  const { stdin } = wholeLines(
    Stdio.make({
      args: Effect.succeed([]),
      stdin: Stream.succeed(new TextEncoder().encode(`${line}\n`)),
      stdout: () => Sink.forEach(() => Effect.sync(() => refusals++)),
      stderr: () => Sink.drain
    })
  )
  yield* Stream.runDrain(stdin)
  return refusals
})

/** Probes that send each input beyond its bounds: by nesting, by length and by number. */
const probes = {
  "JSON body of an operation": Effect.gen(function* () {
    const createPost = yield* creating
    assert.deepStrictEqual(yield* createPost(`{"title":${nested(1_900_000)}}`), [422, "too_deep"])
    assert.deepStrictEqual(yield* createPost(objects(600_000)), [422, "too_deep"])
    assert.deepStrictEqual(yield* createPost(`{${members(501)}}`), [422, "too_many"])
    assert.deepStrictEqual(yield* createPost(`[${"1,".repeat(1_900_000)}1]`), [422, "too_many"])
    assert.deepStrictEqual(yield* createPost(`{"title":"${"a".repeat(4 * MIB)}"}`), [413])
    const login = send("POST", "/api/v1/auth/login", { body: `{"email":"${"a".repeat(16_384)}"}` })
    assert.deepStrictEqual(told(yield* login), [413])
  }).pipe(Effect.orDie),
  "Short text in a body": Effect.gen(function* () {
    const createPost = yield* creating
    for (const letter of ["a", " ", "\u0301", "\u200d", "👨‍👩‍👧"]) {
      const text = letter.repeat(Math.floor(3_000_000 / Buffer.byteLength(letter)))
      for (const name of ["title", "description", "creationDetails"])
        assert.deepStrictEqual(yield* createPost({ [name]: text }), [422, "too_long"], name)
    }
  }).pipe(Effect.orDie),
  "E-mail address": Effect.gen(function* () {
    for (const email of [`${"a".repeat(16_000)}@x.org`, `a@${"x.".repeat(8_000)}`, "@".repeat(16_000)]) {
      const answer = yield* send("POST", "/api/v1/auth/login", { body: { email } })
      assert.strictEqual(answer.status, 422, email.slice(0, 10))
    }
  }),
  URL: Effect.gen(function* () {
    const createPost = yield* creating
    const [status] = yield* createPost({ ogImage: `https://a.test/${"b".repeat(3_000_000)}` })
    assert.strictEqual(status, 422)
  }).pipe(Effect.orDie),
  Language: Effect.gen(function* () {
    const createPost = yield* creating
    for (const language of ["a-".repeat(1_000_000), "x".repeat(3_000_000)])
      assert.strictEqual((yield* createPost({ language }))[0], 422)
  }).pipe(Effect.orDie),
  "Markdown section": Effect.gen(function* () {
    const createPost = yield* creating
    const sent = (freeContentMarkdown: string) => createPost({ title: "A", freeContentMarkdown })
    assert.deepStrictEqual(yield* sent("a".repeat(200_001)), [422, "too_long"])
    assert.deepStrictEqual(yield* sent("> ".repeat(99_999)), [422, "too_complex"])
  }).pipe(Effect.orDie),
  "Form with a file": Effect.gen(function* () {
    const { avatar } = yield* uploaderOf(2)
    const large = { ...pngFile(), content: new Uint8Array(3 * MIB) }
    assert.deepStrictEqual(told(yield* avatar({ parts: [large] })), [413])
    assert.strictEqual((yield* avatar({ parts: [pngFile(1), pngFile(2)] })).status, 422)
    const fields = Array.from({ length: 200 }, (_, number) => ({ name: `field${number}`, content: "x" }))
    assert.strictEqual((yield* avatar({ parts: [...fields, pngFile()] })).status, 422)
  }).pipe(Effect.orDie),
  Image: Effect.gen(function* () {
    const { header } = yield* uploaderOf(3)
    for (const [name, content] of Object.entries(bombs)) {
      const mediaType = `image/${/png|gif|webp|jpeg/i.exec(name)?.[0].toLowerCase()}`
      const answer = yield* header({ parts: [{ ...pngFile(), mediaType, content: content() }] })
      assert.include([413, 415, 422], answer.status, name)
    }
  }).pipe(Effect.orDie),
  ZIP: Effect.gen(function* () {
    for (const names of [
      Array.from({ length: 129 }, (_, number) => `${number}.txt`),
      Array.from({ length: 129 }, (_, number) => `${number}/a.txt`),
      ["x".repeat(256)],
      [`${"d/".repeat(33)}a.txt`]
    ]) {
      const code = yield* codeOf(zipOf(names.map((name) => ({ name, content: "x" }))))
      assert.notStrictEqual(code, "accepted", names[0]?.slice(0, 10))
    }
  }),
  "File of an import": Effect.gen(function* () {
    const { key } = yield* author
    const begin = (byteSize: number) =>
      send("POST", "/api/v1/imports", {
        token: key,
        headers: { "idempotency-key": `import-${byteSize}` },
        body: { fileName: "a.zip", byteSize }
      })
    assert.deepStrictEqual(told(yield* begin(256 * MIB + 1)), [413])
    assert.deepStrictEqual(told(yield* begin(2048 * MIB + 1)), [422, "out_of_range"])
    const { body } = yield* begin(3)
    const put = (headers: Readonly<Record<string, string>>) =>
      send("PUT", `/api/v1/imports/${body.id}/file`, {
        token: key,
        body: "abc",
        headers: { "content-type": "application/octet-stream", ...headers }
      })
    assert.deepStrictEqual(told(yield* put({})), [411])
    assert.deepStrictEqual(told(yield* put({ "content-length": String(2 ** 39) })), [422, "invalid"])
    const range = `bytes ${"1".repeat(8_000)}-2/3`
    assert.deepStrictEqual(told(yield* put({ "content-length": "3", "content-range": range })), [
      422,
      "invalid"
    ])
  }).pipe(Effect.orDie),
  "ZIP of an import": Effect.gen(function* () {
    const bytes = zipOf(
      Array.from({ length: 400 }, (_, n) => ({ name: `${"a/".repeat(40)}${n}`, content: "" }))
    )
    const read = (offset: number, length: number) => Promise.resolve(bytes.slice(offset, offset + length))
    const failure = yield* Effect.flip(openImportFile("a.zip", { size: bytes.length, read }))
    assert.strictEqual(failure.code, "unsafe_archive")
  }).pipe(Effect.orDie),
  "Items of an import": Effect.gen(function* () {
    const { key } = yield* author
    const items = Array.from({ length: 10_001 }, () => "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e")
    const apply = (body: unknown) =>
      send("POST", `/api/v1/imports/${items[0]}/apply`, {
        token: key,
        headers: { "idempotency-key": "a" },
        body
      })
    assert.deepStrictEqual(told(yield* apply({ items })), [422, "too_long"])
    assert.deepStrictEqual(told(yield* apply(`{"items":[${"1,".repeat(11_000)}1]}`)), [422, "too_many"])
    assert.deepStrictEqual(told(yield* apply(`{"items":"${"a".repeat(600_000)}"}`)), [413])
  }).pipe(Effect.orDie),
  "Form of a page": Effect.gen(function* () {
    const post = (body: string) =>
      Effect.map(send("POST", "/sign-in", { headers: form, body }), ({ status }) => status)
    assert.strictEqual(yield* post(`email=${"a".repeat(65_536)}`), 413)
    assert.strictEqual(yield* post("a=1&".repeat(33)), 400)
    assert.strictEqual(yield* post("&".repeat(65_000)), 400)
  }),
  "Form of a post": Effect.gen(function* () {
    const post = (body: string) =>
      Effect.map(send("POST", "/write", { headers: form, body }), ({ status }) => status)
    // A stranger sends less than an author who is signed in.
    for (const long of ["+", "a=1&", "&", "%"])
      assert.strictEqual(yield* post(`free=${long.repeat(1_600_000 / long.length)}`), 413, long)
    assert.strictEqual(yield* post("a=1&".repeat(300_000)), 400)
    assert.strictEqual(yield* post("&".repeat(1_200_000)), 400)
    assert.strictEqual(yield* post(`free=${"%".repeat(1_200_000)}`), 400)
    assert.strictEqual(yield* post(`free=${"%ED%A0%80".repeat(130_000)}`), 400)
    assert.strictEqual(yield* post(`free=${"é".repeat(100)}`), 400)
  }),
  "Path and its parameters": Effect.gen(function* () {
    for (const path of [
      `/api/posts/${"a".repeat(15_000)}`,
      `/api/profile/${"%C3%A9".repeat(2_500)}`,
      `/@${"a".repeat(15_000)}/${"b/".repeat(100)}`,
      `/media/avatar/${"0".repeat(15_000)}`
    ])
      assert.strictEqual((yield* send("GET", path)).status, 404, path.slice(0, 20))
  }),
  "Query string and cursor": Effect.gen(function* () {
    for (const query of [
      `cursor=${"a".repeat(401)}`,
      `cursor=1.${"A".repeat(15_000)}.A`,
      `per_page=${"9".repeat(15_000)}`,
      `page=${"9".repeat(400)}`
    ])
      assert.strictEqual((yield* send("GET", `/api/posts?${query}`)).status, 422, query.slice(0, 20))
  }),
  "Access token": Effect.gen(function* () {
    for (const header of [nested(5_000), objects(2_000), `{${members(1_000)}}`, "x".repeat(10_000)]) {
      const token = `${base64(header)}.${base64("{}")}.${"A".repeat(86)}`
      assert.strictEqual((yield* send("GET", "/api/v1/me", { token })).status, 401)
    }
  }),
  "Payment header": Effect.gen(function* () {
    const paid = { paidContentMarkdown: "Paid", enablePaywall: true, priceXno: "1" }
    const { id } = yield* (yield* author).published(paid)
    for (const payment of ["A".repeat(8_193), base64(nested(2_000)), base64(objects(9)), "=".repeat(8_000)]) {
      const headers = { "payment-signature": payment }
      const { status } = yield* send("GET", `/api/posts/${id}/access`, { headers })
      assert.strictEqual(status, 400, payment.slice(0, 8))
    }
  }).pipe(Effect.orDie),
  "Idempotency-Key": Effect.gen(function* () {
    const { create } = yield* author
    for (const key of ["k".repeat(256), "k".repeat(15_000)])
      assert.strictEqual((yield* create({ title: "A" }, { "idempotency-key": key })).status, 422)
  }).pipe(Effect.orDie),
  "Forwarded headers": Effect.sync(() => {
    const trusted = [IpNetwork.fromStringUnsafe("10.0.0.0/8")]
    const of = (headers: Readonly<Record<string, string>>) =>
      clientAddress({ peerAddress: Option.some("10.0.0.1"), headers }, trusted)
    for (const headers of [
      { forwarded: `for="${"\\a".repeat(8_000)}` },
      { forwarded: "for=".repeat(4_000) },
      { forwarded: `for=1.2.3.4;${"a=b;".repeat(4_000)}a=b` },
      { "x-forwarded-for": "x".repeat(16_000) },
      { "x-forwarded-for": "[".repeat(16_000) }
    ])
      assert.deepStrictEqual(
        of(headers),
        NetAddress.ipFromStringUnsafe("10.0.0.1"),
        JSON.stringify(headers).slice(0, 40)
      )
  }),
  "Accept headers": Effect.sync(() => {
    assert.isTrue(namesHtml(`${" ".repeat(1_000)}text/html`))
    assert.isFalse(namesHtml(`${"a/b;q=0.1,".repeat(1_500)}text/html`))
    assert.isFalse(namesHtml(`${" ".repeat(1_024)}text/html`))
  }),
  Cookie: Effect.gen(function* () {
    const path = "/pay/01970000-0000-7000-8000-000000000000"
    const without = yield* send("GET", path)
    for (const value of [`pps_${"a".repeat(15_000)}`, `pps_${"a".repeat(43)}.${"b".repeat(101)}`]) {
      const cookie = `__Secure-pennypress-payment=${value}`
      assert.strictEqual((yield* send("GET", path, { headers: { cookie } })).status, without.status)
    }
  }),
  "Message to `/mcp`": Effect.gen(function* () {
    const message = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`
    const post = (body: string) => Effect.map(send("POST", "/mcp", { body }), told)
    assert.deepStrictEqual(yield* post(message(nested(32))), [400, -32600])
    assert.deepStrictEqual(yield* post("[".repeat(60_000)), [400, -32600])
    assert.deepStrictEqual(yield* post(message(`{"a":"${"x".repeat(65_536)}"}`)), [413, -32600])
  }),
  "Body of `/rpc`": Effect.gen(function* () {
    const post = (body: string, token?: string) =>
      Effect.map(
        send("POST", "/rpc", { body, ...(token === undefined ? {} : { token }) }),
        ({ status }) => status
      )
    assert.strictEqual(yield* post(nested(1_000)), 401)
    assert.strictEqual(yield* post(nested(1_000), ADMIN_TOKEN), 400)
    assert.strictEqual(yield* post(`{${members(20_000)}}`, ADMIN_TOKEN), 413)
    assert.strictEqual(yield* post(`"${"x".repeat(8 * MIB)}"`, ADMIN_TOKEN), 413)
    assert.strictEqual(yield* post(`${'"x"\n'.repeat(20_000)}`, ADMIN_TOKEN), 413)
  }),
  "Request to `/dev/nano`": Effect.gen(function* () {
    const errorOf = (body: string) =>
      Effect.map(send("POST", "/dev/nano", { ...LOCAL, body }), (answer) => answer.body.error)
    assert.strictEqual(yield* errorOf("[".repeat(8_000)), "Unable to parse JSON")
    assert.match(yield* errorOf(`"${"x".repeat(8_192)}"`), /more than 8192 bytes/)
    assert.strictEqual((yield* send("POST", "/dev/nano", { body: "{}" })).status, 404)
  }),
  "Answer of a Nano node": Effect.gen(function* () {
    for (const body of [nested(1_000_000), objects(100_000), '"', `{"a":${nested(33)}}`])
      assert.strictEqual(yield* nodeAnswering(body), "protocol", body.slice(0, 5))
  }).pipe(Effect.orDie),
  "Message of a node's websocket": Effect.sync(() => {
    for (const text of [
      nested(500_000),
      objects(100_000),
      `{"topic":"confirmation","message":${nested(40)}}`
    ])
      assert.deepStrictEqual(frameOf(text), Option.none())
  }),
  "Answer of the service to `svc-mcp`": Effect.gen(function* () {
    for (const body of [nested(33), objects(33), `"${"x".repeat(4 * MIB)}"`]) {
      const client = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(JSON.parse(body))))
      ).pipe(wholeAnswers(4 * MIB))
      const { reason } = yield* Effect.flip(client.get("https://press.test/"))
      assert.strictEqual(reason._tag, "DecodeError", body.slice(0, 5))
    }
  }).pipe(Effect.orDie),
  "Line to `svc-mcp`": Effect.gen(function* () {
    for (const line of [nested(200_000), objects(100_000), `"${"x".repeat(4 * MIB)}"`])
      assert.strictEqual(yield* lineRefusals(line), 1, line.slice(0, 5))
  }).pipe(Effect.orDie)
} as const

const listed = [
  ...readFileSync("src/platform/README.md", "utf8")
    .split("## What strangers feed to parsers\n")[1]!
    .split("\n## ")[0]!
    .matchAll(/^\| (?!input|---)([^|]+) \|/gm)
].map(([, name = ""]) => name)

const world = service(database("test_http_parsers"), 1, {
  adminToken: ADMIN_TOKEN,
  changePorts: (ports) => Layer.merge(ports, NanoLedgerDevelopment.layer)
})

describe("parsers that strangers feed", () => {
  layer(world)("with more than their bounds", (it) => {
    it.effect("The list of the parsers has a probe for each row", () =>
      Effect.sync(() => assert.deepStrictEqual(Object.keys(probes), listed))
    )

    for (const [name, probe] of Object.entries(probes))
      it.effect(`The bounds of an input hold: ${name}`, () => probe)
  })
})
