import { type Html, html } from "../../platform/pages/html.ts"

/** Rows that are shown without a press. */
const ROWS_SHOWN = 31

export interface DayTable {
  /** The name of the table for screen readers. */
  readonly label: string
  /** The heads of the columns of numbers. */
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Html>
  /** Completes `All 40 days with …`. */
  readonly kind: string
}

/** A table with a row for each day. A long one opens at a press. */
export const dayTable = ({ heads, kind, label, rows }: DayTable): Html => {
  const table = html`<section class="scroll" tabindex="0" aria-label="${label}">
    <table>
      <thead>
        <tr>
          <th scope="col">Day</th>
          ${heads.map((head) => html`<th scope="col" class="a-right">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`
  return rows.length > ROWS_SHOWN
    ? html`<details>
        <summary>All ${rows.length} days with ${kind}</summary>
        ${table}
      </details>`
    : table
}
