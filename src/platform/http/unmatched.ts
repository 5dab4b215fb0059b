import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { MethodNotAllowed, MethodNotAllowedProblem } from "../../../schemas/platform/errors/common.ts"
import { errorAnswer } from "./errorAnswer.ts"
import { type ServicePath, servicePaths } from "./paths.ts"

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"
const METHODS: ReadonlyArray<Method> = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** Methods that every path of the service has a route for. */
export const ROUTED_METHODS: ReadonlySet<string> = new Set([...METHODS, "HEAD"])

/** 405 in the family of the path. */
export const refuseMethod = ({ allow, isJson }: ServicePath) =>
  errorAnswer(isJson ? new MethodNotAllowed() : new MethodNotAllowedProblem({}), { allow })

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
export const UnmatchedMethodsRoutes = Layer.unwrap(
  Effect.sync(() => {
    const routes = [...servicePaths.values()].flatMap((path) =>
      METHODS.filter((method) => !path.methods.has(method)).map((method) =>
        HttpRouter.route(
          method,
          path.template as HttpRouter.PathInput,
          method === "OPTIONS" ? preflight(path.allow) : Effect.suspend(() => refuseMethod(path))
        )
      )
    )
    return HttpRouter.addAll(routes)
  })
)
