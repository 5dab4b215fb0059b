import { Context, Effect, FiberSet, Layer, Option } from "effect"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { fewAtOnce } from "../../../platform/sql/fewAtOnce.ts"
import type { PageText } from "../../content/html/pageText.ts"
import { withMark, withoutRest } from "../../content/html/restMark.ts"
import { SectionReader } from "../../content/SectionReader.ts"
import {
  htmlStatements,
  type PostHtml,
  type PublicHtmlRow,
  type WholeHtml,
  type WholeText
} from "./texts.sql.ts"

/** Texts without HTML that are read at the same time. Others wait, in turns by author or reader. */
const AT_ONCE = 8

/** Longest time that a write waits for its HTML. Without it, the next read makes the HTML. */
const PATIENCE = "5 seconds"

/** The columns that decide which text a reader gets. */
interface Sections extends WholeText {
  readonly enable_paywall: boolean
}

/** Returns what a buyer reads, with the place where the part for buyers begins. */
const wholeOf = (free: string | null, paid: string | null) =>
  paid === null || paid === "" ? (free ?? "") : withMark(free, paid)

/** Returns a whole text that everyone may read. Its sections keep their footnotes, without the element between them. */
const unmarked = <Text extends { readonly html: string }>(text: Text): Text => ({
  ...text,
  html: withoutRest(text.html)
})

/** Returns true when a change of a Post changes what its readers get. */
export const isRewritten = (before: Sections, after: Sections): boolean =>
  before.enable_paywall !== after.enable_paywall ||
  before.free_content_markdown !== after.free_content_markdown ||
  before.paid_content_markdown !== after.paid_content_markdown

/** A text that everyone may read. */
type PublicText = Omit<PageText, "images">

const saved = ({ public_headings, public_html, public_words }: PublicHtmlRow): PublicText | undefined =>
  public_html === null
    ? undefined
    : { html: public_html, headings: public_headings ?? [], words: public_words ?? 0 }

/**
 * The texts of Posts as HTML. It is made once for each text: before the statement that publishes a Post, or that changes a
 * public one. A read that finds none, or that of another renderer, makes it and saves it.
 */
export class PostTexts extends Context.Service<
  PostTexts,
  {
    /** Makes the HTML of a text that is about to be public. Returns none when it takes too long: a write goes on without it. */
    readonly htmlOf: (owner: OwnerId, content: Sections) => Effect.Effect<PostHtml | undefined>
    /** Returns the public text of a Post; none for one that is not public any more. */
    readonly publicText: (row: PublicHtmlRow) => Effect.Effect<Option.Option<PublicText>>
    /** Returns the public texts of these Posts, without those of more bytes than this. */
    readonly publicTexts: (
      ids: ReadonlyArray<PostId>,
      bytesMax: number
    ) => Effect.Effect<ReadonlyMap<PostId, PublicText>>
    /**
     * Returns the HTML of a whole text that its reader has got. `reader` names the reader, who waits in a turn of their
     * own when it has to be made. `where` is where it is saved: with the Post, unless it is an earlier version.
     */
    readonly wholeText: (
      id: PostId,
      text: WholeText,
      reader: string,
      where?: WholeHtml
    ) => Effect.Effect<Pick<PageText, "headings" | "html">>
  }
>()("pennypress/publishing/posts/texts/PostTexts") {
  static readonly layer = Layer.effect(
    PostTexts,
    Effect.gen(function* () {
      const statements = yield* htmlStatements
      const { pageText } = yield* SectionReader
      const few = fewAtOnce(AT_ONCE)
      // A read does not wait until its HTML is saved.
      const inBackground = yield* FiberSet.makeRuntime<never>()

      const htmlOf = Effect.fn("PostTexts.htmlOf")(
        function* (
          owner: OwnerId,
          { enable_paywall, free_content_markdown: free, paid_content_markdown: paid }: Sections
        ): Effect.fn.Return<PostHtml> {
          const whole = yield* pageText(owner, { source: wholeOf(free, paid) })
          return enable_paywall
            ? { public: yield* pageText(owner, { source: free ?? "" }), whole }
            : { public: unmarked(whole), whole: null }
        },
        Effect.timeoutOption(PATIENCE),
        Effect.map(Option.getOrUndefined),
        Effect.catchDefect(() => Effect.undefined)
      )

      const make = Effect.fnUntraced(function* (id: PostId) {
        const row = yield* statements.publicText(id)
        if (Option.isNone(row)) return Option.none<PublicText>()
        const { free, owner_id, public_paid, updated_at } = row.value
        const text = unmarked(yield* pageText(owner_id, { source: wholeOf(free, public_paid) }))
        inBackground(statements.savePublic(id, updated_at, text))
        return Option.some<PublicText>(text)
      })

      const publicText = (row: PublicHtmlRow) => {
        const text = saved(row)
        return text === undefined ? few(row.owner_id)(make(row.id)) : Effect.succeedSome(text)
      }

      return PostTexts.of({
        htmlOf,
        publicText,
        publicTexts: Effect.fn("PostTexts.publicTexts")(function* (ids, bytesMax) {
          const texts = new Map<PostId, PublicText>()
          const rows = ids.length === 0 ? [] : yield* statements.publicHtml(ids, bytesMax)
          yield* Effect.forEach(
            rows,
            (row) =>
              Effect.map(publicText(row), (text) => {
                if (Option.isSome(text)) texts.set(row.id, text.value)
              }),
            { concurrency: AT_ONCE, discard: true }
          )
          return texts
        }),
        wholeText: Effect.fn("PostTexts.wholeText")(function* (id, text, reader, where = statements.whole) {
          const html = yield* where.find(id, text)
          if (Option.isSome(html)) return html.value
          const source = wholeOf(text.free_content_markdown, text.paid_content_markdown)
          const made = yield* few(reader)(pageText(reader, { source }))
          inBackground(where.save(id, text, made))
          return made
        })
      })
    })
  )
}
