import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { tasksOf } from "../../platform/ports/tasks.ts"
import { absoluteMarkdown } from "./html/absoluteMarkdown.ts"
import { type Highlight, pageText } from "./html/pageText.ts"
import { renderHtml } from "./html/renderHtml.ts"
import { nativeOfMarkdown, readNative } from "./native/readNative.ts"
import { readMarkdown } from "./reading/readMarkdown.ts"
import { markdownWithoutUrl } from "./removal/markdownWithoutUrl.ts"
import { nativeWithoutUrl } from "./removal/nativeWithoutUrl.ts"

/** A section of a Post, and the public address of the Post. */
export interface PublicSection {
  readonly source: string
  readonly url: string
}

const inOneColour: Highlight = () => undefined

/** Work on sections of Posts that takes up to a second for the longest ones. */
export const sectionTasks = tasksOf("sections", {
  read: readMarkdown,
  readNative,
  nativeOf: nativeOfMarkdown,
  withoutUrl: ({ source, url }: { readonly source: string; readonly url: string }) =>
    markdownWithoutUrl(source, url),
  nativeWithoutUrl: ({ document, url }: { readonly document: NativeDocument; readonly url: string }) =>
    nativeWithoutUrl(document, url),
  /** The thread has the highlighter, which would cost the process of the requests 40 MB. */
  pageText: ({ source, url }: PublicSection) => pageText(source, inOneColour, url),
  feedText: ({ source, url }: PublicSection) => renderHtml(source, url),
  absoluteMarkdown: ({ source, url }: PublicSection) => absoluteMarkdown(source, url)
})
