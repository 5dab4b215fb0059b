import { Layer } from "effect"
import * as InProcessClient from "../platform/http-client/InProcessClient.ts"
import { EndpointRoutes } from "./endpoint.ts"
import { ToolServerHttp } from "./http.ts"
import { DocumentsRoutes } from "./pages.ts"

/** Handlers of the operations about tool servers. */
export const handlers = ToolServerHttp

/** Routes of the hosted edition, whose tools read through the routes of the same service. */
export const routes = Layer.merge(DocumentsRoutes, EndpointRoutes.pipe(Layer.provide(InProcessClient.layer)))
