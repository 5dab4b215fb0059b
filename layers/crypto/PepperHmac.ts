import { Layer } from "effect"
import { Pepper } from "../../src/platform/ports/Pepper.ts"
import { makeKeyedHash } from "./keyedHash.ts"

/** Hashes codes under keys of their own. */
export const layer = Layer.effect(Pepper, makeKeyedHash("codes"))
