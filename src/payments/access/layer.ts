import { Layer } from "effect"
import { Access } from "./Access.ts"
import { Attachments } from "./Attachments.ts"

export const layer = Attachments.layer.pipe(Layer.provideMerge(Access.layer))
