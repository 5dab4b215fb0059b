import { Layer } from "effect"
import { Discussions } from "./Discussions.ts"
import { Pages } from "./Pages.ts"
import { PagesRepo } from "./PagesRepo.ts"
import { PageTexts } from "./PageTexts.ts"
import { PageTextsRepo } from "./PageTextsRepo.ts"
import { Texts } from "./Texts.ts"
import { ThreadsRepo } from "./ThreadsRepo.ts"

export const layer = Pages.layer.pipe(
  Layer.provideMerge(Layer.merge(PageTexts.layer, Texts.layer)),
  Layer.provide(Discussions.layer),
  Layer.provide([PagesRepo.layer, PageTextsRepo.layer, ThreadsRepo.layer])
)
