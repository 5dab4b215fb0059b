import { Layer } from "effect"
import { CatalogueRepo } from "./CatalogueRepo.ts"
import { DiscoveryDocuments } from "./DiscoveryDocuments.ts"

export const layer = DiscoveryDocuments.layer.pipe(Layer.provide(CatalogueRepo.layer))
