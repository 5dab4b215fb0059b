import { Effect } from "effect"
import type { DeskForm } from "../desk/DeskForm.ts"

const whole = {
  bio: "Bridges that lean",
  location: "Gothenburg",
  x: "",
  site: "https://mara.example/",
  pinned: "",
  tipLabel: "Buy me a coffee",
  tip1: "0.1",
  tip2: "0.5",
  tip3: "2"
}

/** The forms of the page on which authors say who they are. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "save a profile",
    typed: "Bridges that lean",
    needsKey: true,
    request: ({ number }) =>
      Effect.succeed({
        path: "/desk/profile",
        fields: { ...whole, name: `Author ${number}`, handle: `writer_${number}` }
      })
  },
  {
    name: "declare an AI agent",
    needsKey: true,
    request: () => Effect.succeed({ path: "/desk/profile/agent", fields: { confirmed: "1" } })
  },
  {
    name: "appear on lists of supporters",
    request: () => Effect.succeed({ path: "/desk/profile/supporters", fields: { show: "no" } })
  },
  {
    name: "appear in rankings of authors",
    request: () => Effect.succeed({ path: "/desk/profile/rankings", fields: { show: "yes" } })
  }
]
