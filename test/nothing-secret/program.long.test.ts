import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeIn, linkIn, readingMail } from "../operations/outbox.ts"
import { plainClient } from "../operations/plainClient.ts"
import { multipart } from "../publishing/uploads/multipart.ts"
import { ADMIN_TOKEN } from "../support/actors/administrator.ts"
import { signMessage, walletOf } from "../support/actors/owner.ts"
import { pngFile } from "../support/actors/uploader.ts"
import { collector } from "../support/collector.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { serveIn } from "../wire/program.ts"
import { get } from "../wire/sockets.ts"
import { assertAbsent } from "./search.ts"

const ada = "ada.lovelace@example.org"
const bea = "bea+mail@example.org"

const storeSecret = "a-secret-of-the-store-of-images"

/** Calls as an administrator with a right and a wrong token, and uploads while the store is unavailable. */
const administration = Effect.fnUntraced(function* (origin: string, key: string) {
  const operationId = "00000000-0000-7000-8000-000000000000"
  const call = { _tag: "Request", id: "1", tag: "uploads.hold", payload: { operationId }, headers: [] }
  for (const token of [ADMIN_TOKEN, ADMIN_TOKEN.replace("an", "no")]) {
    const called = yield* get(`${origin}/rpc`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/ndjson" },
      body: `${JSON.stringify(call)}\n`
    })
    assert.include(called.text, token === ADMIN_TOKEN ? "UploadNotFound" : "invalid-credential")
  }
  const form = multipart([pngFile()])
  const sent = yield* get(`${origin}/api/v1/profile/avatar`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "idempotency-key": "avatar", ...form.headers },
    body: form.body
  })
  assert.strictEqual(sent.status, 503, sent.text)
  assert.include(sent.text, "recovery")
})

/** Collects everything that mail and the service give to each owner. */
const flow = Effect.fnUntraced(function* (origin: string, dataDirectory: string) {
  const { send } = plainClient(origin)
  const mailTo = readingMail(dataDirectory)
  const secrets: Array<string> = []
  const noted = (pair: { readonly accessToken: string; readonly refreshToken: string }) => {
    secrets.push(pair.accessToken, pair.refreshToken.slice(4))
    return pair.accessToken
  }

  // Two wallet owners ask for one address; the database refuses it to one of them.
  const confirmations = []
  for (const number of [1, 2]) {
    const wallet = walletOf(number)
    const { account } = wallet
    const { challengeId, message } = yield* send("sessionsChallengeWallet", 201, { body: { account } })
    const claim = { challengeId, account, signature: signMessage(wallet, message) }
    const token = noted(yield* send("sessionsClaimWallet", 200, { body: claim }))
    yield* send("accountEmailChange", 200, { token, body: { email: ada } })
    const confirmationUrl = linkIn(yield* mailTo(ada))
    secrets.push(new URL(confirmationUrl).searchParams.get("token") ?? "")
    // The page of the link has the token in its address.
    assert.strictEqual((yield* get(confirmationUrl.replace(/^https?:\/\/[^/]+/, origin))).status, 200)
    confirmations.push({ token, body: { confirmationUrl } })
  }
  const [first, second] = confirmations
  yield* send("accountEmailVerify", 200, first)
  yield* send("accountEmailVerify", 409, second)
  yield* send("sessionsLogin", 429, { body: { email: ada } })

  // Another owner registers, takes a key and logs in again.
  const receipt = yield* send("registrationsRegister", 202, {
    headers: { "idempotency-key": "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12" },
    body: { email: bea }
  })
  const params = { registrationId: receipt.registrationId }
  const code = codeIn(yield* mailTo(bea))
  const token = noted(yield* send("registrationsVerify", 200, { params, body: { code } }))
  const { key } = yield* send("registrationsIssueKey", 201, { token, params, body: {} })
  secrets.push(key.split("_")[2])
  yield* send("meRead", 200, { token: key })
  yield* administration(origin, key)
  yield* send("sessionsLogin", 202, { body: { email: bea } })
  const login = { email: bea, code: codeIn(yield* mailTo(bea)) }
  const pair = yield* send("sessionsVerify", 200, { body: login })
  noted(pair)
  const renewed = noted(yield* send("sessionsRefresh", 200, { body: { refreshToken: pair.refreshToken } }))
  const { url } = yield* send("followsIssueFeed", 201, { token: renewed })
  const feed = new URL(url).pathname
  secrets.push(feed.slice("/feeds/following/ppf_".length, -".xml".length))
  for (const path of [feed, `/${feed}`, `${feed}/`, `${feed}?x`, feed.replace("following", "%66ollowing")])
    yield* get(`${origin}${path}`)
  return secrets
})

describe("the secrets of the program", () => {
  it.live("No secret and no reader of a mail leave the program in output, traces, metrics or logs", () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      const dataDirectory = join(yield* temporaryDirectory, "data")
      const { child, exit, firstLine, log } = yield* serveIn(dataDirectory, {
        LOG_LEVEL: "trace",
        ADMIN_TOKEN,
        S3_URL: `s3://press:${storeSecret}@s3.example/images?endpoint=http://127.0.0.1:1`,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        RATE_LIMIT_FACTOR: "2"
      })
      const origin = (yield* firstLine).replace("pennypress listening on ", "")
      const secrets = yield* flow(origin, dataDirectory)
      const metrics = (yield* get(`${origin}/metrics`)).text
      child.kill("SIGTERM")
      assert.deepStrictEqual(yield* exit, { code: 0, signal: null }, log.join("\n"))

      const databaseLog = readFileSync(join(dataDirectory, "postgres", "server.log"), "utf8")
      assert.include(databaseLog, "owners_mailbox_key")
      const telemetry = received.map(({ text }) => text)
      for (const signal of ["logs", "metrics", "traces"])
        assert.isTrue(
          received.some(({ path }) => path === `/v1/${signal}`),
          signal
        )
      assert.include(telemetry.join("\n"), "/auth/v1/verify")
      assert.include(metrics, "rate_limit_refusals_total")
      const told = {
        "the log": log,
        telemetry,
        metrics: [metrics],
        "the database's log": [databaseLog]
      }
      for (const [where, texts] of Object.entries(told)) {
        assertAbsent([...secrets, ADMIN_TOKEN, storeSecret], where, texts)
        assertAbsent([ada, bea], where, texts)
      }
    })
  )
})
