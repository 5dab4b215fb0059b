/** Names of parts of a text, which only assistive technology reads. */
export interface TextLabels {
  readonly note: (number: string) => string
  readonly backFromNote: (number: string) => string
  readonly backFromPlace: (number: string, place: string) => string
  readonly notes: (first: string, last: string) => string
  readonly table: string
}

const NOTE = /(<a role="doc-noteref" href="#fn-\d+" aria-label=")Note (\d+)"/g
const BACK =
  /(<a role="doc-backlink" href="#fnref-[\d-]+" aria-label=")Back to the text from note (\d+)(?:, place (\d+))?"/g
const NOTES = /(<section class="notes" role="doc-endnotes" aria-label=")Notes (\d+) to (\d+)"/g
const TABLE = /(<section class="scroll" aria-label=")Table"/g

/**
 * Returns the HTML of a rendered text with its labels in another language. They have no character that HTML escapes. Only tags
 * have a `<`, in attributes too, so that no words of an author match.
 */
export const withLabels = (html: string, labels: TextLabels): string =>
  html.includes(' aria-label="')
    ? html
        .replaceAll(NOTE, (_, tag: string, number: string) => `${tag}${labels.note(number)}"`)
        .replaceAll(BACK, (_, tag: string, number: string, place: string | undefined) => {
          const label =
            place === undefined ? labels.backFromNote(number) : labels.backFromPlace(number, place)
          return `${tag}${label}"`
        })
        .replaceAll(
          NOTES,
          (_, tag: string, first: string, last: string) => `${tag}${labels.notes(first, last)}"`
        )
        .replaceAll(TABLE, (_, tag: string) => `${tag}${labels.table}"`)
    : html
