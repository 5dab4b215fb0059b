import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { routes } from "../../../src/app.ts"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

/** The administrators' path. It is in no list, so that its existence shows only with their token. */
const HIDDEN = "POST /rpc"

/** Builds the routes of the service. Returns the method and path of each that stands outside the contract. */
const operationalRoutes = Effect.gen(function* () {
  const seen: Array<string> = []
  const recording = Layer.effect(
    HttpRouter.HttpRouter,
    Effect.map(HttpRouter.make, (router) => {
      const add: typeof router.add = (method, path, handler) => {
        seen.push(`${method} ${path}`)
        return router.add(method, path, handler)
      }
      return { ...router, add }
    })
  )
  // The requirements of the requests are for the server; building the routes needs the router alone.
  const built = routes as unknown as Layer.Layer<never, never, HttpRouter.HttpRouter>
  yield* Layer.build(Layer.fresh(Layer.provide(built, recording)))
  return seen
})

/** Lists the methods and paths of the contract. */
const contractRoutes = () => {
  const listed: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => listed.push(`${endpoint.method} ${endpoint.path}`)
  })
  return listed
}

layer(service(database("test_http_paths"), 1, { adminToken: ADMIN_TOKEN }))(
  "the paths of the service",
  (it) => {
    it.effect("The declared paths are those of the router, with their methods", () =>
      Effect.gen(function* () {
        const paths = yield* ServicePaths
        const listed = [...paths.all()].flatMap(([path, { methods }]) =>
          [...methods].map((method) => `${method} ${path}`)
        )
        const registered = [...(yield* operationalRoutes), ...contractRoutes()]
        // GET of `/api/v1/purchases/claims` is routed to the purchase of that id, which there is not. So are the others.
        const shadowed = [
          "PUT /api/v1/follows/feed",
          "PUT /api/v1/follows/posts",
          "GET /api/v1/purchases/claims",
          "DELETE /api/v1/gifts/claims",
          "DELETE /api/v1/gifts/redemptions",
          "DELETE /api/v1/subscribers/export.csv",
          "DELETE /api/v1/subscribers/imports",
          "GET /@:handle/subscribe"
        ]
        const expected = [...registered.filter((route) => route !== HIDDEN), ...shadowed]
        assert.deepStrictEqual(listed.toSorted(), expected.toSorted())
        assert.include(registered, HIDDEN)
        assert.isUndefined(paths.ofUrl("/rpc"))
      })
    )
  }
)
