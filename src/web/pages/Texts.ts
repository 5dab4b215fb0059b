import { Context, Effect, Layer, Option } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { LeastRecent } from "../../platform/memory/LeastRecent.ts"
import { type Html, trusted } from "../../platform/pages/html.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import type { PageHeading } from "../../publishing/content/html/pageText.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import type { PublicSection } from "../../publishing/content/sectionTasks.ts"
import { type ImageRow, pageStatements } from "./pages.sql.ts"

/** Memory of kept texts, at most. */
const BYTES_MAX = 64 * 1024 * 1024

/** Memory of an entry in addition to its text, about. */
const ENTRY_BYTES = 512

/** Memory of a heading, about. */
const HEADING_BYTES = 256

/** Texts that are rendered at the same time. Others wait, and delay no author. */
const AT_ONCE = 8

/** All pages take one turn between the authors who write. */
export const PAGES_KEY = "pages"

/** The place of a text: pages link its headings, feeds have the bare text. */
export type TextForm = "page" | "feed"

/** A text that is kept. */
export interface KeptText {
  readonly html: Html
  /** Null in feeds, which do not tell how long a text is. */
  readonly words: number | null
  /** None in feeds, which have no contents. */
  readonly headings: ReadonlyArray<PageHeading>
}

/** A Post at a revision. */
interface Revision {
  readonly id: PostId
  /** Its public address, from which its relative links lead on. A new handle changes it without a new revision. */
  readonly url: string
  readonly updatedAt: Timestamp
}

/** An image as the renderer of texts writes it. Addresses of our images have no character that HTML escapes. */
const IMAGE = /<img src="([^"]*)"/g

/** Adds the sizes of these images to a rendered text, so that it does not move while they load. */
const withSizes = (html: string, images: ReadonlyArray<ImageRow>): string => {
  const sizes = new Map(images.map((image) => [image.url, image]))
  return html.replaceAll(IMAGE, (tag, url: string) => {
    const size = sizes.get(url)
    return size === undefined ? tag : `${tag} width="${size.width}" height="${size.height}"`
  })
}

/**
 * Public texts of Posts as HTML. Rendering costs several milliseconds in a thread, so each revision is rendered once and
 * kept. The statement that reads a text decides what is public, so a paid section never comes here.
 */
export class Texts extends Context.Service<
  Texts,
  {
    /** Returns the text at this revision when it is kept. */
    readonly kept: (form: TextForm, revision: Revision) => KeptText | undefined
    /** Returns the text at this revision; none when the Post has another one by now, or is withdrawn. */
    readonly of: (form: TextForm, revision: Revision) => Effect.Effect<Option.Option<KeptText>>
  }
>()("pennypress/web/pages/Texts") {
  static readonly layer = Layer.effect(
    Texts,
    Effect.gen(function* () {
      const { images, text: markdown } = yield* pageStatements
      const { feedText, pageText } = yield* SectionReader
      const renders = {
        page: pageText,
        feed: (key: string, section: PublicSection) =>
          Effect.map(feedText(key, section), (html) => ({ html, words: null, headings: [] }))
      }
      const kept = new LeastRecent<KeptText>(BYTES_MAX)
      const few = fewAtOnce(AT_ONCE)
      const keyOf = (form: TextForm, { id, updatedAt, url }: Revision) => `${form} ${id} ${updatedAt} ${url}`
      const keptAt = (form: TextForm, revision: Revision) => kept.get(keyOf(form, revision))

      const read = Effect.fnUntraced(function* (form: TextForm, revision: Revision) {
        const row = yield* markdown(revision.id)
        if (Option.isNone(row) || row.value.updated_at !== revision.updatedAt) return Option.none<KeptText>()
        const { headings, html, words } = yield* renders[form](PAGES_KEY, {
          source: row.value.public_text ?? "",
          url: revision.url
        })
        const sized = html.includes("<img") ? withSizes(html, yield* images(revision.id)) : html
        const text = { html: trusted(sized), words, headings }
        const bytes = ENTRY_BYTES + 2 * sized.length + headings.length * HEADING_BYTES
        kept.set(keyOf(form, revision), text, bytes)
        return Option.some(text)
      })

      return Texts.of({
        kept: keptAt,
        of: (form, revision) =>
          Effect.suspend(() => {
            const known = keptAt(form, revision)
            return known === undefined ? few(revision.id)(read(form, revision)) : Effect.succeedSome(known)
          })
      })
    })
  )
}
