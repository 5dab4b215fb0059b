/** Returns the path of the sign-in that leads back to a path. */
export const signInPath = (back: string): string => `/sign-in?back=${encodeURIComponent(back)}`
