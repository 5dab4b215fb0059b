import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { CategoryId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { Posts } from "../../../src/publishing/posts/Posts.ts"
import { Publishing } from "../../../src/publishing/posts/Publishing.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { insertOwner, keyOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { soak } from "../../support/soak.ts"
import { service } from "../../support/TestClient.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"
import { type Body, EditModel, type Revision, type Step } from "./editModel.ts"

const SCRIPTS = soak(400, 10_000)
const AUTHORS = 20

const title = fc.constantFrom("", "One", "Two")
const text = fc.constantFrom("", "Some *text*", "![an image](https://img.test/a.png)")
// Titles never produce these slugs; the service would number such slugs to make them unique.
const slug = fc.constantFrom("chosen-a", "chosen-b")
const key = fc.constantFrom<0 | 1 | 2>(0, 1, 2)
const post = fc.nat({ max: 2 })

const body: fc.Arbitrary<Body> = fc.record(
  { title, freeContentMarkdown: text, slug, creationAttested: fc.boolean() },
  { requiredKeys: [] }
)
const complete: Body = { title: "One", freeContentMarkdown: "Some *text*", creationAttested: true }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("create" as const), key, body: fc.oneof(body, fc.constant(complete)) }),
  fc.record({
    do: fc.constant("patch" as const),
    post,
    patch: body.filter((it) => Object.keys(it).length > 0),
    revision: fc.constantFrom<Revision>("none", "current", "stale")
  }),
  fc.record({ do: fc.constant("publish" as const), post, key: fc.constantFrom<1 | 2>(1, 2) }),
  fc.record({ do: fc.constant("unpublish" as const), post }),
  fc.record({ do: fc.constant("remove" as const), post })
)
const begin = fc.constant<Step>({ do: "create", key: 1, body: complete })
const steps = fc.array(step, { minLength: 1, maxLength: 6 })
/** Most scripts begin with a Post that can be public, so that publishing succeeds often. */
const script: fc.Arbitrary<ReadonlyArray<Step>> = fc.oneof(
  steps,
  fc.tuple(fc.tuple(begin), steps).map((parts) => parts.flat())
)

/** The result of a step, with the Post when the answer has it. */
interface Done {
  readonly id: PostId
  readonly replayed: boolean
  readonly state?: Post
}

const done = (state: Post, replayed: boolean): Done => ({ id: state.id, replayed, state })

layer(service(database("test_edit_scripts")))("random edit scripts (3.1, 4.3)", (it) => {
  it.effect(
    `A model agrees with ${SCRIPTS} scripts of edits, publications, withdrawals, deletions and replays`,
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const posts = yield* Posts
        const publishing = yield* Publishing

        /** Plays one script and checks each step against the model. Each script has its own Publishing key. */
        const play = Effect.fnUntraced(function* (
          author: number,
          number: number,
          steps: ReadonlyArray<Step>
        ) {
          const own = yield* insertOwner(author * 1_000_000 + number, {
            name: "Author",
            handle: `author_${author}_${number}`,
            wallet_public_key: null,
            kind: "guest",
            payout_address: walletOf(1).account
          })
          const publisher = keyOf(own)
          const model = new EditModel()
          const ids: Array<PostId> = []
          const revisions: Array<string> = []
          const nobody = PostId.make("00000000-0000-4000-8000-000000000000")

          const stateOf = (id: PostId) => posts.read(publisher, id)

          const real = (step: Step): Effect.Effect<Done, { readonly _tag: string }> => {
            const id = step.do === "create" ? nobody : (ids[step.post] ?? nobody)
            switch (step.do) {
              case "create":
                return Effect.map(
                  posts.create(
                    publisher,
                    {
                      ...step.body,
                      description: "About it",
                      primaryCategoryId: CategoryId.make(1),
                      creationMethod: "human_written"
                    },
                    step.key === 0 ? undefined : `key-${step.key}`
                  ),
                  ({ post, replayed }) => done(post, replayed)
                )
              case "patch": {
                const current = revisions[step.post]
                const stale = "2001-01-01T00:00:00.000000Z"
                const revision =
                  step.revision === "none" ? undefined : step.revision === "stale" ? stale : current
                return Effect.map(posts.update(publisher, id, step.patch, revision), (post) =>
                  done(post, false)
                )
              }
              case "publish":
                return Effect.map(publishing.publish(publisher, id, `publish-${step.key}`), (it) => ({
                  id,
                  replayed: it.replayed
                }))
              case "unpublish":
                return Effect.as(publishing.unpublish(publisher, id, undefined), { id, replayed: false })
              case "remove":
                return Effect.as(posts.remove(publisher, id), { id, replayed: false })
            }
          }

          for (const [place, step] of steps.entries()) {
            const where = `script ${number}, step ${place}: ${JSON.stringify(steps)}`
            const expected = model.run(step)
            const answered = yield* Effect.result(real(step))
            if ("refused" in expected) {
              const tag = Result.isFailure(answered) ? answered.failure._tag : "success"
              assert.strictEqual(tag, expected.refused, where)
              continue
            }
            if (Result.isFailure(answered)) {
              assert.fail(`${answered.failure._tag} ${JSON.stringify(answered.failure)} ${where}`)
            }
            const { id, replayed } = answered.success
            assert.strictEqual(replayed, expected.replayed ?? false, where)
            if (step.do === "create" && !replayed) ids.push(id)
            if (step.do === "remove") continue
            if (step.do === "publish" && replayed) continue
            const state = answered.success.state ?? (yield* stateOf(id))
            const { attested, status, text, title } = expected.post
            assert.deepStrictEqual(
              [state.status, state.title, state.freeContentMarkdown ?? "", state.creationAttested],
              [status, title, text, attested],
              where
            )
            if (expected.post.slug !== undefined) assert.strictEqual(state.slug, expected.post.slug, where)
            const at = ids.indexOf(id)
            const before = revisions[at]
            const isChanged = before !== undefined && state.updatedAt !== before
            assert.strictEqual(isChanged, expected.post.changes > (changes.get(id) ?? 0), where)
            if (isChanged) assert.isTrue(state.updatedAt > before, where)
            revisions[at] = state.updatedAt
            changes.set(id, expected.post.changes)
          }
        })
        const changes = new Map<string, number>()

        const scripts = fc.sample(script, { numRuns: SCRIPTS, seed: 20_261_121 })
        yield* Effect.forEach(
          Array.from({ length: AUTHORS }, (_, author) => author),
          (author) =>
            Effect.forEach(
              scripts.filter((_, number) => number % AUTHORS === author),
              (steps, number) => play(author, number, steps),
              { discard: true }
            ),
          { concurrency: AUTHORS, discard: true }
        )
        // The counters that lists show agree with the Posts.
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      }),
    // The long form takes minutes.
    600_000
  )
})
