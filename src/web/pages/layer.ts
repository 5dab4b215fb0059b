import { Layer } from "effect"
import { Discussions } from "./Discussions.ts"
import { Pages } from "./Pages.ts"
import { Texts } from "./Texts.ts"

export const layer = Pages.layer.pipe(Layer.provideMerge(Texts.layer), Layer.provide(Discussions.layer))
