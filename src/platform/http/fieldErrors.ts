import { SchemaAST, type SchemaIssue } from "effect"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { summaryOf } from "../../../schemas/platform/errors/summary.ts"
import { nearestName } from "./nearestName.ts"

const codeByCheck: Readonly<Record<string, string>> = {
  "effect/schema/isMinLength": "too_short",
  "effect/schema/isMaxLength": "too_long",
  "effect/schema/isGreaterThan": "out_of_range",
  "effect/schema/isGreaterThanOrEqualTo": "out_of_range",
  "effect/schema/isLessThan": "out_of_range",
  "effect/schema/isLessThanOrEqualTo": "out_of_range",
  "effect/schema/isBetween": "out_of_range",
  "effect/schema/isBetweenBigInt": "out_of_range"
}

const codeOf = (filter: SchemaAST.Filter<unknown>) => {
  const representation = filter.annotations?.representation as { readonly id?: string } | undefined
  return filter.annotations?.fieldCode ?? codeByCheck[representation?.id ?? ""] ?? "invalid"
}

type Annotations = { readonly [key: string]: unknown } | undefined

/** Returns the annotation of this name when it is a text. */
const textOf = (annotations: Annotations, key: "expected" | "message" | "title") => {
  const text = annotations?.[key]
  return typeof text === "string" ? text : undefined
}

/** Returns the sentence of a failed check: its own `message`, or what to send instead. */
const sentenceOf = (annotations: Annotations) => {
  const expected = textOf(annotations, "expected")?.replace(/^an integer$/, "a whole number")
  return textOf(annotations, "message") ?? (expected === undefined ? undefined : `Send ${expected}`)
}

const typeNames: Readonly<Record<string, string>> = {
  String: "a string",
  Boolean: "true or false",
  Null: "null",
  Arrays: "an array",
  Objects: "an object"
}

const isWhole = ({ checks }: SchemaAST.AST) =>
  checks?.some((it) => it.annotations?.representation?.id === "effect/schema/isInt")

const OR = new Intl.ListFormat("en", { type: "disjunction" })

const alternativesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(alternativesOf) : [ast]

/** Names the values that a schema takes on the wire. A text is named by its last check, unless that limits its length. */
const describe = (ast: SchemaAST.AST): string => {
  const encoded = SchemaAST.toEncoded(ast)
  if (encoded._tag === "Literal") return JSON.stringify(encoded.literal)
  if (encoded._tag === "Union") return OR.format(new Set(alternativesOf(encoded).map(describe)))
  if (encoded._tag === "Number") return isWhole(encoded) ? "a whole number" : "a number"
  const last = encoded.checks?.at(-1)?.annotations
  const form =
    encoded._tag === "String" && last?.fieldCode === undefined ? textOf(last, "expected") : undefined
  return form ?? textOf(encoded.annotations, "expected") ?? typeNames[encoded._tag] ?? "another value"
}

interface Leaf extends FieldError {
  /** Depth in the input at which the error stands. Of a union, only the deepest alternative is reported. */
  readonly depth: number
}

/** Returns the errors of the alternative that got furthest into the input, which explain best what is wrong. */
const closest = (alternatives: ReadonlyArray<ReadonlyArray<Leaf>>): ReadonlyArray<Leaf> => {
  const reach = (leaves: ReadonlyArray<Leaf>) => leaves.reduce((most, { depth }) => Math.max(most, depth), 0)
  return alternatives.toSorted((a, b) => reach(b) - reach(a))[0] ?? []
}

const leaf = (path: ReadonlyArray<string>, depth: number, code: string, message: string): Leaf => ({
  field: path.join("."),
  code,
  message,
  depth
})

/** Says that a member is unknown, and names the one that was probably meant. */
const unknownSentence = (name: string, ast: SchemaAST.AST) => {
  const names = ast._tag === "Objects" ? ast.propertySignatures.map((it) => String(it.name)) : []
  const meant = nearestName(name, names)
  const sentence = "Remove this member: it is unknown here"
  return meant === undefined ? sentence : `${sentence}. Did you mean ${meant}?`
}

/** Sentence for a rule that has none. A test finds such rules. */
const UNEXPLAINED = "Send another value"

const leaves = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<string>,
  depth: number
): ReadonlyArray<Leaf> => {
  switch (issue._tag) {
    case "Pointer":
      return leaves(issue.issue, [...path, ...issue.path.map(String)], depth + 1)
    case "Composite":
      return issue.issues.flatMap((inner) => leaves(inner, path, depth))
    case "Encoding":
      return leaves(issue.issue, path, depth)
    case "Filter": {
      const inner = issue.issue._tag === "InvalidValue" ? sentenceOf(issue.issue.annotations) : undefined
      const message = sentenceOf(issue.filter.annotations) ?? inner ?? UNEXPLAINED
      return [leaf(path, depth + 1, codeOf(issue.filter), message)]
    }
    case "AnyOf": {
      const alternatives = issue.issues.map((inner) => leaves(inner, path, depth))
      const mistyped = alternatives.every((found) => found.every((it) => it.depth === depth))
      return alternatives.length === 0 || mistyped
        ? [leaf(path, depth, "invalid", `Send ${describe(issue.ast)}`)]
        : closest(alternatives)
    }
    case "MissingKey":
      return [leaf(path, depth, "required", "Add this member: it is required")]
    case "UnexpectedKey":
      return [leaf(path, depth, "unknown", unknownSentence(path.at(-1) ?? "", issue.ast))]
    case "InvalidType":
      return [leaf(path, depth, "invalid", `Send ${describe(issue.ast)}`)]
    case "InvalidValue":
      return [leaf(path, depth, "invalid", sentenceOf(issue.annotations) ?? UNEXPLAINED)]
    case "OneOf":
    case "Forbidden":
      return [leaf(path, depth, "invalid", UNEXPLAINED)]
  }
}

/** Maximum number of field errors that an answer lists; it counts the rest. */
const FIELD_ERRORS_MAX = 20

/** Field of an error about the whole body, header or query. */
type Whole = "body" | "headers" | "query" | "path"

export interface FieldErrors {
  readonly errors: ReadonlyArray<FieldError>
  /** Errors beyond those listed. */
  readonly unlisted: number
}

/**
 * Returns an error for each member that keeps a request from decoding. Lists the first 20 in the order of the contract.
 */
export const fieldErrorsOf = (issue: SchemaIssue.Issue, whole: Whole): FieldErrors => {
  const seen = new Set<string>()
  const errors: Array<FieldError> = []
  for (const { code, field, message } of leaves(issue, [], 0)) {
    if (seen.has(field)) continue
    seen.add(field)
    if (errors.length < FIELD_ERRORS_MAX) {
      errors.push({ field: field === "" ? whole : field.slice(0, 200), code, message })
    }
  }
  return { errors, unlisted: seen.size - errors.length }
}

/** Returns the error that names these members. */
export const validationOf = ({ errors, unlisted }: FieldErrors): Validation =>
  new Validation({ errors, detail: summaryOf(errors, unlisted) })
