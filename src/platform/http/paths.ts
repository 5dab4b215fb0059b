import { HttpApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { JsonFamily } from "../../../schemas/platform/errors/families.ts"

/** A path template of the service, and what it answers to. */
export interface ServicePath {
  readonly template: string
  readonly methods: ReadonlySet<string>
  /** The value of an `Allow` header. */
  readonly allow: string
  /** Its errors are of the ordinary JSON family, else problems. */
  readonly isJson: boolean
}

/** Paths of the service that are no operations of the contract, all of them read. */
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
  const paths = new Map<string, { readonly methods: Set<string>; isJson: boolean }>()
  for (const path of OPERATIONAL_PATHS) paths.set(path, { methods: new Set(["GET"]), isJson: false })
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const path = paths.get(endpoint.path) ?? { methods: new Set(), isJson: false }
      path.methods.add(endpoint.method)
      path.isJson ||= [...middleware].some((it) => it.key === JsonFamily.key)
      paths.set(endpoint.path, path)
    }
  })
  return new Map(
    [...paths].map(([template, it]) => [template, { ...it, template, allow: allowOf(it.methods) }])
  )
}

/** Every path of the service by its template. */
export const servicePaths = collect()

const patterns = [...servicePaths.values()].map((path) => ({
  path,
  pattern: new RegExp(`^${path.template.replaceAll(".", "\\.").replaceAll(/:[A-Za-z]+/g, "[^/]+")}/?$`)
}))

/** The path that a request names, whatever its method: for methods that the router has no place for. */
export const pathOfUrl = (url: string): ServicePath | undefined => {
  const pathname = url.replace(/[?#].*$/s, "")
  return patterns.find(({ pattern }) => pattern.test(pathname))?.path
}
