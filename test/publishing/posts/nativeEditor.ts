import { Effect } from "effect"
import type { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import { NativeContents, type NativePatch } from "../../../src/publishing/posts/NativeContents.ts"
import type { Author } from "../../support/actors/author.ts"
import { doc, p, t } from "../content/native/nodes.ts"

/** Content that Markdown cannot express: a video and a colour. */
export const rich = doc(
  p(t("Watch "), {
    type: "text",
    text: "this",
    marks: [{ type: "textStyle", attrs: { color: "#f00" } } as { type: string }]
  }),
  { type: "youtube", attrs: { src: "https://video.test/1", start: 0, width: 640.5 } }
)

/** The features of {@link rich} that Markdown does not have. */
export const richFeatures = ["text_style", "youtube"]

/** The calls of another service that holds an author's key. */
export const editorOf = Effect.fnUntraced(function* (author: Author) {
  const contents = yield* NativeContents
  const context = yield* Effect.context<ApiKeys>()
  const write = (id: string, patch: NativePatch, revision?: string) =>
    Effect.provide(
      author.asService((publisher, id) => contents.write(publisher, id, patch, revision))(id),
      context
    )
  return {
    read: (id: string) => Effect.provide(author.asService(contents.read)(id), context),
    write
  }
})
