import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../../schemas/Api.ts"
import { MethodNotAllowed, MethodNotAllowedProblem } from "../../schemas/errors/common.ts"
import { JsonFamily } from "../../schemas/errors/families.ts"
import { errorAnswer } from "./errorAnswer.ts"

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"
const METHODS: ReadonlyArray<Method> = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

interface Path {
  readonly methods: Set<string>
  isJson: boolean
}

/** Paths of the service that are no operations of the contract, all of them read. */
export const OPERATIONAL_PATHS = [
  "/",
  "/docs",
  "/openapi.json",
  "/metrics",
  "/health/live",
  "/health/ready",
  "/problems/:slug"
] as const

const pathsOfContract = () => {
  const paths = new Map<string, Path>()
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
  return paths
}

const allowOf = (methods: ReadonlySet<string>) =>
  [
    ...(methods.has("GET") ? ["GET", "HEAD"] : []),
    ...[...methods].filter((it) => it !== "GET"),
    "OPTIONS"
  ].join(", ")

/** CORS preflight: any origin, no credentials, and every header that an operation reads. */
const preflight = (allow: string) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      allow,
      "access-control-allow-methods": allow,
      "access-control-allow-headers":
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Post-Revision, X-Request-Id, X-Upload-Target-Key",
      "access-control-max-age": "86400"
    }
  })

/** What a known path answers to methods that it does not have: 405 in its family with `Allow`, and preflights. */
export const UnmatchedMethodsLive = Layer.unwrap(
  Effect.sync(() => {
    const routes = [...pathsOfContract()].flatMap(([path, { isJson, methods }]) => {
      const allow = allowOf(methods)
      const refuse = Effect.suspend(() =>
        errorAnswer(isJson ? new MethodNotAllowed() : new MethodNotAllowedProblem({}), { allow })
      )
      return METHODS.filter((method) => !methods.has(method)).map((method) =>
        HttpRouter.route(
          method,
          path as HttpRouter.PathInput,
          method === "OPTIONS" ? preflight(allow) : refuse
        )
      )
    })
    return HttpRouter.addAll(routes)
  })
)
