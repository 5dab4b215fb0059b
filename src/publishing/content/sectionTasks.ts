import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { tasksOf } from "../../platform/ports/tasks.ts"
import { absoluteMarkdown } from "./html/absoluteMarkdown.ts"
import { inOneColour, pageText } from "./html/pageText.ts"
import { nativeOfMarkdown, readNative } from "./native/readNative.ts"
import { readMarkdown } from "./reading/readMarkdown.ts"
import { markdownWithoutUrls } from "./removal/markdownWithoutUrls.ts"
import { nativeWithoutUrl } from "./removal/nativeWithoutUrl.ts"

/** A section of a Post, and the public address of the Post. */
export interface PublicSection {
  readonly source: string
  readonly url: string
}

/** A section of a Post. Its relative links stay relative without the address of the Post. */
export type PageSection = Pick<PublicSection, "source"> & Partial<PublicSection>

/** Work on sections of Posts that takes up to a second for the longest ones. */
export const sectionTasks = tasksOf("sections", {
  read: readMarkdown,
  readNative,
  nativeOf: nativeOfMarkdown,
  withoutUrls: ({ source, urls }: { readonly source: string; readonly urls: ReadonlyArray<string> }) =>
    markdownWithoutUrls(source, urls),
  nativeWithoutUrl: ({ document, url }: { readonly document: NativeDocument; readonly url: string }) =>
    nativeWithoutUrl(document, url),
  /** The thread has the highlighter, which would cost the process of the requests 40 MB. */
  pageText: ({ source, url }: PageSection) => pageText(source, inOneColour, url),
  absoluteMarkdown: ({ source, url }: PublicSection) => absoluteMarkdown(source, url)
})
