import { HttpRouter, HttpServerResponse } from "effect/http"

/** What a person or a program that opens the origin is told: where to go on. */
export const WelcomeRoutes = HttpRouter.add(
  "GET",
  "/",
  HttpServerResponse.jsonUnsafe({
    name: "Pennypress",
    documentation: "/docs",
    description: "/openapi.json",
    posts: "/api/posts"
  })
)
