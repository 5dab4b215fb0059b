import { Layer } from "effect"
import { DiscoveryDocumentsHttp } from "./discovery-documents/http.ts"
import * as DiscoveryDocuments from "./discovery-documents/layer.ts"
import { LlmsTextRoutes } from "./discovery-documents/pages.ts"
import { PageRoutes } from "./pages/http.ts"
import * as Pages from "./pages/layer.ts"

/** Pages for readers, and documents for programs. */
export const layer = Layer.merge(DiscoveryDocuments.layer, Pages.layer)

/** Handlers of the wing's operations. */
export const handlers = DiscoveryDocumentsHttp

/** Routes outside the contract. */
export const routes = Layer.merge(LlmsTextRoutes, PageRoutes)
