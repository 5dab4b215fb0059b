import { Effect, Schema, SchemaIssue } from "effect"
import { Argument, CliError, Flag } from "effect/cli"
import { atLeast } from "../../../schemas/platform/Text.ts"

/** Returns the annotation of this name when it is a text. */
const textOf = (
  annotations: { readonly [key: string]: unknown } | undefined,
  key: "expected" | "message"
) => {
  const text = annotations?.[key]
  return typeof text === "string" ? text : undefined
}

const ruleOf = (annotations: { readonly [key: string]: unknown } | undefined) => {
  const expected = textOf(annotations, "expected")
  return textOf(annotations, "message") ?? (expected === undefined ? undefined : `Use ${expected}`)
}

const UNEXPLAINED = "Use another value"

/** Writes the rule of a schema that a value breaks, and never the value. */
const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: () => UNEXPLAINED,
  checkHook: ({ filter, issue }) =>
    ruleOf(filter.annotations) ??
    (issue._tag === "InvalidValue" ? ruleOf(issue.annotations) : undefined) ??
    UNEXPLAINED
})

/** Takes what a schema takes. Fails with the rule that any other value breaks. */
const checked =
  <A, I>(name: string, schema: Schema.Codec<A, I>) =>
  (value: I) =>
    Effect.mapError(Schema.decodeEffect(schema)(value), ({ issue }) => {
      const [broken] = format(issue).issues
      return new CliError.ValidationError({ message: `${name}: ${broken?.message ?? UNEXPLAINED}.` })
    })

/** Makes a flag for a text that a schema takes. */
export const textFlag = <A>(name: string, schema: Schema.Codec<A, string>) =>
  Flag.String(name).pipe(Flag.mapEffect(checked(`--${name}`, schema)))

/** Makes a flag for a whole number that a schema takes. */
export const wholeFlag = <A>(name: string, schema: Schema.Codec<A, number>) =>
  Flag.Int(name).pipe(Flag.mapEffect(checked(`--${name}`, schema)))

/** Makes an argument for a text that a schema takes. */
export const textArgument = <A>(name: string, schema: Schema.Codec<A, string>) =>
  Argument.String(name).pipe(Argument.mapEffect(checked(`<${name}>`, schema)))

/** The path of a file or a directory. An empty one would be that of the directory in which the program was started. */
export const Path = Schema.String.check(
  atLeast(1),
  Schema.isPattern(/^[^\p{Cc}\p{Cf}\p{Cs}]*$/u, { expected: "a path without control characters" })
)
