import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ImageDecoderMemory } from "../../../../layers/testing/ImageDecoderMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { ImageUnreadable } from "../../../../src/platform/ports/ImageDecoder.ts"
import { now } from "../../../../src/platform/time/now.ts"
import { Notices } from "../../../../src/publishing/posts/Notices.ts"
import { idOf, malware } from "../../../publishing/uploads/screenings.ts"
import { uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { readerOf } from "../reader.ts"

layer(service(database("test_account_issues")))("account_issue", (it) => {
  it.effect("An image that screening rejects, or that fails, is reported with its Post", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const author = yield* uploaderOf(1)
      const owner = yield* readerOf(1)
      const draft = yield* author.draft()
      yield* Effect.flatMap(ScannerMemory, (it) => it.answerNext(malware))
      const rejected = yield* author.inline(draft)
      yield* workOff
      const [first] = (yield* owner.feed()).notifications
      assert.deepInclude(first, {
        type: "account_issue",
        actor: null,
        post_id: draft.id,
        data: { code: "image_rejected", cause: idOf(rejected) }
      })
      yield* TestClock.adjust("1 minute")
      yield* Effect.flatMap(ImageDecoderMemory, (it) =>
        it.failNext(new ImageUnreadable({ reason: "undecodable" }))
      )
      const failed = yield* author.avatar()
      yield* workOff
      assert.deepInclude((yield* owner.feed()).notifications[0], {
        post_id: null,
        data: { code: "image_failed", cause: idOf(failed) }
      })
      yield* author.avatar()
      yield* workOff
      assert.lengthOf(yield* owner.unread(), 2)
      yield* TestClock.adjust("1 minute")
      const paid = yield* author.draft({ paidContentMarkdown: "paid", enablePaywall: true, priceXno: "1" })
      yield* Effect.flatMap(ScannerMemory, (it) => it.answerNext(malware))
      const attached = yield* author.attach(paid)
      yield* workOff
      assert.deepInclude((yield* owner.feed()).notifications[0], {
        post_id: paid.id,
        data: { code: "attachment_rejected", cause: idOf(attached) }
      })
    })
  )

  it.effect("A second notice of one cause is not shown", () =>
    Effect.gen(function* () {
      const owner = yield* readerOf(2)
      const tell = Effect.fnUntraced(function* (cause: string) {
        const issue = { ownerId: owner.id, code: "image_rejected", cause, at: yield* now }
        yield* (yield* Notices).accountIssue(issue)
        yield* TestClock.adjust("1 second")
      })
      yield* tell("one")
      yield* tell("one")
      yield* tell("two")
      assert.lengthOf(yield* owner.unread(), 2)
    })
  )
})
