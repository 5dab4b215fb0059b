import { execFile } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { shellWord, wholeCommands } from "../../../src/mcp/local/service/commands.ts"
import { stateDirectory } from "./localEdition.ts"
import { commandsIn, MADE, ORIGIN, usual } from "./nextSteps.ts"
import { PROGRAM } from "./svcMcp.ts"

const run = (command: string) =>
  Effect.callback<{ readonly code: number; readonly said: string }>((resume) => {
    const child = execFile("sh", ["-c", command], (error, output, log) =>
      resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), said: output + log }))
    )
    child.stdin?.end()
  })

describe("the commands that next steps name", () => {
  it.live(
    "Each command of a next step runs as it is printed",
    () =>
      Effect.gen(function* () {
        const directory = join(yield* stateDirectory, "it's $HOME")
        const program = `${shellWord(process.execPath)} ${shellWord(PROGRAM)}`
        const place = { program, origin: ORIGIN, directory }
        const commands = new Set(
          [...usual, ...MADE]
            .flatMap((text) => commandsIn(wholeCommands(text, place)))
            .filter((command) => command.startsWith(program))
        )
        assert.isAtLeast(commands.size, 12)
        yield* Effect.forEach(
          commands,
          (command) =>
            Effect.map(run(command), ({ code, said }) => {
              // It is understood: no error of usage, and none of the shell.
              assert.include([0, 65, 69, 73, 75, 77], code, `${command}\n${said}`)
              assert.notMatch(said, /state-insecure|origin-mismatch|origin-invalid/, command)
            }),
          { concurrency: 2 }
        )
      }),
    300_000
  )
})
