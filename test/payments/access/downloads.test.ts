import { assert, layer } from "@effect/vitest"
import { isPaymentRequiredV2, validatePaymentRequired } from "@x402/core/schemas"
import { Effect } from "effect"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { UploadAdministration } from "../../../src/publishing/uploads/UploadAdministration.ts"
import { administrator, idOf } from "../../publishing/uploads/screenings.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { access, base64Json, buyerOf, fromBase64, inTime, payloadOf } from "../../support/actors/buyer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { gift, redeem } from "../gifts/giving.ts"
import { bytes, codeOf, download, offered, part, sha256 } from "./downloading.ts"
import { paidPost } from "./paidPost.ts"

layer(service(database("test_payments_downloads"), 1, { adminToken: ADMIN_TOKEN }))(
  "files of a Post (6.3)",
  (it) => {
    it.effect("Files are listed for everyone, and downloaded by their author and their buyers", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const offer = yield* offered(author)
        const client = yield* TestClient
        const list = `/api/posts/${offer.id}/attachments`
        const listed = yield* client.send("GET", list)
        assert.strictEqual(
          listed.headers.get("cache-control"),
          "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
        )
        const known = { "if-none-match": listed.headers.get("etag") ?? "" }
        assert.strictEqual((yield* client.send("GET", list, { headers: known })).status, 304)
        const own = yield* client.send("GET", list, { token: author.accessToken })
        assert.strictEqual(own.headers.get("cache-control"), "private, no-store")
        assert.deepStrictEqual(listed.body, {
          data: [{ id: offer.file, fileName: "Книга 'é'.zip", byteSize: bytes.length, state: "ready" }]
        })
        assert.strictEqual((yield* download(offer, {}, { token: author.accessToken })).status, 200)

        const buyer = yield* buyerOf(2)
        const { answer, payment } = yield* buyer.buy(offer.id)
        assert.deepStrictEqual(answer.body.post.attachments, [
          {
            id: offer.file,
            fileName: "Книга 'é'.zip",
            byteSize: bytes.length,
            state: "ready",
            sha256: sha256.toString("hex"),
            url: `/api/posts/${offer.id}/attachments/${offer.file}`
          }
        ])
        const receipt = { "x-purchase-receipt": answer.body.receipt.token as string }
        const got = yield* download(offer, receipt)
        assert.strictEqual(got.status, 200)
        assert.strictEqual(got.headers.get("content-type"), "application/zip")
        assert.strictEqual(got.headers.get("content-length"), String(bytes.length))
        assert.strictEqual(got.headers.get("etag"), `"${sha256.toString("hex")}"`)
        assert.strictEqual(got.headers.get("repr-digest"), `sha-256=:${sha256.toString("base64")}:`)
        assert.strictEqual(got.headers.get("cache-control"), "private, no-store")
        assert.strictEqual(got.headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(
          got.headers.get("content-disposition"),
          `attachment; filename="_____ '_'.zip"; filename*=UTF-8''${encodeURIComponent("Книга é.zip").replace("%C3", "%27%C3").replace(".zip", "%27.zip")}`
        )
        // The payment of the purchase downloads, too, and is charged once.
        const again = yield* download(offer, { "payment-signature": payment })
        assert.strictEqual(again.status, 200)
        assert.strictEqual(fromBase64(again.headers.get("payment-response")).success, true)
      })
    )

    it.effect("Files are listed only while their Post is public", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(41)
        const client = yield* TestClient
        const draft = yield* author.draft(paidPost)
        yield* author.attach(draft, { parts: [part] })
        yield* workOff
        const list = (token?: string) =>
          Effect.map(
            client.send("GET", `/api/posts/${draft.id}/attachments`, token === undefined ? {} : { token }),
            codeOf
          )
        assert.deepStrictEqual(yield* list(), [404, "not_found"])
        yield* author.publish(draft.id, "publish-41")
        assert.deepStrictEqual(yield* list(), [200, undefined])
        yield* author.unpublish(draft.id)
        assert.deepStrictEqual(yield* list(), [404, "not_found"])
        assert.deepStrictEqual(yield* list(author.accessToken), [404, "not_found"])
      })
    )

    it.effect("Readers of a gift download the files, as often as the gift may be redeemed", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(31)
        const offer = yield* offered(author)
        const { token: gifted } = yield* gift(author, offer.id, { maxRedemptions: 2 })
        const { accessToken: token } = yield* readerOf(32)
        yield* redeem(token, gifted)
        assert.strictEqual((yield* download(offer, {}, { token })).status, 200)

        const anonymous = { "x-gift-token": gifted, "idempotency-key": "a-reader-without-an-account" }
        const given = yield* download(offer, { ...anonymous, range: "bytes=99999-" })
        assert.strictEqual(given.status, 416)
        assert.strictEqual((yield* download(offer, anonymous)).status, 200)
        // The file has no room for the receipt of the gift, which reads on without the token.
        const receipt = { "x-purchase-receipt": given.headers.get("x-purchase-receipt") ?? "" }
        assert.strictEqual((yield* download(offer, receipt)).status, 200)
        assert.isNull((yield* download(offer, receipt)).headers.get("x-purchase-receipt"))
        const late = { ...anonymous, "idempotency-key": "one-more-reader" }
        assert.deepStrictEqual(codeOf(yield* download(offer, late)), [410, "gift_exhausted"])
        assert.strictEqual((yield* download(offer, {}, { token })).status, 200)
      })
    )

    it.effect("A download asks for a payment of the Post, and that payment buys the file", () =>
      Effect.gen(function* () {
        const offer = yield* offered(yield* uploaderOf(3))
        const { accessToken: token } = yield* readerOf(4)
        const required = yield* download(offer, {}, { token })
        assert.strictEqual(required.status, 402)
        const terms = fromBase64(required.headers.get("payment-required"))
        assert.isTrue(terms.resource.url.endsWith(`/api/posts/${offer.id}/attachments/${offer.file}`))
        assert.strictEqual(terms.resource.mimeType, "application/zip")
        const { output } = terms.extensions.bazaar.info
        assert.deepStrictEqual(output, { type: "binary", format: "application/zip" })
        assert.isTrue(isPaymentRequiredV2(validatePaymentRequired(terms)))
        const text = fromBase64((yield* access(offer.id, { token })).headers.get("payment-required"))
        assert.deepStrictEqual(text.extensions.bazaar.info.output, { type: "json" })
        assert.strictEqual((yield* download(offer, {}, {}, "HEAD")).status, 402)
        const buyer = yield* buyerOf(5)
        const [{ amount, payTo }] = terms.accepts
        const block = yield* buyer.send(NanoAddress.make(payTo), BigInt(amount))
        const payment = base64Json(payloadOf(terms, block))
        const got = yield* inTime(download(offer, { "payment-signature": payment }, { token }))
        assert.strictEqual(got.status, 200)
        const receipt = { "x-purchase-receipt": got.headers.get("x-purchase-receipt") ?? "" }
        assert.strictEqual((yield* download(offer, receipt)).status, 200)
        assert.strictEqual((yield* download(offer, {}, { token })).status, 200)
        assert.strictEqual((yield* access(offer.id, { token })).body.access.via, "purchase")
        assert.deepStrictEqual(codeOf(yield* download(offer, { "x-purchase-receipt": "ppr_wrong" })), [
          403,
          "receipt_invalid"
        ])
        const unknown = { ...offer, file: "00000000-0000-7000-8000-000000000000" }
        assert.deepStrictEqual(codeOf(yield* download(unknown, {}, { token })), [404, "not_found"])
      })
    )

    it.effect("A download answers ranges, and the whole file when it has changed", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(6)
        const offer = yield* offered(author)
        const get = (headers: Readonly<Record<string, string>>, method = "GET") =>
          download(offer, headers, { token: author.accessToken }, method)
        const etag = `"${sha256.toString("hex")}"`
        const some = yield* get({ range: "bytes=4-9", "if-range": etag })
        assert.deepStrictEqual(
          [some.status, some.headers.get("content-range"), some.headers.get("content-length")],
          [206, `bytes 4-9/${bytes.length}`, "6"]
        )
        assert.strictEqual((yield* get({ range: "bytes=4-9", "if-range": '"other"' })).status, 200)
        const beyond = yield* get({ range: `bytes=${bytes.length}-` })
        assert.deepStrictEqual(
          [beyond.status, beyond.headers.get("content-range")],
          [416, `bytes */${bytes.length}`]
        )
        const size = bytes.length
        for (const [range, part] of [
          ["bytes=0-", `0-${size - 1}`],
          ["bytes=-3", `${size - 3}-${size - 1}`],
          [`bytes=-${size + 9}`, `0-${size - 1}`],
          [`bytes=${size - 1}-${size + 9}`, `${size - 1}-${size - 1}`],
          ["bytes = 1 - 2", "1-2"],
          ["Bytes=1-2", "1-2"]
        ] as const) {
          const answer = yield* get({ range })
          assert.deepStrictEqual(
            [answer.status, answer.headers.get("content-range"), answer.headers.get("etag")],
            [206, `bytes ${part}/${size}`, etag],
            range
          )
        }
        for (const range of ["bytes=-0", `bytes=${size}-`, `bytes=${size + 5}-${size + 9}`]) {
          const { body, headers, status } = yield* get({ range, "if-range": etag })
          assert.deepStrictEqual([status, body.data.code], [416, "range_not_satisfiable"], range)
          assert.strictEqual(headers.get("content-range"), `bytes */${size}`, range)
        }
        // Several parts, other units, nonsense, and the part of another file: the whole file.
        for (const headers of [
          { range: "bytes=0-1,3-4" },
          { range: "items=0-1" },
          { range: "bytes=2-1" },
          { range: "bytes=a-b" },
          { range: "bytes=-" },
          { range: `bytes=${size}-`, "if-range": '"other"' },
          { range: "bytes=0-1", "if-range": `W/${etag}` },
          { range: "bytes=0-1", "if-range": "Sat, 21 Nov 2026 05:00:00 GMT" }
        ]) {
          const answer = yield* get(headers)
          assert.deepStrictEqual(
            [answer.status, answer.headers.get("content-length"), answer.headers.get("content-range")],
            [200, String(size), null],
            JSON.stringify(headers)
          )
        }
        for (const method of ["GET", "HEAD"]) {
          const known = yield* get({ "if-none-match": `"other", W/${etag}`, range: "bytes=0-1" }, method)
          assert.deepStrictEqual(
            [known.status, known.text, known.headers.get("etag")],
            [304, "", etag],
            method
          )
        }
        assert.strictEqual((yield* get({ "if-none-match": '"other"' })).status, 200)
        assert.strictEqual((yield* download(offer, { "if-none-match": etag })).status, 402)
        const head = yield* get({ range: "bytes=0-1" }, "HEAD")
        assert.deepStrictEqual(
          [head.status, head.text, head.headers.get("content-length"), head.headers.get("etag")],
          [200, "", String(size), etag]
        )
        assert.strictEqual((yield* download(offer, {}, {}, "HEAD")).status, 402)
      })
    )

    it.effect("A screened or held file waits, and a buyer keeps a file that left its Post", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(7)
        const draft = yield* author.draft(paidPost)
        const sent = yield* author.attach(draft, { parts: [part] })
        const { body } = yield* author.publish(draft.id, "publish-7")
        const offer = { id: body.id as string, file: idOf(sent) }
        const { answer } = yield* (yield* buyerOf(8)).buy(offer.id)
        const receipt = { "x-purchase-receipt": answer.body.receipt.token as string }
        const pending = yield* download(offer, receipt)
        assert.deepStrictEqual(codeOf(pending), [409, "attachment_pending"])
        assert.strictEqual(pending.headers.get("retry-after"), String(pending.body.data.retryAfter))
        yield* workOff
        assert.strictEqual((yield* download(offer, receipt)).status, 200)
        const administration = yield* UploadAdministration
        yield* administration.hold(yield* administrator, UploadOperationId.make(offer.file))
        assert.deepStrictEqual(codeOf(yield* download(offer, receipt)), [409, "attachment_pending"])
        yield* administration.release(yield* administrator, UploadOperationId.make(offer.file))

        assert.strictEqual((yield* author.detach(offer.id, offer.file)).status, 200)
        yield* workOff
        assert.strictEqual((yield* download(offer, receipt)).status, 200)
        const client = yield* TestClient
        assert.deepStrictEqual(
          (yield* client.send("GET", `/api/posts/${offer.id}/attachments`)).body.data,
          []
        )
        const late = yield* (yield* buyerOf(9)).buy(offer.id)
        const lateReceipt = { "x-purchase-receipt": late.answer.body.receipt.token as string }
        assert.deepStrictEqual(codeOf(yield* download(offer, lateReceipt)), [404, "not_found"])
      })
    )
  }
)
