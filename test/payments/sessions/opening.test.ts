import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as NanoLedgerOff from "../../../layers/nano/NanoLedgerOff.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, type ServiceOptions, TestClient } from "../../support/TestClient.ts"
import { begin, newKey, openSession, sale, sessionOf } from "./sessionWorld.ts"

layer(service(database("test_sessions_opening")))("opening a payment session", (it) => {
  it.effect("A session asks for the price and a tag, for 15 minutes and a day", () =>
    Effect.gen(function* () {
      const { author, postId } = yield* sale
      const { body, headers, status } = yield* openSession({ kind: "purchase", postId })
      assert.strictEqual(status, 201)
      assert.strictEqual(headers.get("cache-control"), "private, no-store")
      const { amountRaw, sessionId, token, ...session } = body
      const tag = BigInt(amountRaw) - 25n * 10n ** 28n
      assert.isTrue(tag > 0n && tag < 10n ** 9n, amountRaw)
      assert.match(token, /^pps_[0-9A-Za-z]{43}$/)
      const createdAt = Date.parse(session.createdAt)
      assert.strictEqual(Date.parse(session.expiresAt) - createdAt, 15 * 60_000)
      assert.strictEqual(Date.parse(session.lateUntil) - createdAt, (24 * 60 + 15) * 60_000)
      const { createdAt: _1, expiresAt: _2, lateUntil: _3, versionSha256, ...rest } = session
      assert.match(versionSha256, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(rest, {
        kind: "purchase",
        state: "open",
        target: { postId, commentId: null, profileId: rest.target.profileId },
        network: "nano:mainnet",
        payTo: author.wallet.account,
        baseAmountRaw: `25${"0".repeat(28)}`,
        amountXno: `0.25${String(tag).padStart(28, "0")}`.replace(/0+$/, ""),
        uri: `nano:${author.wallet.account}?amount=${amountRaw}`,
        qr: `/api/payment-sessions/${sessionId}/qr.svg`,
        retryAfterSeconds: 2,
        transaction: null,
        amountReceivedRaw: null,
        late: false,
        matchedBy: null,
        duplicates: [],
        receipt: null,
        accessUrl: null,
        replayed: false
      })
    })
  )

  it.effect("A repeat returns the session with its token, and a changed intent is a conflict", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      const key = newKey()
      const first = yield* openSession({ kind: "purchase", postId }, { key })
      const again = yield* openSession({ kind: "purchase", postId }, { key: key.toUpperCase() })
      assert.deepStrictEqual([first.status, again.status], [201, 200])
      assert.deepStrictEqual(again.body, { ...first.body, replayed: true })
      const changed = yield* openSession({ kind: "tip", postId, amountXno: "1" }, { key })
      assert.deepStrictEqual(refusalOf(changed), [409, "idempotency_key_conflict"])

      // Each account has keys of its own.
      const reader = yield* readerOf(1)
      const other = yield* openSession({ kind: "purchase", postId }, { key, token: reader.accessToken })
      assert.strictEqual(other.status, 201)
      assert.notStrictEqual(other.body.sessionId, first.body.sessionId)
      assert.notStrictEqual(other.body.token, first.body.token)
    })
  )

  it.effect("Two spellings of one tip are one intent", () =>
    Effect.gen(function* () {
      const { author } = yield* sale
      const key = newKey()
      const first = yield* openSession({ kind: "tip", handle: author.handle, amountXno: "0.5" }, { key })
      const handle = `@${author.handle.toUpperCase()}`
      const again = yield* openSession({ kind: "tip", handle, amountRaw: `5${"0".repeat(29)}` }, { key })
      assert.deepStrictEqual([first.status, again.status], [201, 200])
    })
  )

  it.effect("The key of a session is a UUID", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      const body = { kind: "purchase", postId }
      const nil = "00000000-0000-0000-0000-000000000000"
      for (const key of ["a", nil, `${newKey()}0`, newKey().replaceAll("-", "")])
        assert.deepStrictEqual(
          refusalOf(yield* openSession(body, { key })),
          [422, "validation", "Idempotency-Key invalid"],
          key
        )
      const without = yield* (yield* TestClient).send("POST", "/api/payment-sessions", { body })
      assert.deepStrictEqual(refusalOf(without), [422, "validation", "Idempotency-Key required"])
    })
  )

  it.effect("A session sells what is for sale, but not to its author", () =>
    Effect.gen(function* () {
      const { author, postId } = yield* sale
      const free = yield* author.published()
      const draft = yield* author.draft()
      const buy = (id: string, token?: string) =>
        Effect.map(
          openSession({ kind: "purchase", postId: id }, token === undefined ? {} : { token }),
          refusalOf
        )
      assert.deepStrictEqual(yield* buy(free.id), [409, "post_is_free"])
      assert.deepStrictEqual(yield* buy(draft.id), [404, "not_found"])
      assert.deepStrictEqual(yield* buy("00000000-0000-4000-8000-000000000000"), [404, "not_found"])
      assert.deepStrictEqual(yield* buy("x"), [422, "validation", "postId invalid"])
      assert.deepStrictEqual(yield* buy(postId, author.accessToken), [409, "own_target"])
      assert.deepStrictEqual((yield* buy(postId, author.key)).slice(0, 2), [401, "unauthorized"])
      yield* author.unpublish(postId)
      assert.deepStrictEqual(yield* buy(postId), [404, "not_found"])
    })
  )

  it.effect("A session may tip Posts, visible Comments and Profiles", () =>
    Effect.gen(function* () {
      yield* begin
      const ada = yield* commenterOf(20)
      const bea = yield* commenterOf(21)
      const poor = yield* readerOf(22)
      const { id: postId } = yield* ada.published()
      const { id: commentId } = yield* bea.say(postId, "Well said")
      const tip = (target: object, token?: string) =>
        openSession({ kind: "tip", amountXno: "0.00001", ...target }, token === undefined ? {} : { token })
      const toPost = yield* tip({ postId })
      assert.deepStrictEqual([toPost.status, toPost.body.payTo], [201, ada.wallet.account])
      const toComment = yield* tip({ commentId })
      assert.deepStrictEqual(
        [
          toComment.status,
          toComment.body.payTo,
          toComment.body.target.postId,
          toComment.body.target.commentId
        ],
        [201, bea.wallet.account, postId, commentId]
      )
      const toProfile = yield* tip({ handle: bea.handle })
      assert.deepStrictEqual(
        [toProfile.status, toProfile.body.payTo, toProfile.body.target.postId],
        [201, bea.wallet.account, null]
      )
      const refused = (target: object, token?: string) => Effect.map(tip(target, token), refusalOf)
      assert.deepStrictEqual(yield* refused({ handle: poor.handle }), [409, "tipping_unavailable"])
      assert.deepStrictEqual(yield* refused({ handle: "nobody_at_all" }), [404, "not_found"])
      assert.deepStrictEqual(yield* refused({ handle: "' or 1=1 --" }), [404, "not_found"])
      assert.deepStrictEqual(yield* refused({ handle: ada.handle }, ada.accessToken), [409, "own_target"])
      assert.deepStrictEqual(yield* refused({ commentId }, bea.accessToken), [409, "own_target"])
      assert.deepStrictEqual(yield* refused({}), [422, "validation", "postId required"])
      assert.deepStrictEqual(yield* refused({ postId, commentId }), [422, "validation", "commentId conflict"])
      assert.deepStrictEqual(yield* refused({ postId, amountXno: "0.000009" }), [
        422,
        "validation",
        "amountXno out_of_range"
      ])
      assert.deepStrictEqual(yield* refused({ postId, amountXno: "1", amountRaw: 1 }), [
        422,
        "validation",
        "amountRaw invalid"
      ])
      assert.deepStrictEqual(yield* refused({ postId, more: 1 }), [422, "validation", "more unknown"])
      yield* bea.removeComment(commentId)
      assert.deepStrictEqual(yield* refused({ commentId }), [404, "not_found"])
    })
  )

  it.effect("The holder of the token and the account of a session read, draw and cancel it", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { postId } = yield* sale
      const reader = yield* readerOf(2)
      const other = yield* readerOf(3)
      const mine = yield* sessionOf({ kind: "purchase", postId }, reader.accessToken)
      const session = yield* sessionOf({ kind: "purchase", postId })
      for (const [method, suffix] of [
        ["GET", ""],
        ["GET", "/qr.svg"],
        ["DELETE", ""]
      ] as const) {
        const send = (path: string, request: object = {}) =>
          Effect.map(client.send(method, `${path}${suffix}`, request), ({ status }) => status)
        assert.strictEqual(yield* send(session.path, session.asHolder), 200)
        assert.strictEqual(yield* send(mine.path, { token: reader.accessToken }), 200)
        assert.strictEqual(yield* send(mine.path, mine.asHolder), 200)
        const strangers = [
          [session.path, {}],
          [session.path, { headers: { "x-session-token": mine.token } }],
          [session.path, { headers: { "x-session-token": "" } }],
          [session.path, { token: reader.accessToken }],
          [mine.path, { token: other.accessToken }]
        ] as const
        for (const [path, request] of strangers) assert.strictEqual(yield* send(path, request), 403)
        assert.strictEqual(yield* send(mine.path, { token: "wrong" }), 401)
        const nowhere = "/api/payment-sessions/"
        assert.strictEqual(yield* send(`${nowhere}${postId}`, session.asHolder), 404)
        assert.strictEqual(yield* send(`${nowhere}x`, session.asHolder), 404)
      }
      assert.strictEqual((yield* session.now).state, "cancelled")
      const strange = yield* client.send("GET", session.path)
      assert.deepStrictEqual(refusalOf(strange), [403, "session_invalid"])
    })
  )

  it.effect("The QR code shows the URI of a session without its token", () =>
    Effect.gen(function* () {
      const { buy } = yield* sale
      const session = yield* buy
      const { headers, text } = yield* session.send("GET", "/qr.svg")
      assert.strictEqual(headers.get("content-type"), "image/svg+xml")
      assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/)
      assert.match(text, /^<svg [^>]*viewBox="0 0 (\d+) \1"/)
      assert.notInclude(text, session.token)
    })
  )

  it.effect("The database stores neither the key nor the token", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      const sql = yield* SqlClient.SqlClient
      const key = newKey()
      const { body } = yield* openSession({ kind: "purchase", postId }, { key })
      const [row] = yield* sql<{ readonly text: string }>`
        select s::text as text from payment_sessions s where id = ${body.sessionId}`
      assert.isDefined(row)
      for (const secret of [key, body.token]) {
        assert.notInclude(row.text, secret)
        assert.notInclude(row.text, Buffer.from(secret).toString("hex"))
      }
      const again = yield* sql`select from idempotency_records where idempotency_key = ${key}`
      assert.lengthOf(again, 0)
    })
  )

  it.effect("A Post with a session cannot be deleted, even if the session was cancelled", () =>
    Effect.gen(function* () {
      const { author, buy, postId } = yield* sale
      yield* (yield* buy).cancel
      yield* author.unpublish(postId)
      assert.deepStrictEqual(refusalOf(yield* author.remove(postId)), [409, "financial-history-retained"])
    })
  )
})

const withoutLedger: ServiceOptions = {
  changePorts: (ports) => Layer.provideMerge(NanoLedgerOff.layer("nano:mainnet", 0n), ports)
}

layer(service(database("test_sessions_off"), 1, withoutLedger))("a service without a ledger", (it) => {
  it.effect("A service without a ledger opens no sessions", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* authorOf(1)
      const { id: postId } = yield* author.published()
      const answer = yield* openSession({ kind: "tip", postId, amountXno: "1" })
      assert.deepStrictEqual(refusalOf(answer), [503, "payments_disabled"])
    })
  )
})
