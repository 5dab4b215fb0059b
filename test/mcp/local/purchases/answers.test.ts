import { layer } from "@effect/vitest"
import { serviceBehindWire } from "../localEdition.ts"
import { playScript, scripts } from "./scripted.ts"

const SOME = new Set(["410", "404 of a proxy", "no answer, then a 404 of a proxy"])

layer(serviceBehindWire("test_mcp_local_answers"))("answers to a purchase", (it) => {
  for (const [number, scripted] of scripts.filter(({ name }) => SOME.has(name)).entries()) {
    it.effect(`A purchase after ${scripted.name} ${scripted.isOpen ? "holds" : "ends"} its money`, () =>
      playScript(scripted, number)
    )
  }
})
