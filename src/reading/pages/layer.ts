import { Layer } from "effect"
import { Pages } from "./Pages.ts"
import { PagesRepo } from "./PagesRepo.ts"
import { Texts } from "./Texts.ts"

export const layer = Pages.layer.pipe(Layer.provideMerge(Texts.layer), Layer.provide(PagesRepo.layer))
