import { CURSOR_CHARACTERS_MAX } from "../../platform/cursors/Cursors.ts"

/** Returns the path of the sign-in that leads back to a path. */
export const signInPath = (back: string): string => `/sign-in?back=${encodeURIComponent(back)}`

/** The path of the page from which an author reaches everything of theirs. */
export const DESK = "/desk"

/** The path of the room of moderators. */
export const MODERATION = "/moderate"

/** The path of the page with the account of a reader: how they sign in, and what they use elsewhere. */
export const ACCOUNT = `${DESK}/account` as const

/** The path of the page with everything that a reader bought. */
export const PURCHASES = `${DESK}/purchases` as const

/** The path of the page with the comments that an author receives. */
export const RECEIVED_COMMENTS = `${DESK}/comments` as const

/**
 * Returns the path of a page of these comments; `done` names the outcome that it reports. A text that is too long for a cursor
 * begins the list.
 */
export const receivedCommentsPath = (after: string | null, done: string | null = null): string => {
  const query = new URLSearchParams({
    ...(after === null || after === "" || after.length > CURSOR_CHARACTERS_MAX ? {} : { after }),
    ...(done === null ? {} : { done })
  })
  return query.size === 0 ? RECEIVED_COMMENTS : `${RECEIVED_COMMENTS}?${query}`
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
