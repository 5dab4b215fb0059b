import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { FollowLists } from "../../engagement/follows/FollowLists.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { Publishing } from "../../publishing/posts/Publishing.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import type { Refused } from "../write/postForm.ts"
import { refusalOf } from "../write/refusals.ts"
import { publishPath } from "../write/writePage.ts"
import { publishPage } from "./publishPage.ts"

const isKey = Schema.is(SessionIdempotencyKey)

type Action = "publish" | "unpublish"

const done = new Map([
  ["publish", "Your post is published."],
  ["unpublish", "Your post is a draft again. Everyone who bought it keeps reading."]
])

/** Serves the page on which an author checks a post, publishes it, and takes it off the site. */
export const PublishRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const publishing = yield* Publishing
    const discovery = yield* Discovery
    const profiles = yield* Profiles
    const followLists = yield* FollowLists
    const { baseUrl } = yield* Site
    const random = yield* SecureRandom.SecureRandom
    const count = yield* limiting
    const { publisherAt } = yield* makeAsPublisher
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const shown = Effect.fnUntraced(function* (
      owner: BrowserAuthority,
      post: Post,
      said: { readonly refused: ReadonlyArray<Refused>; readonly told: string | null },
      status?: number
    ) {
      const { data: categories } = yield* discovery.categories
      const category = categories.find(({ id }) => id === post.primaryCategoryId)?.name ?? null
      const key = yield* random.uuidV4()
      const { handle } = yield* profiles.own(owner)
      const { followers } = yield* followLists.counts(owner.ownerId, null)
      const address = `${baseUrl}/@${handle}/${post.slug}`
      return page(publishPage({ post, address, category, followers, key, ...said }), status)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const told = done.get((yield* query).get("done") ?? "") ?? null
      return yield* publisherAt(publishPath(id), (publisher, owner) =>
        Effect.flatMap(posts.read(publisher, id), (post) => shown(owner, post, { refused: [], told }))
      )
    })

    const change = Effect.fnUntraced(function* (
      action: Action,
      publisher: PublisherAuthority,
      id: PostId,
      key: string
    ) {
      if (action === "publish") yield* publishing.publish(publisher, id, key)
      else yield* publishing.unpublish(publisher, id, key)
    })

    const press = (action: Action) =>
      Effect.gen(function* () {
        const id = yield* postIdOf
        const key = (yield* readForm).get("key") ?? ""
        if (!isKey(key)) return yield* new FormRefused({ status: 400 })
        const act = (publisher: PublisherAuthority, owner: BrowserAuthority) =>
          Effect.matchEffect(change(action, publisher, id, key), {
            onSuccess: () => Effect.succeed(seeOther(`${publishPath(id)}?done=${action}`)),
            onFailure: Effect.fnUntraced(function* (error) {
              const { refused, status, told } = refusalOf(error)
              const post = yield* posts.read(publisher, id)
              return yield* shown(owner, post, { refused, told: told?.said ?? null }, status)
            })
          })
        return yield* publisherAt(publishPath(id), act)
      })

    return Layer.mergeAll(
      HttpRouter.add("GET", "/write/:postId/publish", answering(show)),
      HttpRouter.add("POST", "/write/:postId/publish", answering(press("publish"))),
      HttpRouter.add("POST", "/write/:postId/unpublish", answering(press("unpublish")))
    )
  })
)
