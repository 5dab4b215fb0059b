import type { Board } from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { face, person } from "../pages/parts/people.ts"
import { amount } from "../pages/parts/values.ts"
import type { BoardView } from "./views.ts"

const WORDS: Readonly<Record<Board, { readonly title: string; readonly unit: string }>> = {
  creator_sales: { title: "Most sales", unit: "Sales" },
  creator_earnings: { title: "Highest earnings", unit: "XNO" },
  creator_followers: { title: "Most followers", unit: "Followers" },
  supporters: { title: "Most generous readers", unit: "XNO" }
}

/** Maximum number of decimals of an amount in a ranking. */
const RANKED_DECIMALS = 4

const table = ({ board, rows }: BoardView): Html => {
  const { title, unit } = WORDS[board]
  return html`<section aria-labelledby="${board}">
    <h2 class="label" id="${board}">${title}</h2>
    ${
      rows.length === 0
        ? html`<p class="note">No names on this list yet.</p>`
        : html`<table class="ranks">
            <thead>
              <tr>
                <th scope="col"><span class="sr">Rank</span></th>
                <th scope="col">Name</th>
                <th scope="col">${unit}</th>
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                ({ profile, rank, value }) =>
                  html`<tr>
                    <td>${rank}</td>
                    <td>
                      <span class="who">${face(profile, "small")}<span>${person(profile)}</span></span>
                    </td>
                    <td>${unit === "XNO" ? amount(value, RANKED_DECIMALS) : value}</td>
                  </tr>`
              )}
            </tbody>
          </table>`
    }
  </section>`
}

/** Returns the leaderboards of all time. */
export const leaderboardsPage = (boards: ReadonlyArray<BoardView>, baseUrl: string): Page => ({
  title: "Leaderboards",
  description: "The authors with the most sales, earnings and followers, and the most generous readers.",
  canonical: `${baseUrl}/leaderboards`,
  section: "/leaderboards",
  main: html`<header>
      <h1>Leaderboards</h1>
      <p class="lede">All time. Updated every five minutes.</p>
    </header>
    ${boards.map(table)}`
})
