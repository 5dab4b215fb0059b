import { Console } from "effect"
import { type CliError, CliOutput } from "effect/cli"

/** Maximum number of characters of a message: a person typed it, or a program that went wrong. */
const MESSAGE_CHARACTERS_MAX = 300

/** Returns a text as one line, without the characters on which a terminal would act. */
const lineOf = (text: string) => {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim()
  return line.length > MESSAGE_CHARACTERS_MAX ? `${line.slice(0, MESSAGE_CHARACTERS_MAX)}…` : line
}

const suggested = (suggestions: ReadonlyArray<string>) =>
  suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`

/** Names the values that a flag takes, in words that do not speak of types. */
const expectedBy = ({ expected }: CliError.InvalidValue) =>
  expected
    .replace(/^Expected:? /, "")
    .replace(/^(a string representing a finite number|an integer)$/, "a whole number")
    .replaceAll(" | ", " or ")

/** Returns what is wrong with a command, in a sentence. */
const sentenceOf = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `Unknown flag ${error.option}.${suggested(error.suggestions)}`
    case "UnknownSubcommand":
      return `Unknown command ${error.subcommand}.${suggested(error.suggestions)}`
    case "MissingOption":
      return `Add --${error.option}.`
    case "MissingArgument":
      return `Add <${error.argument}>.`
    case "UnexpectedArgument":
      return `Remove ${error.arguments.join(" ")}: it is not an argument of this command.`
    case "InvalidValue":
      return `${error.kind === "flag" ? `--${error.option}` : `<${error.option}>`}: Use ${expectedBy(error)}.`
    default:
      return error.message
  }
}

/** Tells a person in one line what is wrong with the arguments of a program, and shows help only where it is asked for. */
export const oneSentence = (program: string) =>
  CliOutput.layerPresenter({
    present: (event) =>
      event._tag === "InvalidInvocation"
        ? Console.error(
            `${program}: ${event.errors.map(sentenceOf).map(lineOf).join(" ")} Run \`${event.commandPath.join(" ")} --help\`.`
          )
        : CliOutput.defaultPresenter.present(event)
  })
