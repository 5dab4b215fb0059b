import { Layer } from "effect"
import { QuoteMac } from "../../src/platform/ports/QuoteMac.ts"
import { makeKeyedHash } from "./keyedHash.ts"

/** Signs quotes under keys of their own. */
export const layer = Layer.effect(QuoteMac, makeKeyedHash("quotes"))
