import { markers } from "../../../src/mcp/local/failures/markers.ts"
import { askFor } from "../../../src/mcp/local/grants/Grants.ts"
import { shellWord } from "../../../src/mcp/local/service/commands.ts"

/** An origin of this machine, at which no service listens. */
export const ORIGIN = "http://localhost:4"
const POST = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

/** Steps that are made for a call, with its values. */
export const MADE: ReadonlyArray<string> = [
  askFor({ kind: "discussion", origin: ORIGIN }),
  askFor({ kind: "standing", origin: ORIGIN }),
  askFor({ kind: "draft", origin: ORIGIN, postId: POST, revision: "r" }),
  askFor({ kind: "spending", origin: ORIGIN, amountRaw: 10n ** 29n }),
  `\`svc-mcp publication attest --post ${POST} --method autonomous_agent\``,
  `\`svc-mcp publication attest --post ${POST}\``,
  "`svc-mcp setup new-human`",
  `\`svc-mcp setup new-agent --name ${shellWord("O'Hara & $HOME")} --handle agent_one_2\``
]

/** Returns the commands of a text. */
export const commandsIn = (text: string) =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command)

/** The next steps of all codes, for tools and for terminals. */
export const usual = Object.values(markers).flatMap((kind) => [
  kind.nextStep ?? "",
  "inShell" in kind ? kind.inShell : ""
])
