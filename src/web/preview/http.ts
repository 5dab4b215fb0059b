import { Effect, Layer } from "effect"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { priceWorths } from "../../platform/nano/aboutMoney.ts"
import { trusted } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { wireTime, now } from "../../platform/time/now.ts"
import { withLabels } from "../../publishing/content/html/labels.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { draftCardPath } from "../cards/cardNames.ts"
import { makeBothSections } from "../pages/bothSections.ts"
import { titleText } from "../pages/parts/values.ts"
import type { PostView } from "../pages/parts/views.ts"
import { makePictures } from "../pages/pictures.ts"
import { extentOf, minutesOf, wordsOf } from "../pages/readingTime.ts"
import { wordsIn } from "../pages/words/wordsIn.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { fieldsOf } from "../write/postForm.ts"
import { previewPath } from "../write/writePage.ts"
import { previewPage } from "./previewPage.ts"

const bytesOf = (text: string | null) => Buffer.byteLength(text ?? "")

/** Returns the sentence above the part for buyers. */
const paidNoteOf = ({ enablePaywall, priceRaw }: Post, price: string) => {
  if (!enablePaywall) return "You don't sell what follows, so everyone reads it."
  return priceRaw === null
    ? "Set a price to sell what follows."
    : `Readers pay ${price} XNO to read on from here.`
}

/** Serves a post to its author as readers will see it. */
export const PreviewRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const profiles = yield* Profiles
    const discovery = yield* Discovery
    const bothSections = yield* makeBothSections
    const worths = yield* priceWorths
    const { baseUrl } = yield* Site
    const { pictured } = yield* makePictures
    const count = yield* limiting
    const { shownAt } = yield* makeAsPublisher
    const { answering, page } = yield* makePrivatePages

    /** Returns a post as its page shows it, and its part for buyers. */
    const viewOf = Effect.fnUntraced(function* (owner: BrowserAuthority, post: Post) {
      const { avatarUrl, authorKind, bio, handle, id, name } = yield* profiles.own(owner)
      const url = post.url ?? `${baseUrl}/@${handle}/${post.slug}`
      const words = wordsIn(post.language)
      const { free, paid, rest } = yield* bothSections(owner.ownerId, {
        free: post.freeContentMarkdown,
        paid: post.paidContentMarkdown,
        url
      })
      const category = (yield* discovery.categories).data.find((it) => it.id === post.primaryCategoryId)
      const { price } = fieldsOf(post)
      const priceXno = post.enablePaywall && price !== "" ? price : null
      const at = wireTime(yield* now)
      const restBytes = bytesOf(post.paidContentMarkdown)
      const view: PostView = {
        id: post.id,
        title: titleText(post.title),
        description: post.description,
        url,
        language: post.language,
        publishedAt: post.publishedAt ?? at,
        updatedAt: post.publishedAt === null ? at : post.updatedAt,
        category: category ?? null,
        author: { id, name, handle, avatarUrl, authorKind, bio },
        priceXno,
        priceWorth: priceXno === null ? null : (yield* worths)(priceXno, words.language),
        rest: post.enablePaywall
          ? {
              ...extentOf(restBytes, post.language),
              pictures: rest?.images ?? 0,
              sections: rest?.headings.length ?? 0,
              files: post.attachments.length
            }
          : null,
        sales: 0,
        tipAmounts: [],
        minutes: minutesOf(free.words + wordsOf(restBytes, post.language)),
        image: post.ogImageEffective,
        imageSize: null,
        cardPicture: draftCardPath(post.id),
        ogTitle: post.ogTitle,
        ogDescription: post.ogDescription,
        canonicalUrl: post.canonicalUrl,
        creationMethod: post.creationMethod,
        creationDetails: post.creationDetails,
        isIndexed: false,
        isMailed: false,
        text: yield* pictured(post.id, trusted(withLabels(free.html, words))),
        headings: free.headings,
        reactions: { thumbs_up: 0, heart: 0, fire: 0, clap: 0 },
        discussion: { isOpen: false, count: 0, threads: [], next: null },
        related: []
      }
      return {
        view,
        paid: paid === null ? null : yield* pictured(post.id, trusted(withLabels(paid, words))),
        paidNote: paidNoteOf(post, price)
      }
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      return yield* shownAt(
        previewPath(id),
        Effect.fnUntraced(function* (publisher, owner) {
          const post = yield* posts.read(publisher, id)
          const { view, ...paid } = yield* viewOf(owner, post)
          return page(
            previewPage({
              id,
              isPublished: post.url !== null,
              post: view,
              cardTitle: post.ogTitle ?? view.title,
              cardText: post.ogDescription ?? post.description,
              cardImage: post.ogImageEffective ?? draftCardPath(id),
              ...paid
            })
          )
        })
      )
    })

    return addPrivatePage("GET", "/write/:postId/preview", answering(show))
  })
)
