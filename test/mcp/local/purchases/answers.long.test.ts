import { layer } from "@effect/vitest"
import { serviceBehindWire } from "../localEdition.ts"
import { playScript, scripts } from "./scripted.ts"

layer(serviceBehindWire("test_mcp_local_all_answers"))("a purchase that is answered with", (it) => {
  for (const [number, scripted] of scripts.entries()) {
    it.effect(`${scripted.name} ${scripted.isOpen ? "holds" : "ends"} its money`, () =>
      playScript(scripted, number)
    )
  }
})
