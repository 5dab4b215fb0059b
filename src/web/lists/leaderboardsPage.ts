import type { Board } from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { face, person } from "../pages/parts/people.ts"
import type { BoardView } from "./views.ts"

const WORDS: Readonly<Record<Board, { readonly title: string; readonly value: string }>> = {
  creator_sales: { title: "Most sales", value: "Sales" },
  creator_earnings: { title: "Most earned", value: "XNO" },
  creator_followers: { title: "Most followers", value: "Followers" },
  supporters: { title: "Most generous readers", value: "XNO" }
}

const table = ({ board, rows }: BoardView): Html => {
  const { title, value } = WORDS[board]
  return html`<section aria-labelledby="${board}">
    <h2 class="label" id="${board}">${title}</h2>
    ${
      rows.length === 0
        ? html`<p class="note">No one is on this list yet.</p>`
        : html`<table class="ranks">
            <thead>
              <tr>
                <th scope="col"><span class="sr">Rank</span></th>
                <th scope="col">Name</th>
                <th scope="col">${value}</th>
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
                    <td>${value}</td>
                  </tr>`
              )}
            </tbody>
          </table>`
    }
  </section>`
}

/** Returns the leaderboards of all time. */
export const leaderboardsPage = (boards: ReadonlyArray<BoardView>, baseUrl: string): Page => ({
  title: "Leaderboards · Pennypress",
  description: "The authors with the most sales, earnings and followers, and the readers who pay most.",
  canonical: `${baseUrl}/leaderboards`,
  section: "/leaderboards",
  main: html`<header>
      <h1>Leaderboards</h1>
      <p class="lede">Of all time. They are counted again every five minutes.</p>
    </header>
    ${boards.map(table)}`
})
