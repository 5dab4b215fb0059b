import { Effect } from "effect"
import type { Profile } from "../../../schemas/accounts/profile/Profile.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { now, wireTime } from "../../platform/time/now.ts"
import { draftCardPath, makeCardName } from "../cards/cardNames.ts"
import { titleText } from "../pages/parts/values.ts"
import type { CardView } from "../pages/parts/views.ts"
import { minutesOf, wordsOf } from "../pages/readingTime.ts"
import type { PostFields } from "../write/postForm.ts"
import { previewPath } from "../write/writePage.ts"

/** A post as others see it. */
export interface ReadersView {
  /** The post as lists show it. */
  readonly card: CardView
  /** The address of the picture that shared links show. */
  readonly picture: string
}

/** Makes the function that shows a post as others see it, or will see it. */
export const makeReadersView = Effect.map(makeCardName, (cardName) => {
  const pictureOf = ({ id, ogImageEffective, ogTitle, title, url }: Post, { handle, name }: Profile) => {
    if (ogImageEffective !== null) return ogImageEffective
    return url === null ? draftCardPath(id) : cardName(id, { title: ogTitle ?? title, name, handle }).path
  }

  return Effect.fnUntraced(function* (
    post: Post,
    author: Profile,
    { description, price }: Pick<PostFields, "description" | "price">
  ) {
    const { freeContentMarkdown: free, language, paidContentMarkdown: paid } = post
    const view: ReadersView = {
      card: {
        url: post.url ?? previewPath(post.id),
        title: titleText(post.title),
        description,
        language,
        publishedAt: post.publishedAt ?? wireTime(yield* now),
        author,
        priceXno: post.enablePaywall && price !== "" ? price : null,
        minutes: minutesOf(wordsOf(Buffer.byteLength(`${free ?? ""}${paid ?? ""}`), language)),
        picture: post.ogImageEffective
      },
      picture: pictureOf(post, author)
    }
    return view
  })
})
