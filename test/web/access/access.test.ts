import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { bytes, offered, sha256 } from "../../payments/access/downloading.ts"
import { gift, revoke } from "../../payments/gifts/giving.ts"
import { lookSoon, sale } from "../../payments/sessions/sessionWorld.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { mailsTo } from "../../support/mailbox.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, type Browser, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"

/** Opens a gift in a browser without an account. */
const redeemed = Effect.fnUntraced(function* (reader: Browser, token: string) {
  const key = valueOf((yield* reader.get("/gift")).text, "key")
  const opened = yield* reader.post("/gift", { key, token })
  assert.strictEqual(opened.status, 303, opened.text)
})

const bought = Effect.gen(function* () {
  const { payer, postId } = yield* sale
  const reader = yield* browser
  const path = (yield* reader.post(`/read/${postId}/buy`)).headers.get("location")!
  const [, payTo = "", amount = ""] =
    /nano:(nano_\w+)\?amount=(\d+)/.exec((yield* reader.get(path)).text) ?? []
  yield* payer.pay(NanoAddress.make(payTo), BigInt(amount))
  yield* lookSoon
  yield* reader.get(path)
  return { postId, reader, read: `/read/${postId}` }
})

layer(service(database("test_reading_bought")))("what a browser bought", (it) => {
  it.effect("A purchase is added to the account that signs in, and read in its other browsers", () =>
    Effect.gen(function* () {
      const { read, reader } = yield* bought
      const shown = yield* reader.get(read)
      validated(shown.text)
      assert.include(shown.text, "Add to my account")
      const asked = yield* reader.post(`${read}/account`)
      assert.strictEqual(asked.status, 200)
      assert.include(asked.text, "Sign in, and we&#39;ll add this post to your account.")
      const { answer } = yield* signIn(reader, 900, read, valueOf(asked.text, "kept"))
      assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, read], answer.text)
      for (const _ of [1, 2]) {
        const added = yield* reader.post(`${read}/account`)
        assert.deepStrictEqual([added.status, added.headers.get("location")], [303, read], added.text)
        assertPrivate(added)
      }
      const after = yield* reader.get(read)
      assert.include(after.text, "It&#39;s in your account")
      assert.notInclude(after.text, "Add to my account")
      const phone = yield* browser
      yield* signIn(phone, 900)
      assert.include((yield* phone.get(read)).text, "It&#39;s in your account")

      // Another account does not get it with the same receipt.
      yield* reader.post("/sign-out")
      yield* signIn(reader, 901)
      const late = yield* reader.post(`${read}/account`)
      assert.strictEqual(late.status, 409)
      validated(late.text)
      assert.include(late.text, "It&#39;s in another account")
      const forged = yield* reader.post(`${read}/account`, {}, { "sec-fetch-site": "cross-site" })
      assert.strictEqual(forged.status, 403)
    })
  )

  it.effect(
    "A text that is locked offers the sign-in first, and a text of no account offers to keep it",
    () =>
      Effect.gen(function* () {
        const { read, reader } = yield* bought
        const stranger = yield* browser
        const locked = yield* stranger.get(read)
        assert.strictEqual(locked.status, 403)
        validated(locked.text)
        const [first, field] = [
          locked.text.indexOf("Is it in your account?"),
          locked.text.indexOf('name="receipt"')
        ]
        assert.isTrue(first > 0 && first < field)
        assert.include(locked.text, `href="/sign-in?back=${encodeURIComponent(read)}"`)
        const { answer } = yield* signIn(stranger, 910, read)
        assert.strictEqual(answer.headers.get("location"), read)
        const other = yield* stranger.get(read)
        validated(other.text)
        assert.include(other.text, "It isn't in your account.")
        assert.notInclude(other.text, "/sign-in")

        const { text } = yield* reader.get(read)
        const [keep, prose] = [text.indexOf("Add to my account"), text.indexOf('class="prose"')]
        assert.isTrue(keep > 0 && keep < prose)
        assert.strictEqual(text.split("Add to my account").length, 2)
      })
  )

  it.effect(
    "A private link opens the text in any browser, and its secret is in no address that is sent",
    () =>
      Effect.gen(function* () {
        const { read, reader } = yield* bought
        const { text } = yield* reader.get(read)
        const [, link = ""] = /data-copy="([^"]*#ppr_\w+)"/.exec(text) ?? []
        assert.match(link, new RegExp(`^https?://[^/]+${read}#ppr_`))
        assert.include((yield* reader.get(`${read}/receipt`)).text, link)
        const phone = yield* browser
        const locked = yield* phone.get(read)
        assert.match(locked.text, /<input[^>]*name="receipt"[^>]*data-fragment/)
        // A reader without script pastes the whole link.
        const opened = yield* phone.post(read, { receipt: link })
        assert.deepStrictEqual([opened.status, opened.headers.get("location")], [303, read])
        assert.include((yield* phone.get(read)).text, "<p>Paid</p>")
        const other = yield* bought
        assert.strictEqual((yield* (yield* browser).post(other.read, { receipt: link })).status, 403)
      })
  )

  it.effect("A private link is mailed to the address that its reader types, with no word of the author", () =>
    Effect.gen(function* () {
      const { read, reader } = yield* bought
      const { text } = yield* reader.get(read)
      const [, title = ""] = /<h1[^>]*>([^<]+)</.exec(text) ?? []
      assert.isAbove(title.length, 2)
      for (const email of ["reader@example.org", "lesêr@bücher.example"]) {
        const sent = yield* reader.post(`${read}/mail`, { email: ` ${email} ` })
        assert.strictEqual(sent.status, 200, sent.text)
        assertPrivate(sent)
        validated(sent.text)
        assert.include(sent.text, `We&#39;re emailing it to ${email}.`)
        assert.notInclude(sent.text, "ppr_")
        const mail = (yield* mailsTo(email)).at(-1)!
        assert.match(mail.text, new RegExp(`https?://[^/]+${read}#ppr_\\w+`))
        assert.notInclude(mail.text + mail.subject, title)
        assert.include(mail.text, "can read the post and add it to their account")
      }
      for (const email of [
        "",
        "ada",
        "ada@gmail",
        "a@example.org, b@example.org",
        `${"a".repeat(400)}@example.org`
      ]) {
        const refused = yield* reader.post(`${read}/mail`, { email })
        assert.strictEqual(refused.status, 400, email)
        validated(refused.text)
      }
      assert.strictEqual((yield* reader.post(`${read}/mail`, { email: "a".repeat(600) })).status, 413)
      const stranger = yield* browser
      assert.strictEqual((yield* stranger.post(`${read}/mail`, { email: "x@example.org" })).status, 403)
      const forged = yield* reader.post(
        `${read}/mail`,
        { email: "x@example.org" },
        { "sec-fetch-site": "cross-site" }
      )
      assert.strictEqual(forged.status, 403)
      assert.strictEqual((yield* mailsTo("x@example.org")).length, 0)
    })
  )

  it.effect("A browser without a receipt has nothing to add", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      const reader = yield* browser
      yield* signIn(reader, 902)
      assert.strictEqual((yield* reader.post(`/read/${postId}/account`)).status, 403)
    })
  )

  it.effect("A gift is added to one account, and read in its other browsers", () =>
    Effect.gen(function* () {
      const { author, postId } = yield* sale
      const reader = yield* browser
      const { id, token } = yield* gift(author, postId)
      yield* redeemed(reader, token)
      const read = `/read/${postId}`
      const shown = yield* reader.get(read)
      validated(shown.text)
      assert.include(shown.text, "This was a gift to you. This browser keeps your receipt")
      assert.include(shown.text, "Add to my account")
      const asked = yield* reader.post(`${read}/account`)
      assert.strictEqual(asked.status, 200)
      yield* signIn(reader, 903, read)
      assert.include((yield* reader.get(read)).text, "Add to my account")
      const forged = yield* reader.post(`${read}/account`, {}, { "sec-fetch-site": "cross-site" })
      assert.strictEqual(forged.status, 403)
      // The second press is that of a browser whose answer was lost.
      for (const _ of [1, 2]) {
        const added = yield* reader.post(`${read}/account`)
        assert.deepStrictEqual([added.status, added.headers.get("location")], [303, read], added.text)
        assertPrivate(added)
      }
      const after = yield* reader.get(read)
      validated(after.text)
      assert.include(after.text, "It&#39;s in your account")
      assert.notInclude(after.text, "Add to my account")
      const phone = yield* browser
      assert.strictEqual((yield* phone.get(read)).status, 403)
      yield* signIn(phone, 903)
      const elsewhere = yield* phone.get(read)
      assert.include(elsewhere.text, "This was a gift to you. It&#39;s in your account.")
      assert.notInclude(elsewhere.text, "receipt")

      yield* reader.post("/sign-out")
      yield* signIn(reader, 904)
      const late = yield* reader.post(`${read}/account`)
      assert.strictEqual(late.status, 409)
      validated(late.text)
      assert.include(late.text, "It&#39;s in another account")
      // The end of the access ends it everywhere.
      yield* revoke(author, id, "revoke")
      for (const it of [phone, reader]) assert.strictEqual((yield* it.get(read)).status, 403)
      assert.strictEqual((yield* reader.post(`${read}/account`)).status, 403)
    })
  )

  it.effect("A reader who still has a post by an account gets no private link of a gift that ended", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(920)
      const { id: postId } = yield* offered(author)
      const reader = yield* browser
      const { id, token } = yield* gift(author, postId)
      yield* redeemed(reader, token)
      const read = `/read/${postId}`
      yield* signIn(reader, 920)
      assert.include((yield* reader.get(read)).text, "Save receipt")
      assert.strictEqual((yield* reader.get(`${read}/receipt`)).status, 200)
      yield* revoke(author, id, "revoke")
      const shown = yield* reader.get(read)
      assert.strictEqual(shown.status, 200)
      validated(shown.text)
      assert.notMatch(shown.text, /ppr_|Save receipt/)
      assert.strictEqual((yield* reader.get(`${read}/receipt`)).status, 403)
      assert.strictEqual((yield* reader.post(`${read}/mail`, { email: "dead@example.org" })).status, 403)
      assert.lengthOf(yield* mailsTo("dead@example.org"), 0)
    })
  )

  it.effect("A browser goes on with a file after a break", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(910)
      const offer = yield* offered(author)
      const reader = yield* browser
      yield* redeemed(reader, (yield* gift(author, offer.id)).token)
      const path = `/read/${offer.id}/files/${offer.file}`
      const whole = yield* reader.get(path)
      assert.deepStrictEqual([whole.status, whole.headers.get("accept-ranges")], [200, "bytes"])
      const etag = `"${sha256.toString("hex")}"`
      assert.strictEqual(whole.headers.get("etag"), etag)
      assert.deepStrictEqual(Buffer.from(whole.bytes ?? []), bytes)
      const rest = yield* reader.get(path, { range: "bytes=10-", "if-range": etag })
      assert.strictEqual(rest.status, 206)
      assert.strictEqual(rest.headers.get("content-range"), `bytes 10-${bytes.length - 1}/${bytes.length}`)
      assert.deepStrictEqual(Buffer.from(rest.bytes ?? []), bytes.subarray(10))
      const other = yield* reader.get(path, { range: "bytes=10-", "if-range": '"another"' })
      assert.deepStrictEqual([other.status, other.bytes?.length], [200, bytes.length])
      const beyond = yield* reader.get(path, { range: `bytes=${bytes.length}-` })
      assert.deepStrictEqual(
        [beyond.status, beyond.headers.get("content-range")],
        [416, `bytes */${bytes.length}`]
      )
      for (const answer of [whole, rest, beyond])
        assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      const stranger = yield* browser
      assert.strictEqual((yield* stranger.get(path, { range: "bytes=0-1" })).status, 403)
    })
  )
})

layer(service(database("test_reading_mailed"), 1, { rateLimitFactor: 1 }))(
  "the mails of private links",
  (it) => {
    it.effect("A mailbox gets at most three private links a day, which no sender of more learns", () =>
      Effect.gen(function* () {
        for (const email of ["v@example.org", "V+one@EXAMPLE.org", "v+two+2@example.org.", "v@example.org"]) {
          const { read, reader } = yield* bought
          const sent = yield* reader.post(`${read}/mail`, { email })
          assert.deepStrictEqual([sent.status, sent.headers.get("retry-after")], [200, null])
          assert.include(sent.text, "is on its way")
        }
        assert.lengthOf(yield* mailsTo("v@example.org"), 1)
        const { read, reader } = yield* bought
        for (let n = 0; n < 6; n++)
          assert.strictEqual((yield* reader.post(`${read}/mail`, { email: `n${n}@example.org` })).status, 200)
        const last = yield* reader.post(`${read}/mail`, { email: "n9@example.org" })
        assert.deepStrictEqual([last.status, Number(last.headers.get("retry-after")) > 0], [429, true])
        validated(last.text)
        assert.include(last.text, 'value="n9@example.org"')
        assert.include(last.text, "Nothing was sent this time")
        assert.lengthOf(yield* mailsTo("n9@example.org"), 0)
      })
    )

    it.effect("An address opens thirty private links an hour", () =>
      Effect.gen(function* () {
        const { read, reader } = yield* bought
        const [, link = ""] = /data-copy="([^"]*#ppr_\w+)"/.exec((yield* reader.get(read)).text) ?? []
        const opened = Effect.gen(function* () {
          const stranger = yield* browser
          stranger.comesFrom({ from: "203.0.113.30" })
          return yield* stranger.post(read, { receipt: link })
        })
        for (let n = 0; n < 30; n++) assert.strictEqual((yield* opened).status, 303)
        const refused = yield* opened
        assert.deepStrictEqual([refused.status, Number(refused.headers.get("retry-after")) > 0], [429, true])
        assert.strictEqual((yield* (yield* browser).post(read, { receipt: link })).status, 303)
      })
    )
  }
)
