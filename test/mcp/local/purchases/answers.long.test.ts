import { layer } from "@effect/vitest"
import { serviceBehindWire } from "../localEdition.ts"
import { playScript, scripts } from "./scripted.ts"

layer(serviceBehindWire("test_mcp_local_all_answers"))("answers to a purchase", (it) => {
  for (const [number, scripted] of scripts.entries()) {
    it.effect(`A purchase after ${scripted.name} ${scripted.isOpen ? "holds" : "ends"} its money`, () =>
      playScript(scripted, number)
    )
  }
})
