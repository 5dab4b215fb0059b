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
  /** True when it needs no credential, but answers an owner who sends one differently. */
  readonly isPublicRead: boolean
}

/** Paths outside the contract, all of them reads. */
const OPERATIONAL_PATHS = [
  "/",
  "/docs",
  "/openapi.json",
  "/metrics",
  "/health/live",
  "/health/ready",
  "/problems/:slug",
  "/auth/v1/verify",
  "/@:handle",
  "/@:handle/:slug",
  "/media/:target/:file"
] as const

const allowOf = (methods: ReadonlySet<string>) =>
  [
    ...(methods.has("GET") ? ["GET", "HEAD"] : []),
    ...[...methods].filter((it) => it !== "GET"),
    "OPTIONS"
  ].join(", ")

interface Collected {
  readonly methods: Set<string>
  family: Family
  isPublicRead: boolean
}

const collect = (): ReadonlyMap<string, ServicePath> => {
  const paths = new Map<string, Collected>()
  for (const path of OPERATIONAL_PATHS) {
    paths.set(path, { methods: new Set(["GET"]), family: "problem", isPublicRead: false })
  }
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const path: Collected = paths.get(endpoint.path) ?? {
        methods: new Set(),
        family: "problem",
        isPublicRead: false
      }
      path.methods.add(endpoint.method)
      const has = ({ key }: { readonly key: string }) => [...middleware].some((it) => it.key === key)
      if (has(JsonFamily)) path.family = "json"
      path.isPublicRead ||= has(PublicRead)
      paths.set(endpoint.path, path)
    }
  })
  return new Map(
    [...paths].map(([template, it]) => [template, { ...it, template, allow: allowOf(it.methods) }])
  )
}

/** Paths of the service by their templates. */
export const servicePaths = collect()

const patterns = [...servicePaths.values()].map((path) => ({
  path,
  pattern: new RegExp(`^${path.template.replaceAll(".", "\\.").replaceAll(/:[A-Za-z]+/g, "[^/]+")}$`)
}))

/** Returns the path that a request names, whatever its method. */
export const pathOfUrl = (url: string): ServicePath | undefined => {
  const pathname = url.replace(/[?#].*$/s, "")
  return patterns.find(({ pattern }) => pattern.test(pathname))?.path
}
