import { Context, Effect, Layer, Option } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { LeastRecent } from "../../platform/memory/LeastRecent.ts"
import { type Html, trusted } from "../../platform/pages/html.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import type { PageHeading } from "../../publishing/content/html/pageText.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import type { PublicSection } from "../../publishing/content/sectionTasks.ts"
import { pageStatements } from "./pages.sql.ts"
import { makePictures } from "./pictures.ts"

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

/**
 * Public texts of Posts as HTML. Rendering costs several milliseconds in a thread, so each revision is rendered once and
 * kept. The statement that reads a text decides what is public, so a paid section never comes here.
 */
export class Texts extends Context.Service<
  Texts,
  {
    /** Returns the text of feeds at this revision when it is kept. */
    readonly keptForFeeds: (revision: Revision) => KeptText | undefined
    /** Returns the text at this revision; none when the Post has another one by now, or is withdrawn. */
    readonly of: (form: TextForm, revision: Revision) => Effect.Effect<Option.Option<KeptText>>
  }
>()("pennypress/web/pages/Texts") {
  static readonly layer = Layer.effect(
    Texts,
    Effect.gen(function* () {
      const { text: markdown } = yield* pageStatements
      const { pictured, sized } = yield* makePictures
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
        const text = {
          html: form === "feed" ? yield* sized(revision.id, trusted(html)) : trusted(html),
          words,
          headings
        }
        const bytes = ENTRY_BYTES + 2 * text.html.toString().length + headings.length * HEADING_BYTES
        kept.set(keyOf(form, revision), text, bytes)
        return Option.some(text)
      })

      /** The smaller copies of an image come after the revision that shows it, so they are not kept with its text. */
      const withPictures = (id: PostId) =>
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (text: KeptText) =>
            Effect.map(pictured(id, text.html), (html) => Option.some<KeptText>({ ...text, html }))
        })

      return Texts.of({
        keptForFeeds: (revision) => keptAt("feed", revision),
        of: (form, revision) =>
          Effect.suspend(() => {
            const known = keptAt(form, revision)
            const text =
              known === undefined ? few(revision.id)(read(form, revision)) : Effect.succeedSome(known)
            return form === "feed" ? text : Effect.flatMap(text, withPictures(revision.id))
          })
      })
    })
  )
}
