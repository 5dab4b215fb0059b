import { HttpRouter, HttpServerResponse } from "effect/http"

/** Tells a person or a program that opens the origin where to continue. */
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
