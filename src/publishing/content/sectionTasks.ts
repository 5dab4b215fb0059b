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

/** The hosts of the service, at which a section may name images of its own. */
export interface OwnHosts {
  readonly hosts: ReadonlyArray<string>
}

/** Work on sections of Posts that takes up to a second for the longest ones. */
export const sectionTasks = tasksOf("sections", {
  read: readMarkdown,
  readNative,
  nativeOf: nativeOfMarkdown,
  withoutUrls: ({
    hosts,
    source,
    urls
  }: OwnHosts & { readonly source: string; readonly urls: ReadonlyArray<string> }) =>
    markdownWithoutUrls(source, urls, hosts),
  nativeWithoutUrl: ({
    document,
    hosts,
    url
  }: OwnHosts & { readonly document: NativeDocument; readonly url: string }) =>
    nativeWithoutUrl(document, url, hosts),
  /** The thread has the highlighter, which would cost the process of the requests 40 MB. */
  pageText: ({ source, ...place }: PageSection & OwnHosts) => pageText(source, inOneColour, place),
  absoluteMarkdown: ({ source, url }: PublicSection) => absoluteMarkdown(source, url)
})
