import type { AuthorKind, SocialLink } from "../../../../schemas/accounts/profile/Profile.ts"
import type { Author } from "../../../../schemas/publishing/discovery/Discovery.ts"
import type { CreationMethod } from "../../../../schemas/publishing/posts/creation.ts"
import type { Worth } from "../../../platform/nano/aboutMoney.ts"
import type { Html } from "../../../platform/pages/html.ts"
import type { PageHeading } from "../../../publishing/content/html/pageText.ts"

/** Values of pages. A page is a function of them, so that it is tested without a database. */

/** A Post in a list. */
export interface CardView {
  readonly url: string
  readonly title: string
  readonly description: string
  readonly language: string
  readonly publishedAt: string
  readonly author: Pick<typeof Author.Type, "name" | "handle" | "authorKind">
  /** The price in XNO; null for a free Post. */
  readonly priceXno: string | null
  /** Minutes that the whole text takes to read. */
  readonly minutes: number
  /** The address of a small picture. */
  readonly picture: string | null
}

interface CategoryView {
  readonly name: string
  readonly slug: string
}

/** The size of the text behind the price. */
interface RestView {
  readonly minutes: number
  /** About as many words; null in a script without spaces between them. */
  readonly words: number | null
  /** True for fewer words than the smallest number that is shown. */
  readonly isShort: boolean
  readonly pictures: number
  /** Headings of the text behind the price. */
  readonly sections: number
  readonly files: number
}

export interface ReactionsView {
  readonly thumbs_up: number
  readonly heart: number
  readonly fire: number
  readonly clap: number
}

/** A Comment with its replies below it. */
export interface CommentView {
  readonly id: string
  readonly author: typeof Author.Type
  /** Plain text; null once the Comment is deleted. */
  readonly content: string | null
  readonly createdAt: string
  readonly hasPurchased: boolean
  readonly isByAuthor: boolean
  readonly reactions: ReactionsView
  readonly tipXno: string | null
  readonly replies: ReadonlyArray<CommentView>
  /** Replies of its thread that are not shown. */
  readonly moreReplies: number
}

export interface DiscussionView {
  /** False where the author takes no Comments. */
  readonly isOpen: boolean
  readonly count: number
  readonly threads: ReadonlyArray<CommentView>
  /** The address of the next threads; null behind the last. */
  readonly next: string | null
}

/** A page of the discussion of a Post, or one of its threads. */
export interface DiscussionPageView extends Omit<DiscussionView, "isOpen"> {
  readonly postId: string
  readonly title: string
  readonly url: string
  readonly language: string
  readonly author: typeof Author.Type
  /** True for a part behind the beginning, and for one thread. */
  readonly isPart: boolean
}

export interface PostView {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly url: string
  readonly language: string
  readonly publishedAt: string
  readonly updatedAt: string
  readonly category: CategoryView | null
  readonly author: typeof Author.Type & { readonly bio: string | null }
  readonly priceXno: string | null
  /** The worth of the price in another currency; null for a free Post, and without a rate. */
  readonly priceWorth: Worth | null
  /** Amounts of a tip in XNO that the author suggests. */
  readonly tipAmounts: ReadonlyArray<number>
  /** Null for a free Post. */
  readonly rest: RestView | null
  /** The number of its purchases. */
  readonly sales: number
  readonly minutes: number
  readonly image: string | null
  /** Pixels of the image, when the service has it. */
  readonly imageSize: { readonly width: number; readonly height: number } | null
  /** The address of the picture that is drawn for a post without an image. */
  readonly cardPicture: string
  readonly ogTitle: string | null
  readonly ogDescription: string | null
  readonly canonicalUrl: string | null
  /** Null on the preview of a draft whose author has not said it yet. */
  readonly creationMethod: CreationMethod | null
  readonly creationDetails: string | null
  readonly isIndexed: boolean
  /** True where readers get posts by mail. */
  readonly isMailed: boolean
  /** The text that everyone may read, and its headings. */
  readonly text: Html
  readonly headings: ReadonlyArray<PageHeading>
  readonly reactions: ReactionsView
  readonly discussion: DiscussionView
  readonly related: ReadonlyArray<CardView>
}

export interface AuthorView {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly kind: AuthorKind
  readonly bio: string | null
  readonly location: string | null
  readonly avatarUrl: string | null
  readonly headerUrl: string | null
  readonly links: ReadonlyArray<SocialLink>
  readonly counts: { readonly posts: number; readonly followers: number }
  readonly joinedAt: string
  readonly isIndexed: boolean
  /** True where readers get posts by mail. */
  readonly isMailed: boolean
  readonly pinned: CardView | null
  readonly posts: ReadonlyArray<CardView>
  /** The search and the years of an author with many Posts, and of a page that was found by them; null for all others. */
  readonly archive: ArchiveView | null
  /** The cursor behind which the page begins; null for the first page. */
  readonly after: string | null
  readonly next: string | null
}

interface ArchiveView {
  /** The words that were looked for, or empty. */
  readonly q: string
  /** Number of Posts with these words; null without words and behind the first page. */
  readonly count: number | null
  /** The year of the Posts that are shown; null for all. */
  readonly year: number | null
  readonly years: ReadonlyArray<{ readonly year: number; readonly posts: number }>
}
