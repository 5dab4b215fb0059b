import { Context, Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { JsonFamily } from "../../../schemas/platform/errors/families.ts"
import { PublicRead } from "../../../schemas/platform/security/middleware.ts"
import type { Family } from "./errorAnswer.ts"
import { nearestPathAmong } from "./nearestPath.ts"

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

const allowOf = (methods: ReadonlySet<string>) =>
  [
    ...(methods.has("GET") ? ["GET", "HEAD"] : []),
    ...[...methods].filter((it) => it !== "GET"),
    "OPTIONS"
  ].join(", ")

type PathKind = Pick<ServicePath, "isPage" | "isPrivate" | "isHidden">

interface Declared extends PathKind {
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

/** Returns the paths of the contract. */
const contractPaths = () => {
  const paths = new Map<string, Declared>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const path: Declared = paths.get(endpoint.path) ?? { ...unlike, methods: new Set() }
      path.methods.add(endpoint.method)
      path.isOperation = true
      const has = ({ key }: { readonly key: string }) => [...middleware].some((it) => it.key === key)
      if (has(JsonFamily)) path.family = "json"
      path.isPublicRead ||= has(PublicRead)
      paths.set(endpoint.path, path)
    }
  })
  return paths
}

const pathOf = (url: string) => url.replace(/[?#].*$/s, "")

const parametersOf = ({ template }: ServicePath) => template.split(":").length

/** Completes the declared paths, and orders them for matching. */
const tableOf = (declared: ReadonlyMap<string, Declared>) => {
  const all = [...declared].map(([template, it]) => ({ it, template, pattern: patternOf(template) }))
  const paths: Array<{ readonly path: ServicePath; readonly pattern: RegExp }> = []
  for (const { it, pattern, template } of all) {
    // `/purchases/claims` also has the methods of `/purchases/:purchaseId`, which routing goes on to.
    const matching = all.filter((other) => other.pattern.test(template))
    const methods = new Set(matching.flatMap((other) => Array.from(other.it.methods)))
    paths.push({ path: { ...it, template, methods, allow: allowOf(methods) }, pattern })
  }
  const byTemplate = new Map(paths.map(({ path }) => [path.template, path]))
  // A template without parameters stands before those with parameters that match it, too. Hidden ones are unknown.
  const patterns = paths
    .filter(({ path }) => !path.isHidden)
    .toSorted((one, other) => parametersOf(one.path) - parametersOf(other.path))
  const nearest = nearestPathAmong(patterns.flatMap(({ path }) => (path.isOperation ? [path] : [])))
  return { byTemplate, patterns, nearest }
}

/** The paths of the service: those of the contract, and those that the features add below. */
export class ServicePaths extends Context.Service<
  ServicePaths,
  {
    /** All paths by their templates. */
    readonly all: () => ReadonlyMap<string, ServicePath>
    /** Returns the path that a request names, with any method; undefined for a hidden one. */
    readonly ofUrl: (url: string) => ServicePath | undefined
    /** Returns the path of an operation that a mistyped target probably means; undefined if none is near. */
    readonly nearest: (method: string, url: string) => Pick<ServicePath, "template" | "methods"> | undefined
    /** Adds a method of a path outside the contract. The routes do so while they are built, before the first request. */
    readonly declare: (method: string, template: string, kind: PathKind) => void
  }
>()("pennypress/platform/http/ServicePaths") {
  static readonly layer = Layer.sync(ServicePaths, () => {
    const declared = contractPaths()
    let table: ReturnType<typeof tableOf> | undefined
    const current = () => (table ??= tableOf(declared))
    return ServicePaths.of({
      all: () => current().byTemplate,
      ofUrl: (url) => {
        const pathname = pathOf(url)
        return current().patterns.find(({ pattern }) => pattern.test(pathname))?.path
      },
      nearest: (method, url) => current().nearest(method, pathOf(url)),
      declare: (method, template, kind) => {
        const path = declared.get(template) ?? { ...unlike, ...kind, methods: new Set<string>() }
        path.methods.add(method)
        declared.set(template, path)
        table = undefined
      }
    })
  })
}

type Handler<E, R> =
  | HttpServerResponse.HttpServerResponse
  | Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  | ((
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>)

const declaring = (method: string, template: string, kind: PathKind) =>
  Layer.effectDiscard(Effect.map(ServicePaths, ({ declare }) => declare(method, template, kind)))

const ROUTE: PathKind = { isPage: false, isPrivate: false, isHidden: false }

/** Declares a path that a library adds to the router. */
export const declareRoute = (method: string, template: string) => declaring(method, template, ROUTE)

const adding =
  (kind: PathKind) =>
  <E = never, R = never>(method: "GET" | "POST", path: `/${string}`, handler: Handler<E, R>) =>
    Layer.merge(HttpRouter.add(method, path, handler), declaring(method, path, kind))

/** Adds a document for programs, or another path outside the contract that is not a page. */
export const addRoute = adding(ROUTE)

/** Adds a page that everyone reads. */
export const addPage = adding({ isPage: true, isPrivate: false, isHidden: false })

/** Adds a page or a form of one reader. */
export const addPrivatePage = adding({ isPage: true, isPrivate: true, isHidden: false })

/** Adds a private page that does not exist for anyone but moderators. */
export const addHiddenPage = adding({ isPage: true, isPrivate: true, isHidden: true })
