import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { type ServicePath, ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { call } from "../../mcp/toolServer.ts"
import { operations } from "../../operations/document.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { type Reader, readerOf } from "../../support/actors/reader.ts"
import { storedSettlement } from "../../support/actors/storedPayments.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { eraseDue } from "../account-deletion/leaving.ts"
import { refreshDue } from "../leaderboards/refresh.ts"

/** Stands in every text of the author's Posts and of their discussions, and nowhere else. */
const WORD = "zanzibar"

const UNKNOWN = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

/** Queries of reads that have filters or orders. */
const queries: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/api/posts": [
    "cursor=",
    "q=cloves",
    "categoryId=3",
    "categoryId=4&sort=most_reacted",
    "handle=author1",
    "authorKind=agent",
    "authorKind=agent&cursor=",
    "access=paid",
    "language=en",
    "sort=most_reacted",
    "sort=most_purchased",
    "sort=most_purchased&cursor="
  ],
  "/search": ["q=cloves", "author=author1", "access=free"]
}

/** A Post of the author with a Comment, by the names that paths have for them. */
interface Left {
  readonly postId: string
  readonly slug: string
  readonly commentId: string
}

/** A GET, and whether the session of a reader sends it. */
interface Read {
  readonly path: string
  readonly isSignedIn: boolean
}

const schemesOf = new Map(
  operations
    .filter(({ method }) => method === "get")
    .map(({ path, security }) => [
      path.replaceAll(/\{(\w+)\}/g, ":$1"),
      security.flatMap((scheme) => Object.keys(scheme))
    ])
)

/** Returns every GET of the service about a Post, for anyone or for a reader who is signed in. */
const readsOf = (
  paths: ReadonlyMap<string, ServicePath>,
  { commentId, postId, slug }: Left
): ReadonlyArray<Read> => {
  const values: Readonly<Record<string, string>> = { commentId, handle: "author1", postId }
  return [...paths.values()]
    .filter(
      ({ methods, template }) => methods.has("GET") && !schemesOf.get(template)?.includes("publishingKey")
    )
    .flatMap(({ isPublicRead, template }) => {
      const path = template.replaceAll(/:([A-Za-z]+)/g, (_, name: string) =>
        name === "slug" ? (template.startsWith("/c/") ? "business" : slug) : (values[name] ?? UNKNOWN)
      )
      const isSignedIn = !isPublicRead && schemesOf.get(template)?.includes("ownerSession") === true
      return [path, ...(queries[template] ?? []).map((query) => `${path}?${query}`)].map((target) => ({
        path: target,
        isSignedIn
      }))
    })
}

/** Returns the reads and tools that have an answer about the author or a Post, or show the word. */
const shown = Effect.fnUntraced(function* (posts: ReadonlyArray<Left>, reader: Reader) {
  const client = yield* TestClient
  const paths = (yield* ServicePaths).all()
  const places = new Set<string>()
  const names = new RegExp(["author1", ...posts.flatMap((left) => Object.values(left))].join("|"))
  for (const { isSignedIn, path } of posts.flatMap((post) => readsOf(paths, post))) {
    if (places.has(path)) continue
    const request = isSignedIn ? { token: reader.accessToken } : {}
    const { status, text } = yield* client.send("GET", path, request)
    // The discussion of a missing Post is an empty one.
    const isAbout = names.test(path.replace(/\?.*$|.*\/comments$/, "")) && status < 300
    if (isAbout || (status < 400 && text.includes(WORD))) places.add(path)
  }
  for (const { postId } of posts)
    for (const [tool, wanted] of [
      ["svc_search", { author_handle: "author1" }],
      ["svc_search", { query: "cloves" }],
      ["svc_preview", { post_id: postId }],
      ["svc_read_content", { post_id: postId }]
    ] as const)
      if (JSON.stringify(yield* call(tool, wanted)).includes(WORD))
        places.add(`${tool} ${JSON.stringify(wanted)}`)
  return [...places]
})

layer(service(database("test_restricted_window"), 1, { adminToken: ADMIN_TOKEN }))(
  "the moment of a restriction or deletion",
  (it) => {
    it.effect(
      "No public read and no tool shows a Post of a restricted or deleted account from then on, nor its discussion",
      () =>
        Effect.gen(function* () {
          const client = yield* TestClient
          const moderator = yield* administrator()
          const author = yield* authorOf(1)
          yield* client.send("POST", "/api/v1/profile/declare-agent", { token: author.key })
          const others = yield* authorOf(2)
          const { id: otherId } = yield* others.published({ secondaryCategoryId: 4 })
          const reader = yield* readerOf(3)
          const { id: authorId } = (yield* client.send("GET", `/api/profile/${author.handle}`)).body
          yield* reader.send("PUT", `/api/v1/follows/${authorId}`, { body: { following: true } })
          const commenter = yield* commenterOf(4)

          const posts: Array<Left> = []
          for (const [title, more] of [
            [`The ${WORD} free`, {}],
            [`The ${WORD} sold`, { enablePaywall: true, priceXno: "0.1", paidContentMarkdown: WORD }]
          ] as const) {
            const { id, slug } = yield* author.published({
              title,
              description: `The cloves of ${WORD}`,
              freeContentMarkdown: `All of ${WORD}`,
              secondaryCategoryId: 4,
              ...more
            })
            const said = yield* commenter.say(id, `Seen in ${WORD}`)
            for (const token of [commenter.accessToken, reader.accessToken])
              yield* client.send("PUT", `/api/v1/posts/${id}/reactions`, {
                token,
                body: { reaction: "heart" }
              })
            yield* storedSettlement(id, "tip", "settled")
            posts.push({ postId: id, slug, commentId: said.id })
          }
          yield* client.send("PATCH", "/api/v1/profile", {
            token: author.key,
            body: { pinnedPostId: posts[0]?.postId }
          })
          yield* (yield* Counters).add
          yield* refreshDue
          const about = Effect.map(shown(posts, reader), (places) =>
            places.map((place) =>
              posts.reduce(
                (text, { commentId, postId, slug }, n) =>
                  text
                    .replaceAll(postId, `post${n}`)
                    .replaceAll(slug, `slug${n}`)
                    .replaceAll(commentId, `comment${n}`),
                place
              )
            )
          )

          const before = yield* about
          assert.isAbove(before.length, 50)

          yield* moderator["accounts.restrict"]({ handle: author.handle, reason: "Sells what others wrote" })
          assert.deepStrictEqual(yield* about, [])
          assert.strictEqual((yield* client.send("GET", `/api/posts/${otherId}`)).status, 200)

          yield* followRestrictions
          assert.deepStrictEqual(yield* about, [])

          yield* moderator["accounts.unrestrict"]({ handle: author.handle, reason: "Settled" })
          yield* followRestrictions
          assert.deepStrictEqual(yield* about, before)

          // An account that closes disappears alike, and nothing of it returns when it is erased.
          const deletion = { handle: author.handle, reason: "Asked for by post" }
          yield* moderator["accounts.delete"](deletion)
          assert.deepStrictEqual(yield* about, [])
          yield* followRestrictions
          assert.deepStrictEqual(yield* about, [])
          yield* moderator["accounts.delete"]({ ...deletion, now: true })
          assert.isAbove(yield* eraseDue, 0)
          yield* (yield* Counters).add
          yield* refreshDue
          assert.deepStrictEqual(yield* about, [])
          assert.strictEqual((yield* client.send("GET", `/@${author.handle}`)).status, 410)
        })
    )
  }
)
