import { rmSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { removeCredential, saveCredential } from "../../../src/mcp/local/state/credentials.sql.ts"
import { bytes, type Offer, offered } from "../../payments/access/downloading.ts"
import { SECRET } from "../../payments/access/paidPost.ts"
import { authorOf } from "../../support/actors/author.ts"
import { inTime } from "../../support/actors/buyer.ts"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { failure } from "./asIdentity.ts"
import { allowed, localBuyer } from "./localBuyer.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "./localEdition.ts"
import { Wire } from "./Wire.ts"

const HALF = String(RAW_PER_XNO / 2n)

/** Runs a part of a test in a process of its own over the directory. */
const inProcess = <A, E, R>(directory: string, test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Layer.build(edition(directory)), (context) => Effect.provideContext(test, context)).pipe(
    Effect.scoped
  )

const wanted = ({ file, id }: Offer) => ({ post_id: id, attachment_id: file })

/** Buys a Post in one process. */
const bought = (directory: string, offer: Offer, buyer: number) =>
  inProcess(
    directory,
    Effect.gen(function* () {
      const identity = yield* localBuyer(buyer)
      yield* allowed(identity, { maxTotalRaw: RAW_PER_XNO })
      const { call } = yield* toolsOf
      const { result } = yield* inTime(call("svc_buy_post", { post_id: offer.id, expected_price_raw: HALF }))
      assert.isTrue(result.purchase.receiptSaved)
    })
  )

/** Ends the session of the directory, as far as the directory knows. */
const withoutSession = StateStore.use((store) =>
  store.write((tx) =>
    Effect.sync(() => {
      removeCredential(tx, "access-token")
      removeCredential(tx, "refresh-token")
    })
  )
)

layer(serviceBehindWire("test_mcp_local_kept_purchases"))("a Post that was bought", (it) => {
  it.effect("A process without a session reads and downloads a Post by its receipt", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const offer = yield* offered(author)
      const directory = yield* stateDirectory
      yield* bought(directory, offer, 401)
      yield* inProcess(
        directory,
        Effect.gen(function* () {
          yield* withoutSession
          const { sent } = yield* Wire
          sent.length = 0
          const { call } = yield* toolsOf
          const { result } = yield* call("svc_read_content", { post_id: offer.id })
          assert.deepInclude(result, { available: true, source: "purchase" })
          assert.include(result.untrusted.contentMarkdown, SECRET)
          assert.deepStrictEqual(result.attachments, [
            {
              id: offer.file,
              byteSize: bytes.length,
              state: "ready",
              untrusted: { fileName: "Книга 'é'.zip" }
            }
          ])
          const saved = (yield* inTime(call("svc_download_attachment", wanted(offer)))).result
          assert.deepInclude(saved, { byteSize: bytes.length, untrusted: { fileName: "Книга 'é'.zip" } })
          assert.isFalse((yield* call("svc_extract_attachment", { attachment_id: offer.file })).isError)
          // The receipt entitles alone, and stays a secret.
          const reads = sent.filter(({ headers }) => headers["x-purchase-receipt"] !== undefined)
          assert.isAbove(reads.length, 1)
          for (const { headers } of sent) assert.notProperty(headers, "authorization")
          assert.notInclude(JSON.stringify([result, saved]), "ppr_")
        })
      )
    })
  )

  it.effect("A buyer keeps the text and the files when the author removes them", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(2)
      const offer = yield* offered(author)
      const [directory, strange] = [yield* stateDirectory, yield* stateDirectory]
      yield* bought(directory, offer, 402)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* author.detach(offer.id, offer.file)).status, 200)
      yield* workOff

      yield* inProcess(
        directory,
        Effect.gen(function* () {
          const { call } = yield* toolsOf
          const { result } = yield* inTime(call("svc_download_attachment", wanted(offer)))
          assert.strictEqual(result.byteSize, bytes.length)
          // The file is gone here, too: it is downloaded again.
          rmSync(result.path)
          const again = (yield* inTime(call("svc_download_attachment", wanted(offer)))).result
          assert.deepStrictEqual(again, result)
          assert.strictEqual((yield* author.unpublish(offer.id)).status, 200)
          const read = (yield* call("svc_read_content", { post_id: offer.id })).result
          assert.deepInclude(read, { available: true, source: "purchase", post: null })
          assert.deepStrictEqual(
            read.attachments.map((it: { readonly id: string }) => it.id),
            [offer.file]
          )
          assert.include(read.untrusted.contentMarkdown, SECRET)
          assert.isFalse((yield* inTime(call("svc_download_attachment", wanted(offer)))).isError)
        })
      )
      // Anyone else gets neither.
      yield* inProcess(
        strange,
        Effect.gen(function* () {
          yield* localBuyer(403)
          const { call } = yield* toolsOf
          const refused = failure(yield* inTime(call("svc_download_attachment", wanted(offer))))
          assert.strictEqual(refused.code, "not-found")
          const store = yield* StateStore
          const { key } = yield* authorOf(3)
          yield* store.write((tx) =>
            Effect.sync(() =>
              saveCredential(tx, "publishing-key", {
                value: Redacted.make(key),
                keyId: null,
                expiresAt: null
              })
            )
          )
          const read = yield* call("svc_read_content", { post_id: offer.id })
          assert.strictEqual(read.result?.reason, "not_public", read.text)
        })
      )
    })
  )
})
