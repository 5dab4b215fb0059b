import { Effect } from "effect"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { beginningOf, firstSentenceOf } from "../../publishing/content/reading/firstSentence.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import type { SentFields } from "../write/postForm.ts"

/** Makes the functions for a post without a description: the page of decisions fills in the first sentence. */
export const makeFilledDescription = Effect.gen(function* () {
  const reader = yield* SectionReader

  /** The first sentence that everyone reads. */
  const firstSentence = ({ freeContentMarkdown: text, language }: Post, owner: BrowserAuthority) =>
    text === null
      ? Effect.succeed("")
      : reader.nativeOf(owner.ownerId, beginningOf(text)).pipe(
          Effect.map((document) => firstSentenceOf(document, language)),
          Effect.catchCause(() => Effect.succeed(""))
        )

  /** Returns fields without a description that the page filled in. It follows the text until its author writes one. */
  const withoutFilled = Effect.fnUntraced(function* (
    fields: SentFields,
    post: Post,
    owner: BrowserAuthority
  ) {
    const isFilled = post.description === "" && fields.description === (yield* firstSentence(post, owner))
    return isFilled ? { ...fields, description: undefined } : fields
  })

  return { firstSentence, withoutFilled }
})
