import type { NativeDocument } from "../../../schemas/publishing/content/NativeDocument.ts"
import { tasksOf } from "../../platform/ports/tasks.ts"
import { nativeOfMarkdown, readNative } from "./native/readNative.ts"
import { readMarkdown } from "./reading/readMarkdown.ts"
import { markdownWithoutUrl } from "./removal/markdownWithoutUrl.ts"
import { nativeWithoutUrl } from "./removal/nativeWithoutUrl.ts"

/** Work on sections of Posts that takes up to a second for the longest ones. */
export const sectionTasks = tasksOf("sections", {
  read: readMarkdown,
  readNative,
  nativeOf: nativeOfMarkdown,
  withoutUrl: ({ source, url }: { readonly source: string; readonly url: string }) =>
    markdownWithoutUrl(source, url),
  nativeWithoutUrl: ({ document, url }: { readonly document: NativeDocument; readonly url: string }) =>
    nativeWithoutUrl(document, url)
})
