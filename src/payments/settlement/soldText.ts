import { Effect } from "effect"
import { PostTexts } from "../../publishing/posts/texts/PostTexts.ts"
import { soldHtmlStatements } from "./soldHtml.sql.ts"

/**
 * Makes the function that returns the HTML of a version which its reader has got, as `PostTexts.wholeText` does for the Post
 * as it is now. The first reader of the version makes it.
 */
export const makeSoldText = Effect.gen(function* () {
  const { wholeText } = yield* PostTexts
  const html = yield* soldHtmlStatements
  return ((id, text, reader) => wholeText(id, text, reader, html)) satisfies PostTexts["Service"]["wholeText"]
})
