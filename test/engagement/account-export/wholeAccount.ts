import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { paid } from "../../payments/finance/selling.ts"
import { gift } from "../../payments/gifts/giving.ts"
import { rich, editorOf } from "../../publishing/posts/nativeEditor.ts"
import { buyerOf } from "../../support/actors/buyer.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { pngFile, uploaderOf, workOff, zipFile } from "../../support/actors/uploader.ts"
import { TestClient } from "../../support/TestClient.ts"
import { followsOf } from "../follows/follower.ts"

/** A word of each paid section. Nothing that everyone may read has it. */
export const PAID_WORD = "zanzibarine"

/** Makes accounts with everything that an account may have. The first has the number `number`, and others follow. */
export const wholeAccount = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* uploaderOf(number)
  const other = yield* commenterOf(number + 1)
  const buyer = yield* buyerOf(number + 2)
  const { id: authorId, ...me } = yield* readerOf(number)
  const { id: otherId } = yield* readerOf(number + 1)
  const send = (method: string, path: string, body?: unknown) =>
    client.send(method, path, {
      token: author.accessToken,
      headers: { "idempotency-key": crypto.randomUUID() },
      ...(body === undefined ? {} : { body })
    })
  const ok = (answer: { readonly status: number; readonly text: string }) =>
    assert.include([200, 201, 202, 204], answer.status, answer.text)

  const free = yield* author.published({
    title: 'Free: a "post" {{< x >}}',
    description: "yes",
    freeContentMarkdown: "Words of everyone\r\n\r\n{{< youtube 1 >}}"
  })
  const picture = yield* author.draft({
    title: "A draft",
    freeContentMarkdown: "Before",
    paidContentMarkdown: `${PAID_WORD} of a draft`,
    enablePaywall: true,
    priceXno: "0.25"
  })
  const uploaded = yield* author.inline(picture)
  ok(uploaded)
  yield* workOff
  const url: string = (yield* author.status(uploaded)).body.publicUrl
  const { body: withPicture } = yield* author.read(picture.id)
  ok(
    yield* author.patch(
      picture.id,
      { freeContentMarkdown: `Before\n\n![A picture](${url})\n\n![Again](${new URL(url).pathname})\n` },
      { "x-post-revision": withPicture.updatedAt }
    )
  )
  const sold = yield* author.draft({
    title: "Nine degrees",
    freeContentMarkdown: "The beginning",
    paidContentMarkdown: `${PAID_WORD} that readers buy`,
    enablePaywall: true,
    priceXno: "0.5",
    secondaryCategoryId: 27,
    canonicalUrl: "https://old.test/nine",
    ogTitle: "on",
    creationDetails: "By hand: twice"
  })
  ok(yield* author.attach(sold, { parts: [zipFile("data", "Data <1>.zip")] }))
  yield* workOff
  const { body: complete } = yield* author.read(sold.id)
  ok(yield* author.og(complete, { parts: [pngFile(2)] }))
  yield* workOff
  ok(yield* author.publish(sold.id))
  const unpublished = yield* author.published({ title: "Gone again" })
  ok(yield* author.unpublish(unpublished.id))
  const open = yield* author.published({
    title: "Open",
    freeContentMarkdown: "The first part",
    paidContentMarkdown: "The second part",
    enablePaywall: false
  })
  const native = yield* author.draft({ title: "Native" })
  yield* (yield* editorOf(author)).write(native.id, { free: rich })
  ok(yield* author.avatar({ parts: [pngFile(3)] }))
  yield* workOff

  // Acts of others about the account.
  const comment = yield* other.say(free.id, "A word from a reader")
  ok(
    yield* client.send("PUT", `/api/v1/follows/${authorId}`, {
      token: other.accessToken,
      body: { following: true }
    })
  )
  const { answer: bought } = yield* buyer.buy(sold.id)
  ok(bought)

  // Acts of the account.
  const theirs = yield* other.published({
    title: "Of another author",
    freeContentMarkdown: "Theirs",
    paidContentMarkdown: `${PAID_WORD} of another author`,
    enablePaywall: true,
    priceXno: "0.5"
  })
  const own = yield* commenterOf(number)
  yield* own.say(theirs.id, "My own word")
  const erased = yield* own.say(theirs.id, "Erased")
  ok(yield* own.removeComment(erased.id))
  ok(yield* send("PUT", `/api/v1/posts/${theirs.id}/reactions`, { reaction: "heart" }))
  ok(yield* send("PUT", `/api/v1/comments/${comment.id}/reactions`, { reaction: "clap" }))
  yield* followsOf({ ...me, id: authorId }).follow(otherId)
  ok(yield* send("PUT", `/api/v1/notifications/posts/${theirs.id}/mute`, { muted: true }))
  ok(yield* send("POST", `/api/v1/posts/${theirs.id}/reports`, { reason: "Not theirs" }))
  const given = yield* gift(author, sold.id)
  const { answer: purchase } = yield* buyer.buy(theirs.id, { token: author.accessToken })
  ok(purchase)
  yield* paid(buyer, {
    target: { kind: "tip", postId: PostId.make(theirs.id), commentId: null, recipientId: otherId },
    payTo: other.wallet.account,
    amountRaw: RAW_PER_XNO,
    buyerId: authorId
  })
  yield* paid(buyer, {
    target: { kind: "tip", postId: null, commentId: null, recipientId: authorId },
    payTo: author.wallet.account,
    amountRaw: RAW_PER_XNO
  })

  return {
    author,
    authorId,
    other,
    otherId,
    buyer,
    free,
    picture,
    sold,
    unpublished,
    open,
    native,
    theirs,
    given,
    url,
    comment
  }
})
