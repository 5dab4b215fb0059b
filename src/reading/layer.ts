import { DiscoveryDocumentsHttp } from "./discovery-documents/http.ts"
import * as DiscoveryDocuments from "./discovery-documents/layer.ts"
import { LlmsTextRoutes } from "./discovery-documents/pages.ts"

/** Documents for readers and programs. */
export const layer = DiscoveryDocuments.layer

/** Handlers of the wing's operations. */
export const handlers = DiscoveryDocumentsHttp

/** Routes outside the contract. */
export const routes = LlmsTextRoutes
