import { Effect } from "effect"
import { Report } from "../../conversion/report.ts"
import type { ImportedItem, ImportFailure, ImportKind } from "../../ImportedItem.ts"
import { titleOf } from "./fields.ts"
import { itemOf } from "./itemOf.ts"
import type { ItemContext, SourcePost } from "./SourcePost.ts"

/** The facts about a post that are known before its text is read. */
interface Named {
  readonly kind: ImportKind
  readonly path: string | null
  readonly title: string
}

/** Returns the refused item of a post whose text is not read. */
const unread = (ordinal: number, { kind, path, title }: Named): ImportedItem => {
  const report = new Report()
  report.add("too_complex", "meta")
  const name = titleOf(title || (path ?? "")).text
  return {
    ordinal,
    sourceId: `unread ${ordinal}`,
    sourcePath: path,
    sourceUrl: null,
    kind,
    author: null,
    title: name,
    slug: null,
    status: "draft",
    datedAt: null,
    // Nothing says that everyone may read it.
    access: "paid",
    stop: { outcome: "refused", code: "too_complex" },
    draft: {
      title: name,
      description: "",
      slug: null,
      canonicalUrl: null,
      language: null,
      categoryIds: [null, null],
      ogTitle: null,
      ogDescription: null,
      commentsEnabled: null,
      accessKind: "paid",
      freeContent: "",
      paidContent: "",
      priceXno: null,
      creationMethod: null,
      creationDetails: null,
      creationAttested: false
    },
    images: [],
    links: [],
    attachments: [],
    native: null,
    aliases: [],
    oldPaths: [],
    report: report.lines,
    unreported: report.unreported,
    sha256: ""
  }
}

/** Makes the item of a post. One that this reading leaves out is refused, and nothing of its text is read. */
export const itemAt = (
  ordinal: number,
  context: ItemContext,
  named: Named,
  post: Effect.Effect<SourcePost, ImportFailure>
): Effect.Effect<ImportedItem, ImportFailure> =>
  context.options.leavesOut?.(ordinal) === true
    ? Effect.sync(() => unread(ordinal, named))
    : Effect.map(post, (it) => itemOf(it, ordinal, context))
