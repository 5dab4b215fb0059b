/** Returns the path of the sign-in that leads back to a path. */
export const signInPath = (back: string): string => `/sign-in?back=${encodeURIComponent(back)}`

/** Origin that no page has. */
const NOWHERE = "http://nowhere.invalid"

/** Returns a path of this service to which a reader returns; the home page for anything else. */
export const backPath = (text: string | null | undefined): string => {
  if (text === null || text === undefined || !/^\/(?![/\\])/.test(text) || !URL.canParse(text, NOWHERE))
    return "/"
  const { hash, origin, pathname, search } = new URL(text, NOWHERE)
  return origin === NOWHERE && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : "/"
}
