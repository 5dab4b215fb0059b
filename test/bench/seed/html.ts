import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { pageText, RENDERER } from "../../../src/publishing/content/html/pageText.ts"

/** Posts whose HTML is saved by one statement. */
const AT_ONCE = 500

interface Row {
  readonly id: string
  readonly public_text: string
  readonly whole_text: string | null
}

/** Saves the HTML of all public texts, as their publication does. They have no code. */
export const seedHtml = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Row>`
    select id, case when enable_paywall then coalesce(free_content_markdown, '')
        else concat_ws(E'\\n\\n', free_content_markdown, paid_content_markdown) end as public_text,
      case when enable_paywall then concat_ws(E'\\n\\n', free_content_markdown, paid_content_markdown) end as whole_text
    from posts where status = 'published'`
  const rendered = (source: string) => pageText(source, () => undefined)
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const texts = rows.slice(from, from + AT_ONCE).map(({ id, public_text, whole_text }) => {
      const whole = whole_text === null ? null : rendered(whole_text)
      const { headings, html, images, words } = rendered(public_text)
      return {
        id,
        headings,
        html,
        words,
        images,
        whole_html: whole?.html ?? null,
        whole_images: whole?.images ?? null,
        whole_headings: whole?.headings ?? null
      }
    })
    yield* sql`
      update posts p set renderer = ${RENDERER}, public_html = h.html, public_headings = h.headings, public_words = h.words,
        public_images = h.images, whole_html = h.whole_html, whole_headings = h.whole_headings, whole_images = h.whole_images
      from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) as
        h(id uuid, html text, headings jsonb, words integer, images integer, whole_html text, whole_headings jsonb,
          whole_images integer)
      where p.id = h.id`
  }
})
