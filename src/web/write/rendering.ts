import { Effect } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { type Html, trusted } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { footnotesApart } from "../../publishing/content/html/footnotes.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { writePath } from "./writePage.ts"

/**
 * Makes the function that shows a section of a post to its author as readers see it; null for one that is not written. The page
 * may show both sections, so the ids of footnotes have the name of theirs.
 */
export const makeRendering = Effect.gen(function* () {
  const { pageText } = yield* SectionReader
  const { baseUrl } = yield* Site

  return (
    owner: OwnerId,
    post: Post,
    source: string | null,
    name: "free" | "paid"
  ): Effect.Effect<Html | null> =>
    source === null
      ? Effect.succeed(null)
      : Effect.map(
          pageText(owner, { source, url: post.url ?? `${baseUrl}${writePath(post.id)}` }),
          ({ html }) => trusted(footnotesApart(html, `.${name}`))
        )
})
