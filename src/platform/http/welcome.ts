/** Tells a program that opens the origin where to continue. */
export const welcome = {
  name: "Pennypress",
  documentation: "/docs",
  description: "/openapi.json",
  posts: "/api/posts"
} as const
