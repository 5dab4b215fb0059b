import { Context, Effect } from "effect"
import { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { NANO_NODE } from "../failures/markerKind.ts"
import { markerOf } from "../failures/markers.ts"
import { StateStore } from "../ports/StateStore.ts"
import { isLoopback, Origin } from "./Origin.ts"

/** The words of a shell that start this program. */
export const Program = Context.Reference<string>("pennypress/mcp/local/service/Program", {
  defaultValue: () => "svc-mcp"
})

/** The values that every command needs, in addition to its own words. */
interface Place {
  readonly program: string
  readonly origin: string
  readonly directory: string
}

/** Returns a text as one word of a shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Writes out each command of a text, with the program, the origin and the state directory. */
export const wholeCommands = (text: string, { directory, origin, program }: Place): string => {
  const whole = `${program} --origin ${shellWord(origin)} --state-dir ${shellWord(directory)} `
  const node = isLoopback(origin) ? `${origin}/dev/nano` : `'${NANO_NODE}'`
  return text.replaceAll("`svc-mcp ", () => `\`${whole}`).replaceAll(NANO_NODE, () => node)
}

/** Returns a failure whose next step can be run as it is shown. */
export const withWholeCommands = (failure: ToolFailure, place: Place): ToolFailure =>
  failure.nextStep === null
    ? failure
    : new ToolFailure({
        ...failure,
        message: failure.message,
        nextStep: wholeCommands(failure.nextStep, place)
      })

/** Returns a failure with the next step of a person at a terminal, who has no tools and need not be asked. */
export const inShell = (failure: ToolFailure, place: Place): ToolFailure => {
  const { inShell: step, nextStep: usual } = markerOf(failure.code)
  const chosen = failure.nextStep === usual ? (step ?? usual) : failure.nextStep
  const nextStep =
    chosen?.replace(/^Ask a person to ([a-z])/, (_, letter: string) => letter.toUpperCase()) ?? null
  return withWholeCommands(new ToolFailure({ ...failure, message: failure.message, nextStep }), place)
}

/** The place of this process. */
export const place = Effect.gen(function* () {
  const { directory } = yield* StateStore
  return { directory, origin: yield* Origin, program: yield* Program } satisfies Place
})

/** Returns a command as a person runs it. */
export const commandOf = (words: string) =>
  Effect.map(place, (at) => wholeCommands(`\`svc-mcp ${words}`, at).slice(1))
