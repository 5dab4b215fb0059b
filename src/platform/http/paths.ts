import { HttpApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { JsonFamily } from "../../../schemas/platform/errors/families.ts"
import { PublicRead } from "../../../schemas/platform/security/middleware.ts"

/** Path template of the service, and the methods that it has. */
export interface ServicePath {
  readonly template: string
  readonly methods: ReadonlySet<string>
  /** Value of an `Allow` header. */
  readonly allow: string
  /** True when its errors belong to the ordinary JSON family, false for problems. */
  readonly isJson: boolean
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

const collect = (): ReadonlyMap<string, ServicePath> => {
  const paths = new Map<string, { methods: Set<string>; isJson: boolean; isPublicRead: boolean }>()
  for (const path of OPERATIONAL_PATHS) {
    paths.set(path, { methods: new Set(["GET"]), isJson: false, isPublicRead: false })
  }
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const path = paths.get(endpoint.path) ?? { methods: new Set(), isJson: false, isPublicRead: false }
      path.methods.add(endpoint.method)
      const has = ({ key }: { readonly key: string }) => [...middleware].some((it) => it.key === key)
      path.isJson ||= has(JsonFamily)
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
