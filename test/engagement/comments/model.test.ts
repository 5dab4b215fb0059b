import { assert, layer } from "@effect/vitest"
import { Context, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import type { Comment, CommentDraft } from "../../../schemas/engagement/comments/Comment.ts"
import type { CommentPage } from "../../../schemas/engagement/comments/page.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { Comments } from "../../../src/engagement/comments/Comments.ts"
import { HiddenComments } from "../../../src/engagement/comments/HiddenComments.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { insertOwner, insertPost, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const USERS = 4
const POSTS = 2
const administrator = AdministratorAuthority.make({ kind: "administrator" })

/**
 * A step of a script. `of` names an earlier Comment by its place from the end, or nothing when there are fewer. A stray reply
 * may name one on the other Post.
 */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      "append",
      "reply",
      "reply",
      "reply",
      "stray",
      "replay",
      "remove",
      "hide",
      "restore",
      "hideAll",
      "restoreAll"
    ),
    user: fc.nat(USERS - 1),
    post: fc.nat(POSTS - 1),
    of: fc.nat(3)
  }),
  { minLength: 20, maxLength: 60 }
)
type Step = typeof steps extends fc.Arbitrary<ReadonlyArray<infer S>> ? S : never

/** A Comment as the rules have it. */
interface Modelled {
  readonly saved: Comment
  readonly draft: CommentDraft
  readonly key: string
  readonly author: OwnerId
  readonly postId: PostId
  deletedBy: "author" | "moderator" | null
  isHidden: boolean
  isHiddenWithAuthor: boolean
}

const isVisible = (it: Modelled) => !it.isHidden && !it.isHiddenWithAuthor
const isCounted = (it: Modelled) => isVisible(it) && it.deletedBy === null

let numbers = 0

const makeUsers = Effect.forEach(
  Array.from({ length: USERS }, (_, n) => n + 1),
  (n) => insertOwner(n, { name: "A name", handle: `handle${n}` })
)

/** Two new Posts of the first users. */
const makeWorld = Effect.fnUntraced(function* (users: ReadonlyArray<OwnerId>) {
  const posts: Array<PostId> = []
  for (let n = 0; n < POSTS; n++) posts.push(yield* insertPost(++numbers, users[n]!, "published"))
  return { users, posts, all: [] as Array<Modelled> }
})
type World = Effect.Success<ReturnType<typeof makeWorld>>

const append = Effect.fnUntraced(function* ({ all, posts, users }: World, step: Step) {
  const comments = yield* Comments
  const parent = step.kind === "append" ? undefined : all.at(-1 - step.of)
  const author = users[step.user]!
  const postId = (step.kind === "reply" ? parent?.postId : undefined) ?? posts[step.post]!
  const draft: CommentDraft = {
    content: `Comment ${all.length}`,
    ...(parent === undefined ? {} : { parentCommentId: parent.saved.id })
  }
  const key = `key-${++numbers}`
  const outcome = yield* Effect.result(comments.append(sessionOf(author), postId, draft, key))
  const isAllowed =
    parent === undefined || (parent.postId === postId && isCounted(parent) && parent.saved.depth < 4)
  assert.strictEqual(Result.isSuccess(outcome), isAllowed)
  if (Result.isFailure(outcome)) return assert.strictEqual(outcome.failure._tag, "Validation")
  const { replayed, ...saved } = outcome.success
  assert.isFalse(replayed)
  const hidden = { deletedBy: null, isHidden: false, isHiddenWithAuthor: false }
  all.push({ saved, draft, key, author, postId, ...hidden })
})

const replay = Effect.fnUntraced(function* (it: Modelled) {
  const comments = yield* Comments
  const again = yield* comments.append(sessionOf(it.author), it.postId, it.draft, it.key)
  assert.deepStrictEqual([again.id, again.replayed], [it.saved.id, true])
  assert.strictEqual(again.content, it.deletedBy === null ? it.saved.content : null)
})

const remove = Effect.fnUntraced(function* ({ posts, users }: World, it: Modelled, user: OwnerId) {
  const comments = yield* Comments
  const isModerator = users[posts.indexOf(it.postId)] === user
  const role = it.author === user ? ("author" as const) : isModerator ? ("moderator" as const) : undefined
  const outcome = yield* Effect.result(comments.remove(sessionOf(user), it.saved.id))
  if (role !== undefined) it.deletedBy ??= role
  const expected = role === undefined ? (isVisible(it) ? "Forbidden" : "NotFound") : it.deletedBy
  assert.strictEqual(
    Result.isSuccess(outcome) ? outcome.success.deleted_by_role : outcome.failure._tag,
    expected
  )
})

const play = Effect.fnUntraced(function* (world: World, step: Step) {
  const hidden = yield* HiddenComments
  const it = world.all.at(-1 - step.of)
  const user = world.users[step.user]!
  const own = world.all.filter(({ author }) => author === user)
  switch (step.kind) {
    case "append":
    case "reply":
    case "stray":
      return yield* append(world, step)
    case "hideAll":
      yield* hidden.hideAllOf(user)
      return own.forEach((one) => (one.isHiddenWithAuthor = true))
    case "restoreAll":
      yield* hidden.restoreAllOf(user)
      return own.forEach((one) => (one.isHiddenWithAuthor = false))
  }
  if (it === undefined) return
  switch (step.kind) {
    case "replay":
      return yield* replay(it)
    case "remove":
      return yield* remove(world, it, user)
    case "hide":
    case "restore": {
      const isHidden = step.kind === "hide"
      const { isChanged } = yield* isHidden
        ? hidden.hide(administrator, it.saved.id)
        : hidden.restore(administrator, it.saved.id)
      assert.strictEqual(isChanged, it.isHidden !== isHidden)
      it.isHidden = isHidden
    }
  }
})

/** Compares what readers see, and the counters, with the model. */
const compare = Effect.fnUntraced(function* ({ all, posts }: World) {
  const comments = yield* Comments
  const sql = yield* SqlClient.SqlClient
  yield* (yield* Counters).add
  for (const postId of posts) {
    const ofPost = all.filter((it) => it.postId === postId)
    const seen: Array<Comment> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: CommentPage = yield* comments.page(null, postId, { limit: 3, cursor })
      seen.push(...page.comments)
      cursor = page.pagination.nextCursor
    }
    const expected = ofPost
      .filter(isVisible)
      .toSorted((a, b) =>
        `${a.saved.createdAt}${a.saved.id}` < `${b.saved.createdAt}${b.saved.id}` ? -1 : 1
      )
      .map((it) => ({
        id: it.saved.id,
        content: it.deletedBy === null ? it.saved.content : null,
        deletedByRole: it.deletedBy,
        replyCount: all.filter((other) => isCounted(other) && other.saved.parentCommentId === it.saved.id)
          .length
      }))
    assert.deepStrictEqual(
      seen.map(({ content, deletedByRole, id, replyCount }) => ({ id, content, deletedByRole, replyCount })),
      expected
    )
    assert.deepStrictEqual(yield* comments.newest(null, postId), seen)
    const counted = yield* sql`select comments from post_counts where post_id = ${postId}`
    assert.deepStrictEqual(counted, [{ comments: ofPost.filter(isCounted).length }])
  }
  const visible = yield* Effect.forEach(all, ({ saved }) => comments.visible(saved.id))
  assert.deepStrictEqual(
    visible.map(({ _tag }) => _tag === "Some"),
    all.map(isVisible)
  )
})

layer(service(database("test_comments_model")))("Comments of random scripts", (it) => {
  it.effect("Random Comments follow the rules of a model, and the counters equal the rows", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Comments | HiddenComments | Counters | SqlClient.SqlClient>()
      const run = Effect.runPromiseWith(context)
      const users = yield* makeUsers
      const script = Effect.fnUntraced(function* (all: ReadonlyArray<Step>) {
        const world = yield* makeWorld(users)
        for (const step of all) yield* play(world, step)
        yield* compare(world)
      })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(steps, (all) => run(script(all))),
          { numRuns: 25, seed: 20 }
        )
      )
      const sql = Context.get(context, SqlClient.SqlClient)
      assert.isAbove((yield* sql`select from comments where deleted_at is not null`).length, 10)
      assert.isAbove((yield* sql`select from comments where depth = 4`).length, 5)
      assert.isAbove((yield* sql`select from comments where hidden_at is not null`).length, 10)
    })
  )
})
