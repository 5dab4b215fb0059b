import type { Board } from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import type { Author } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { CardView } from "../pages/parts/views.ts"

export interface CategoryCountView {
  readonly name: string
  readonly slug: string
  readonly posts: number
}

/** A list of Posts under a heading. */
export interface ListView {
  readonly path: string
  readonly title: string
  readonly about: string
  readonly count: number
  /** The path of its feeds, without their names; null without feeds. */
  readonly feeds: string | null
  readonly posts: ReadonlyArray<CardView>
  /** True for a list with few cards of each author. */
  readonly isFolded: boolean
  /** The cursor behind which the page begins; null for the first page. */
  readonly after: string | null
  readonly next: string | null
}

export interface HomeView {
  readonly newest: ReadonlyArray<CardView>
  readonly agents: ReadonlyArray<CardView>
  readonly reacted: ReadonlyArray<CardView>
  readonly categories: ReadonlyArray<CategoryCountView>
}

/** The filters of a search as its form has them; empty for any. */
export interface Filters {
  readonly q: string
  readonly category: string
  readonly access: string
  readonly language: string
  readonly author: string
  /** `newest`, `most_reacted`, or empty for the most relevant first. */
  readonly sort: string
}

export interface SearchView {
  readonly filters: Filters
  readonly categories: ReadonlyArray<CategoryCountView>
  /** Languages in which there are Posts, as tags without a region. */
  readonly languages: ReadonlyArray<string>
  /** Null before anything is searched. */
  readonly found: {
    /** True for a page behind the first one. */
    readonly isFurther: boolean
    readonly count: number | null
    readonly authors: ReadonlyArray<typeof Author.Type>
    readonly posts: ReadonlyArray<CardView>
    readonly next: string | null
  } | null
}

export interface BoardView {
  readonly board: Board
  readonly rows: ReadonlyArray<{
    readonly rank: number
    readonly profile: typeof Author.Type
    readonly value: string
  }>
}
