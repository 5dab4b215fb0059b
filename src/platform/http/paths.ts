import { HttpApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { JsonFamily } from "../../../schemas/platform/errors/families.ts"
import { PublicRead } from "../../../schemas/platform/security/middleware.ts"
import type { Family } from "./errorAnswer.ts"

/** Path template of the service, and the methods that it has. */
export interface ServicePath {
  readonly template: string
  readonly methods: ReadonlySet<string>
  /** Value of an `Allow` header. */
  readonly allow: string
  /** Form of its errors. */
  readonly family: Family
  /** True for a page that people read, whose errors are pages, too. */
  readonly isPage: boolean
  /** True for a page of one reader, and for its forms: no other origin may read them. */
  readonly isPrivate: boolean
  /** True for a page that does not exist for anyone but moderators. */
  readonly isHidden: boolean
  /** True when it has operations of the contract. */
  readonly isOperation: boolean
  /** True when it needs no credential, but answers an owner who sends one differently. */
  readonly isPublicRead: boolean
}

/**
 * Paths outside the contract. They are reads, except for the tool server. The link that ends mails of a kind also takes
 * a POST.
 */
const OPERATIONAL_PATHS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/docs": ["GET"],
  "/docs/:file": ["GET"],
  "/openapi.json": ["GET"],
  "/openapi/:file": ["GET"],
  "/llms.txt": ["GET"],
  "/mcp": ["POST"],
  "/mcp/guide": ["GET"],
  "/mcp/server-card": ["GET"],
  "/.well-known/ai-catalog.json": ["GET"],
  "/metrics": ["GET"],
  "/health/live": ["GET"],
  "/health/ready": ["GET"],
  "/problems/:slug": ["GET"],
  "/auth/v1/verify": ["GET"],
  "/unsubscribe": ["GET", "POST"],
  "/assets/:file": ["GET"],
  "/favicon.ico": ["GET"],
  "/atom.xml": ["GET"],
  "/rss.xml": ["GET"],
  "/feed.json": ["GET"],
  "/@:handle/atom.xml": ["GET"],
  "/@:handle/rss.xml": ["GET"],
  "/@:handle/feed.json": ["GET"],
  "/c/:slug/atom.xml": ["GET"],
  "/c/:slug/rss.xml": ["GET"],
  "/c/:slug/feed.json": ["GET"],
  "/sitemap.xml": ["GET"],
  "/sitemaps/posts.xml": ["GET"],
  "/sitemaps/authors.xml": ["GET"],
  "/robots.txt": ["GET"],
  "/media/:target/:file": ["GET"]
}

/** Pages that people read. */
const PAGES = new Set([
  "/",
  "/@:handle",
  "/@:handle/:slug",
  "/@:handle/:slug/comments",
  "/about",
  "/agents",
  "/c/:slug",
  "/categories",
  "/feeds",
  "/leaderboards",
  "/newest",
  "/pages/:name",
  "/search"
])

/** Pages and forms of one reader, each with the methods that the router has for it. */
const PRIVATE_PAGES: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/pay": ["POST"],
  "/pay/:sessionId": ["GET"],
  "/pay/:sessionId/status": ["GET"],
  "/pay/:sessionId/sent": ["POST"],
  "/pay/:sessionId/cancel": ["POST"],
  "/pay/:sessionId/test-money": ["POST"],
  "/read/:postId": ["GET", "POST"],
  "/read/:postId/buy": ["POST"],
  "/read/:postId/gift": ["POST"],
  "/read/:postId/account": ["POST"],
  "/read/:postId/receipt": ["GET"],
  "/read/:postId/files/:attachmentId": ["GET"],
  "/feeds/following/:file": ["GET"],
  "/gift": ["GET", "POST"],
  "/give": ["GET"],
  "/give/:postId": ["GET", "POST"],
  "/give/:postId/end": ["POST"],
  "/respond/:postId": ["GET", "POST"],
  "/respond/:postId/delete": ["POST"],
  "/react/:postId": ["POST"],
  "/follow": ["GET"],
  "/follow/:ownerId": ["POST"],
  "/follow/:ownerId/mail": ["POST"],
  "/report/:postId": ["POST"],
  "/desk": ["GET"],
  "/payout": ["GET", "POST"],
  "/desk/account": ["GET"],
  "/desk/account/browsers": ["POST"],
  "/desk/account/browsers/others": ["POST"],
  "/desk/account/email": ["POST"],
  "/desk/account/email/again": ["POST"],
  "/desk/account/email/code": ["POST"],
  "/desk/account/keys": ["POST"],
  "/desk/account/keys/revoke": ["POST"],
  "/desk/account/keys/rotate": ["POST"],
  "/desk/account/wallet": ["POST"],
  "/desk/following": ["GET"],
  "/desk/following/feed": ["POST"],
  "/desk/following/feed/end": ["POST"],
  "/desk/comments": ["GET"],
  "/desk/comments/close": ["POST"],
  "/desk/comments/delete": ["POST"],
  "/desk/key": ["POST"],
  "/desk/notifications": ["GET"],
  "/desk/notifications/mute": ["POST"],
  "/desk/notifications/read": ["POST"],
  "/desk/notifications/settings": ["GET", "POST"],
  "/desk/posts": ["GET"],
  "/desk/profile": ["GET", "POST"],
  "/desk/profile/agent": ["POST"],
  "/desk/profile/avatar": ["POST"],
  "/desk/profile/header": ["POST"],
  "/desk/profile/header/remove": ["POST"],
  "/desk/profile/supporters": ["POST"],
  "/desk/purchases": ["GET"],
  "/desk/sales": ["GET"],
  "/desk/sales.csv": ["GET"],
  "/profile": ["GET", "POST"],
  "/profile/supporters": ["POST"],
  "/sign-in": ["GET", "POST"],
  "/sign-out": ["GET", "POST"],
  "/sign-up": ["GET", "POST"],
  "/tip": ["GET"],
  "/write": ["GET", "POST"],
  "/write/:postId": ["GET", "POST"],
  "/write/:postId/delete": ["POST"],
  "/write/:postId/files": ["GET", "POST"],
  "/write/:postId/files/remove": ["POST"],
  "/write/:postId/preview": ["GET"],
  "/write/:postId/publish": ["GET", "POST"],
  "/write/:postId/unpublish": ["POST"]
}

/** Private pages that do not exist for anyone but moderators. */
const HIDDEN_PAGES: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/moderate": ["GET"],
  "/moderate/accounts": ["GET", "POST"],
  "/moderate/health": ["GET"],
  "/moderate/log": ["GET"],
  "/moderate/reports/:reportId": ["GET", "POST"],
  "/moderate/reports/:reportId/claim": ["POST"],
  "/moderate/uploads": ["GET", "POST"]
}

const allowOf = (methods: ReadonlySet<string>) =>
  [
    ...(methods.has("GET") ? ["GET", "HEAD"] : []),
    ...[...methods].filter((it) => it !== "GET"),
    "OPTIONS"
  ].join(", ")

interface Collected {
  readonly isPage: boolean
  readonly isPrivate: boolean
  readonly isHidden: boolean
  readonly methods: Set<string>
  family: Family
  isOperation: boolean
  isPublicRead: boolean
}

const unlike = {
  isPage: false,
  isPrivate: false,
  isHidden: false,
  family: "problem",
  isOperation: false,
  isPublicRead: false
} as const

/** Returns the pattern of the paths that a template names. A parameter matches itself. */
const patternOf = (template: string) =>
  new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/:[A-Za-z]+/g, "[^/]+")}$`)

const collect = (): ReadonlyMap<string, ServicePath> => {
  const paths = new Map<string, Collected>()
  for (const [path, methods] of Object.entries(OPERATIONAL_PATHS))
    paths.set(path, { ...unlike, methods: new Set(methods) })
  for (const path of PAGES) paths.set(path, { ...unlike, methods: new Set(["GET"]), isPage: true })
  for (const [path, methods] of Object.entries(PRIVATE_PAGES))
    paths.set(path, { ...unlike, methods: new Set(methods), isPage: true, isPrivate: true })
  for (const [path, methods] of Object.entries(HIDDEN_PAGES))
    paths.set(path, { ...unlike, methods: new Set(methods), isPage: true, isPrivate: true, isHidden: true })
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const path: Collected = paths.get(endpoint.path) ?? { ...unlike, methods: new Set() }
      path.methods.add(endpoint.method)
      path.isOperation = true
      const has = ({ key }: { readonly key: string }) => [...middleware].some((it) => it.key === key)
      if (has(JsonFamily)) path.family = "json"
      path.isPublicRead ||= has(PublicRead)
      paths.set(endpoint.path, path)
    }
  })
  // `/purchases/claims` also has the methods of `/purchases/:purchaseId`, which routing goes on to.
  const methodsOf = (template: string) => {
    const methods = new Set<string>()
    for (const [other, its] of paths)
      if (patternOf(other).test(template)) for (const method of its.methods) methods.add(method)
    return methods
  }
  return new Map(
    [...paths].map(([template, it]) => {
      const methods = methodsOf(template)
      return [template, { ...it, template, methods, allow: allowOf(methods) }]
    })
  )
}

/** Paths of the service by their templates. */
export const servicePaths = collect()

const parametersOf = ({ template }: ServicePath) => template.split(":").length

/** A template without parameters stands before those with parameters that match it, too. Hidden ones are unknown. */
const patterns = [...servicePaths.values()]
  .filter(({ isHidden }) => !isHidden)
  .toSorted((one, other) => parametersOf(one) - parametersOf(other))
  .map((path) => ({ path, pattern: patternOf(path.template) }))

/** Returns the path that a request names, with any method; undefined for a hidden one. */
export const pathOfUrl = (url: string): ServicePath | undefined => {
  const pathname = url.replace(/[?#].*$/s, "")
  return patterns.find(({ pattern }) => pattern.test(pathname))?.path
}
