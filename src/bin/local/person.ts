import { Effect, Redacted, Schema, Stdio } from "effect"
import { Prompt } from "effect/cli"
import { marked } from "../../mcp/local/failures/marked.ts"

/** Fails unless a person sits at a terminal: a hidden prompt would read a pipe as well. */
const atTerminal = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const isTerminal = (yield* stdio.stdinIsTerminal) && (yield* stdio.stderrIsTerminal)
  if (!isTerminal) return yield* marked("terminal-required")
})

/** Asks a person for a secret, which is not shown while it is typed. */
export const askHidden = Effect.fnUntraced(function* <A>(message: string, schema: Schema.Codec<A, string>) {
  yield* atTerminal
  const typed = yield* Prompt.Hidden({ message })
  return yield* Schema.decodeEffect(schema)(Redacted.value(typed).trim()).pipe(
    Effect.mapError(() =>
      marked("validation", {
        fields: [{ field: "input", code: "invalid", message: "The typed text does not match" }]
      })
    )
  )
})

/** Asks a person for a text, which is shown while it is typed. */
export const askShown = Effect.fnUntraced(function* (message: string) {
  yield* atTerminal
  return (yield* Prompt.String({ message })).trim()
})

/** Asks a person to choose. */
export const askChoice = Effect.fnUntraced(function* <A extends string>(
  message: string,
  choices: ReadonlyArray<A>
) {
  yield* atTerminal
  return yield* Prompt.Select({
    message,
    choices: choices.map((value) => ({ title: value.replaceAll("_", " "), value }))
  })
})

/** Fails unless a person also reads the output: what it shows must not end in a file. */
export const requireReader = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdoutIsTerminal)) return yield* marked("terminal-required")
})

/** Shows an act, and asks a person to type a text of it back. Fails with `not-confirmed` for any other text. */
export const confirmTyped = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, text: string) {
  yield* atTerminal
  yield* Effect.sync(() => process.stderr.write(`${lines.join("\n")}\n\n`))
  const typed = yield* Prompt.String({ message: `Type ${text} to allow this` })
  if (typed.trim() !== text) return yield* marked("not-confirmed")
})
