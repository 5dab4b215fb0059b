import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { ADMIN_TOKEN, administrator } from "../../../support/actors/administrator.ts"
import { followRestrictions } from "../../../support/actors/moderator.ts"
import { uploaderOf, workOff, zipFile } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { changedMeanwhile } from "../../../support/deletedMeanwhile.ts"
import { service } from "../../../support/TestClient.ts"
import { paywalled } from "../../attachments/paywalled.ts"

const DATABASE = "test_withdrawals_locked"
const reason = "A test"

/** Publishes a paid Post with a file. */
const published = Effect.fnUntraced(function* (number: number) {
  const author = yield* uploaderOf(number)
  const post = yield* author.draft(paywalled)
  assert.strictEqual((yield* author.attach(post, { parts: [zipFile("words")] })).status, 202)
  yield* workOff
  assert.strictEqual((yield* author.publish(post.id)).status, 200)
  return { author, postId: PostId.make(post.id) }
})

/** Makes a moderator wait for a transaction that announces the file again, as a reservation does. */
const whileAFileIsAnnounced = <A, E, R>(postId: PostId, act: Effect.Effect<A, E, R>) =>
  changedMeanwhile(
    DATABASE,
    [
      `update posts set updated_at = updated_at + interval '1 millisecond' where id = '${postId}'`,
      `update post_attachments set state = 'receiving' where post_id = '${postId}'`
    ],
    act
  )

layer(service(database(DATABASE), 1, { adminToken: ADMIN_TOKEN }))(
  "a Post for which a file is announced while moderation returns it (3.1)",
  (it) => {
    it.effect("A Post with an announced file stays a draft when its withdrawal ends", () =>
      Effect.gen(function* () {
        const { author, postId } = yield* published(1)
        const moderator = yield* administrator()
        yield* moderator["moderation.posts.withdraw"]({ postId, reason })
        const restore = moderator["moderation.posts.restore"]({ postId, reason })
        const restored = yield* whileAFileIsAnnounced(postId, restore)
        assert.deepStrictEqual(restored, { postId, status: "draft", isWithdrawn: false })
        assert.strictEqual((yield* author.read(postId)).body.status, "draft")
      })
    )

    it.effect("A Post with an announced file stays a draft when its author's restriction ends", () =>
      Effect.gen(function* () {
        const { author, postId } = yield* published(2)
        const moderator = yield* administrator()
        yield* moderator["accounts.restrict"]({ handle: author.handle, reason })
        yield* followRestrictions
        yield* moderator["accounts.unrestrict"]({ handle: author.handle, reason })
        yield* whileAFileIsAnnounced(postId, followRestrictions)
        assert.strictEqual((yield* author.read(postId)).body.status, "draft")
      })
    )
  }
)
