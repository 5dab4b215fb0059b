import { CURSOR_CHARACTERS_MAX } from "../../platform/cursors/Cursors.ts"

/** Returns the path of the sign-in that leads back to a path. */
export const signInPath = (back: string): string => `/sign-in?back=${encodeURIComponent(back)}`

/** The path of the page from which an author reaches everything of theirs. */
export const DESK = "/desk"

/** The path of the room of moderators. */
export const MODERATION = "/moderate"

/** The path of the page with the account of a reader: how they sign in, and what they use elsewhere. */
export const ACCOUNT = `${DESK}/account` as const

/** The path at which an owner downloads everything. */
export const EXPORT = `${ACCOUNT}/export.zip` as const

/** The path of the page that deletes an account, and keeps it. */
export const DELETION = `${ACCOUNT}/delete` as const

/** The path of the page with the webhooks of an owner. */
export const WEBHOOKS = `${DESK}/webhooks` as const

/** The path of the page with everything that a reader bought. */
export const PURCHASES = `${DESK}/purchases` as const

/** The path of the page with the comments that an author receives. */
export const RECEIVED_COMMENTS = `${DESK}/comments` as const

/** The path of the page with the readers who get the posts of an author by mail. */
export const READERS = `${DESK}/readers` as const

/** A page of these comments. */
export interface CommentsPlace {
  /** True for all comments, and not just those that wait for an answer. */
  readonly isAll?: boolean
  /** The post that they are on; all posts without one. */
  readonly post?: string | undefined
  /** The cursor behind which the page begins. */
  readonly after?: string | undefined
}

const POST_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the page that a query names, also one in a field of a form. What is wrong in it begins the list. */
export const commentsPlaceOf = (query: URLSearchParams): CommentsPlace => {
  const [post, after] = [query.get("post") ?? "", query.get("after") ?? ""]
  return {
    isAll: query.get("show") === "all",
    post: POST_ID.test(post) ? post : undefined,
    after: after === "" || after.length > CURSOR_CHARACTERS_MAX ? undefined : after
  }
}

/** Returns the query of a page of these comments. */
export const commentsQueryOf = ({ after, isAll = false, post }: CommentsPlace): URLSearchParams =>
  new URLSearchParams({
    ...(isAll ? { show: "all" } : {}),
    ...(post === undefined ? {} : { post }),
    ...(after === undefined ? {} : { after })
  })

/** Returns the path of a page of these comments; `done` names the outcome that it reports. */
export const receivedCommentsPath = (place: CommentsPlace, done: string | null = null): string => {
  const query = commentsQueryOf(place)
  if (done !== null) query.set("done", done)
  return query.size === 0 ? RECEIVED_COMMENTS : `${RECEIVED_COMMENTS}?${query}`
}

/** Returns the path of the page that the field of a form names. */
export const backToComments = (desk: string, done: string): string =>
  receivedCommentsPath(commentsPlaceOf(new URLSearchParams(desk)), done)

/** Returns the path of a table of own posts with the outcome that it reports. The field of a form has the query of the table. */
export const backToPosts = (desk: string, done: string): string => {
  const query = new URLSearchParams(desk)
  query.set("done", done)
  return `${DESK}/posts?${query}`
}

/** Origin that no page has. */
const NOWHERE = "http://nowhere.invalid"

/** Returns a path of this service to which a reader returns; `otherwise` for anything else, the home page by default. */
export const backPath = (text: string | null | undefined, otherwise = "/"): string => {
  if (text === null || text === undefined || !/^\/(?![/\\])/.test(text) || !URL.canParse(text, NOWHERE))
    return otherwise
  const { hash, origin, pathname, search } = new URL(text, NOWHERE)
  return origin === NOWHERE && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : otherwise
}
