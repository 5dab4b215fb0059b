import { Layer } from "effect"
import { Discussions } from "./Discussions.ts"
import { Pages } from "./Pages.ts"

export const layer = Pages.layer.pipe(Layer.provide(Discussions.layer))
