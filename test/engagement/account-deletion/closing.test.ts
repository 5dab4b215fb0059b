import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { registered } from "../../accounts/registrations/flows.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { signIn, signMessage, walletOf } from "../../support/actors/owner.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { codeTo, mailsTo, wrongCode } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"
import { closeAccount, deletionOf, eraseDue } from "./leaving.ts"

const because = { reason: "A test" }

layer(service(database("test_closing_accounts"), 1, { adminToken: ADMIN_TOKEN }))(
  "a closing account",
  (it) => {
    const start = TestClock.setTime(Date.UTC(2026, 10, 21, 5))

    it.effect("An owner reads what a deletion concerns, and how to confirm it", () =>
      Effect.gen(function* () {
        yield* start
        const author = yield* authorOf(1)
        yield* author.published()
        yield* author.draft()
        const { body, status } = yield* deletionOf(author.accessToken).read
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body, {
          state: "none",
          requestedAt: null,
          dueAt: null,
          consequences: {
            posts: 2,
            buyers: 0,
            salesRaw: "0",
            obligationsRaw: "0",
            purchases: 0,
            comments: 0,
            followers: 0
          },
          confirm: ["signature"]
        })
      })
    )

    it.effect("A signature over the text of the deletion closes the account, for two weeks", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const author = yield* authorOf(2)
        const { slug } = yield* author.published()
        const deletion = deletionOf(author.accessToken)
        const challenge = yield* deletion.challenge
        assert.strictEqual(challenge.status, 201)
        assert.include(challenge.body.message, "Delete the account @author2 and everything in it")
        const { challengeId, message } = challenge.body
        const signature = signMessage(walletOf(2), message)
        const claim = { challengeId, signature }

        // It opens no session, and links no wallet.
        const account = walletOf(2).account
        const signedIn = yield* client.send("POST", "/api/v1/auth/nano/claim", {
          body: { ...claim, account }
        })
        assert.deepStrictEqual(refusalOf(signedIn), [401, "invalid-challenge"])

        const wrongs = [
          { ...claim, handle: "author1" },
          { ...claim, handle: author.handle, signature: signMessage(walletOf(3), message) },
          { ...claim, handle: author.handle, challengeId: "00000000-0000-7000-8000-000000000000" }
        ]
        for (const wrong of wrongs)
          assert.deepStrictEqual(refusalOf(yield* deletion.request(wrong)), [403, "invalid_confirmation"])
        assert.deepStrictEqual(
          refusalOf(yield* deletion.request({ handle: author.handle, code: "123456" })),
          [422, "validation", "challengeId required", "signature required"]
        )

        const closed = yield* deletion.request({ ...claim, handle: "@AUTHOR2" })
        assert.strictEqual(closed.status, 200, closed.text)
        assert.deepInclude(closed.body, {
          state: "closing",
          requestedAt: "2026-11-21T05:00:00.000000Z",
          dueAt: "2026-12-05T05:00:00.000000Z"
        })
        for (const path of [`/@author2`, `/@author2/${slug}`, "/api/profile/author2"])
          assert.strictEqual((yield* client.send("GET", path)).status, 404, path)
        // Sessions and keys ended.
        assert.strictEqual((yield* deletion.read).status, 401)
        assert.strictEqual((yield* author.send("GET", "")).status, 401)
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select from administrator_actions`, [])
        assert.deepStrictEqual(yield* sql`select from notifications where type = 'account_issue'`, [])
      })
    )

    it.effect("The challenge of a sign-in or of a link confirms no deletion", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const { accessToken, wallet } = yield* signIn(4)
        const reader = yield* readerOf(4)
        const { account } = wallet
        for (const [path, token] of [
          ["/api/v1/auth/nano/challenge", undefined],
          ["/api/v1/account/wallet/challenge", accessToken]
        ] as const) {
          const { body } = yield* client.send("POST", path, {
            body: { account },
            ...(token === undefined ? {} : { token })
          })
          const claim = { challengeId: body.challengeId, signature: signMessage(wallet, body.message) }
          const answer = yield* deletionOf(accessToken).request({ ...claim, handle: reader.handle })
          assert.deepStrictEqual(refusalOf(answer), [403, "invalid_confirmation"])
        }
      })
    )

    it.effect("An account by e-mail is deleted with the code of a mail, once, and hears how to keep it", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const ada = "ada@example.com"
        const { accessToken } = yield* registered(ada)
        yield* TestClock.adjust("2 minutes")
        const deletion = deletionOf(accessToken)
        const { body } = yield* client.send("GET", "/api/v1/me", { token: accessToken })
        const { handle } = body.owner
        assert.deepStrictEqual((yield* deletion.read).body.confirm, ["code"])
        const asked = yield* deletion.challenge
        assert.strictEqual(asked.status, 202, asked.text)
        const code = yield* codeTo(ada)
        const subjects = (yield* mailsTo(ada)).map(({ subject }) => subject)
        assert.include(subjects, `${code} confirms the deletion of your account`)
        const wrong = yield* deletion.request({ handle, code: wrongCode(code) })
        assert.deepStrictEqual(refusalOf(wrong), [403, "invalid_confirmation"])
        assert.strictEqual((yield* deletion.request({ handle, code })).status, 200)
        const last = (yield* mailsTo(ada)).at(-1)
        assert.include(last?.subject, "will be deleted on 5 December 2026")
        assert.include(last?.text, "Keep my account")
        assert.include(last?.text, "/desk/account/delete")
      })
    )

    it.effect("A closing account only reads, and its refusals say the date and how to keep it", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const author = yield* authorOf(5)
        yield* closeAccount(5, author)
        const { accessToken } = yield* signIn(5)
        const refused = yield* client.send("POST", "/api/v1/api-keys", { token: accessToken, body: {} })
        assert.deepStrictEqual(refusalOf(refused), [403, "account-restricted"])
        assert.include(refused.body.detail, "2026-12-05T05:00:00")
        assert.include(refused.body.detail, "DELETE /api/v1/account/deletion")
        assert.notInclude(refused.body.detail, "oderator")
        const deletion = deletionOf(accessToken)
        assert.strictEqual((yield* deletion.read).body.state, "closing")
        assert.deepStrictEqual(refusalOf(yield* deletion.challenge), [409, "already_closing"])
        const again = yield* deletion.request({ handle: author.handle, code: "123456" })
        assert.deepStrictEqual(refusalOf(again), [409, "already_closing"])
      })
    )

    it.effect("An owner who signs in again keeps the account, and everything of it returns", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const sql = yield* SqlClient.SqlClient
        const author = yield* authorOf(6)
        const { id, slug } = yield* author.published()
        const { publishedAt } = (yield* author.read(id)).body
        yield* closeAccount(6, author)
        yield* followRestrictions
        yield* TestClock.adjust("13 days")
        const { accessToken } = yield* signIn(6)
        const deletion = deletionOf(accessToken)
        assert.deepStrictEqual((yield* deletion.keep).body, { state: "none" })
        assert.deepStrictEqual((yield* deletion.keep).body, { state: "none" })
        yield* followRestrictions
        const page = yield* client.send("GET", `/api/posts/${id}`)
        assert.strictEqual(page.status, 200)
        assert.strictEqual(page.body.publishedAt, publishedAt)
        assert.strictEqual((yield* client.send("GET", `/@author6/${slug}`)).status, 200)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
        // The keys that ended stay ended.
        assert.strictEqual((yield* author.send("GET", "")).status, 401)
        yield* TestClock.adjust("30 days")
        yield* eraseDue
        assert.strictEqual((yield* client.send("GET", `/@author6/${slug}`)).status, 200)
      })
    )

    it.effect("A session from before the deletion does not keep the account", () =>
      Effect.gen(function* () {
        yield* start
        const sql = yield* SqlClient.SqlClient
        const author = yield* authorOf(7)
        yield* TestClock.adjust("1 minute")
        yield* closeAccount(7, author)
        // As if it had opened while the account closed.
        yield* sql`update sessions set revoked_at = null where owner_id = (select id from owners where handle = 'author7')`
        const refused = yield* deletionOf(author.accessToken).keep
        assert.deepStrictEqual(refusalOf(refused), [401, "unauthorized"])
      })
    )

    it.effect("The account can be kept until its time is over, and not from then on", () =>
      Effect.gen(function* () {
        yield* start
        const author = yield* authorOf(8)
        yield* closeAccount(8, author)
        yield* TestClock.adjust("14 days")
        const { accessToken } = yield* signIn(8)
        assert.deepStrictEqual(refusalOf(yield* deletionOf(accessToken).keep), [409, "deletion_due"])
        yield* eraseDue
      })
    )

    it.effect("A moderator ends a restriction of a closing account only for when it is kept", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const moderator = yield* administrator()
        const sql = yield* SqlClient.SqlClient
        const author = yield* authorOf(9)
        const { handle } = author
        yield* author.published()
        yield* closeAccount(9, author)
        yield* moderator["accounts.unrestrict"]({ handle, ...because })
        yield* followRestrictions
        assert.strictEqual((yield* client.send("GET", "/@author9")).status, 404)
        assert.deepStrictEqual(yield* sql`select from administrator_actions`, [])

        // A restriction of it outlasts the deletion.
        yield* moderator["accounts.restrict"]({ handle, ...because })
        const { accessToken } = yield* signIn(9)
        yield* deletionOf(accessToken).keep
        yield* followRestrictions
        assert.strictEqual((yield* client.send("GET", "/@author9")).status, 404)
        yield* moderator["accounts.unrestrict"]({ handle, ...because })
        yield* followRestrictions
        assert.strictEqual((yield* client.send("GET", "/@author9")).status, 200)
      })
    )

    it.effect("A restricted owner deletes the account, and is restricted again after keeping it", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const moderator = yield* administrator()
        const author = yield* authorOf(10)
        yield* moderator["accounts.restrict"]({ handle: author.handle, ...because })
        yield* closeAccount(10, author)
        const { accessToken } = yield* signIn(10)
        assert.deepStrictEqual((yield* deletionOf(accessToken).keep).body, { state: "none" })
        yield* followRestrictions
        assert.strictEqual((yield* client.send("GET", "/@author10")).status, 404)
        const refused = yield* client.send("POST", "/api/v1/api-keys", { token: accessToken, body: {} })
        assert.include(refused.body.detail, "moderator")
      })
    )
  }
)
