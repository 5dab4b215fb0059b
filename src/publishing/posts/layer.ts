import { Layer } from "effect"
import { Creations } from "./Creations.ts"
import { Edits } from "./Edits.ts"
import { ImageReferences } from "./ImageReferences.ts"
import { LongWrites } from "./LongWrites.ts"
import { NativeContents } from "./NativeContents.ts"
import { NativeContentsRepo } from "./NativeContentsRepo.ts"
import { OgImages } from "./OgImages.ts"
import { PostFinance } from "./PostFinance.ts"
import { PostFinanceRepo } from "./PostFinanceRepo.ts"
import { Posts } from "./Posts.ts"
import { PostsRepo } from "./PostsRepo.ts"
import { Publications } from "./Publications.ts"
import { PublicationsRepo } from "./PublicationsRepo.ts"

const repositories = Layer.mergeAll(
  NativeContentsRepo.layer,
  PostFinanceRepo.layer,
  PostsRepo.layer,
  PublicationsRepo.layer
)

const edits = Layer.mergeAll(NativeContents.layer, Posts.layer).pipe(
  Layer.provide([Edits.layer, PostFinance.layer]),
  Layer.provideMerge(Publications.layer)
)

export const layer = Layer.mergeAll(Creations.layer, edits, ImageReferences.layer, OgImages.layer).pipe(
  Layer.provide(LongWrites.layer),
  Layer.provide(repositories)
)
