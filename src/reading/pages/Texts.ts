import { Context, Effect, Layer, Option } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { LeastRecent } from "../../platform/memory/LeastRecent.ts"
import { type Html, trusted } from "../../platform/pages/html.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import { PagesRepo } from "./PagesRepo.ts"
import { renderingTexts } from "./renderingTexts.ts"
import type { PublicText } from "./storedText.sql.ts"

/** Memory of kept texts, at most. */
const BYTES_MAX = 64 * 1024 * 1024

/** Memory of an entry beside its text, about. */
const ENTRY_BYTES = 256

/** Texts that are rendered at once. Others wait, and delay no author. */
const AT_ONCE = 8

/** All pages take one turn between the authors who write. */
const KEY = "pages"

/** The place of a text: pages link its headings, feeds have the bare text. */
export type TextForm = "page" | "feed"

/** A text that is kept. */
export interface KeptText {
  readonly html: Html
  /** Null in feeds, which do not tell how long a text is. */
  readonly words: number | null
}

/** A Post at a revision. */
interface Revision {
  readonly id: PostId
  readonly updatedAt: Timestamp
}

/**
 * Public texts of Posts as HTML, kept in this process by their revisions. Rendering costs several milliseconds in a thread,
 * so a page takes the HTML that `PageTexts` stored. Feeds are rendered here, as is a page that is read before the worker
 * came to it. The statement that reads a text decides what is public, so a paid section never comes here.
 */
export class Texts extends Context.Service<
  Texts,
  {
    /** Returns the text at this revision when it is kept. */
    readonly kept: (form: TextForm, revision: Revision) => KeptText | undefined
    /** Returns the text of a page at this revision, and keeps it. */
    readonly ofRow: (revision: Revision, row: PublicText) => Effect.Effect<KeptText>
    /** Returns the text at this revision; none when the Post has another one by now, or is withdrawn. */
    readonly of: (form: TextForm, revision: Revision) => Effect.Effect<Option.Option<KeptText>>
  }
>()("pennypress/reading/pages/Texts") {
  static readonly layer = Layer.effect(
    Texts,
    Effect.gen(function* () {
      const repo = yield* PagesRepo
      const rendered = yield* renderingTexts
      const kept = new LeastRecent<KeptText>(BYTES_MAX)
      const few = fewAtOnce(AT_ONCE)
      const keyOf = (form: TextForm, { id, updatedAt }: Revision) => `${form} ${id} ${updatedAt}`
      const keptAt = (form: TextForm, revision: Revision) => kept.get(keyOf(form, revision))

      const keep = Effect.fnUntraced(function* (form: TextForm, revision: Revision, row: PublicText) {
        const known = keptAt(form, revision)
        if (known !== undefined) return known
        const { html, words } =
          row.html === null
            ? yield* rendered[form](KEY, revision.id, row.public_text ?? "")
            : { html: row.html, words: row.words }
        const text = { html: trusted(html), words }
        kept.set(keyOf(form, revision), text, ENTRY_BYTES + 2 * html.length)
        return text
      })

      const read = Effect.fnUntraced(function* (form: TextForm, revision: Revision) {
        const row = yield* form === "page" ? repo.text(revision.id) : repo.markdown(revision.id)
        if (Option.isNone(row) || row.value.updated_at !== revision.updatedAt) return Option.none<KeptText>()
        return Option.some(yield* keep(form, revision, row.value))
      })

      return Texts.of({
        kept: keptAt,
        of: (form, revision) =>
          Effect.suspend(() => {
            const known = keptAt(form, revision)
            return known === undefined ? few(revision.id)(read(form, revision)) : Effect.succeedSome(known)
          }),
        ofRow: (revision, row) => keep("page", revision, row)
      })
    })
  )
}
