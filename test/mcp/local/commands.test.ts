import { assert, describe, it } from "@effect/vitest"
import { marked } from "../../../src/mcp/local/failures/marked.ts"
import { NANO_NODE } from "../../../src/mcp/local/failures/markerKind.ts"
import { type Marker, markers } from "../../../src/mcp/local/failures/markers.ts"
import { askFor } from "../../../src/mcp/local/grants/Grants.ts"
import { inShell, wholeCommands } from "../../../src/mcp/local/service/commands.ts"
import { MADE, ORIGIN, usual } from "./nextSteps.ts"

describe("the commands that next steps name", () => {
  it("A next step names no other command than one that is shown whole", () => {
    for (const text of [...usual, ...MADE]) {
      const bare = text.replaceAll("`svc-mcp ", "")
      assert.notMatch(bare, /svc-mcp (setup|grant|revoke|wallet|publication|status|serve)/, text)
      assert.notMatch(text, /…|\.\.\./, text)
    }
  })

  it("A terminal is told of commands, never of tools, and is not asked to ask a person", () => {
    const place = { program: "svc-mcp", directory: "/s", origin: ORIGIN }
    for (const code of Object.keys(markers)) {
      const { nextStep } = inShell(marked(code as Marker), place)
      assert.notMatch(nextStep ?? "", /svc_|Ask a person|retryAfterSeconds/, code)
    }
    const { nextStep } = inShell(
      marked("grant-required", { nextStep: askFor({ kind: "discussion", origin: ORIGIN }) }),
      place
    )
    assert.strictEqual(nextStep, `Run \`svc-mcp --origin ${ORIGIN} --state-dir /s grant discussion\``)
  })

  it("A Nano node that cannot be known stays a blank, and a service of this machine is its own", () => {
    const step = `Run \`svc-mcp status --set-nano-rpc ${NANO_NODE}\``
    const place = { program: "svc-mcp", directory: "/s", origin: "https://press.example" }
    assert.include(wholeCommands(step, place), `'${NANO_NODE}'`)
    assert.include(wholeCommands(step, { ...place, origin: ORIGIN }), ` ${ORIGIN}/dev/nano\``)
  })
})
