import { SchemaAST, type SchemaIssue } from "effect"
import { Validation } from "./common.ts"
import type { FieldError } from "./FieldError.ts"
import { nearestName } from "./nearestName.ts"
import { summaryOf } from "./summary.ts"

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

/** Part of a request that has errors. */
type Whole = "body" | "headers" | "query" | "path" | "arguments"

/** Words of callers for the values of each part. */
const VALUES: Readonly<Record<Whole, string>> = {
  body: "member",
  headers: "header",
  query: "parameter",
  path: "parameter",
  arguments: "argument"
}

/** Returns true for a part in JSON. The values of the others are all texts, so their type says nothing. */
const isTyped = (whole: Whole) => whole === "body" || whole === "arguments"

/** Names the form of a text by its last check, unless that limits its length. */
const formOf = (encoded: SchemaAST.String) => {
  const last = encoded.checks?.at(-1)?.annotations
  return (
    (last?.fieldCode === undefined ? textOf(last, "expected") : undefined) ??
    textOf(encoded.annotations, "expected")
  )
}

/** Names the values that a schema takes on the wire. */
const describe = (ast: SchemaAST.AST, whole: Whole): string => {
  const encoded = SchemaAST.toEncoded(ast)
  switch (encoded._tag) {
    case "Literal":
      return JSON.stringify(encoded.literal)
    case "Union":
      return OR.format(new Set(alternativesOf(encoded).map((it) => describe(it, whole))))
    case "Number":
      return isWhole(encoded) ? "a whole number" : "a number"
    case "String": {
      const form = formOf(encoded) ?? (ast._tag === "String" ? formOf(ast) : undefined)
      if (form === undefined) return "a string"
      return isTyped(whole) ? `a string (${form})` : form
    }
    default:
      return textOf(encoded.annotations, "expected") ?? typeNames[encoded._tag] ?? "another value"
  }
}

interface Leaf extends Pick<FieldError, "field" | "code"> {
  /** Makes the message. Only errors that are listed need it, and comparing names takes time. */
  readonly messageOf: () => string
  /** Depth in the input at which the error stands. Of a union, only the deepest alternative is reported. */
  readonly depth: number
}

/** Returns the errors of the alternative that got furthest into the input, which explain best what is wrong. */
const closest = (alternatives: ReadonlyArray<ReadonlyArray<Leaf>>): ReadonlyArray<Leaf> => {
  const reach = (leaves: ReadonlyArray<Leaf>) => leaves.reduce((most, { depth }) => Math.max(most, depth), 0)
  return alternatives.toSorted((a, b) => reach(b) - reach(a))[0] ?? []
}

const leaf = (path: ReadonlyArray<string>, depth: number, code: string, messageOf: () => string): Leaf => ({
  field: path.join("."),
  code,
  messageOf,
  depth
})

/** Characters of a list of names in a sentence. */
const NAMES_MAX = 600

/** Returns the names that an object has, in the order of the contract, until the sentence is full. */
const listOf = (names: ReadonlyArray<string>) => {
  const list = names.join(", ")
  return list.length <= NAMES_MAX ? list : `${list.slice(0, list.lastIndexOf(",", NAMES_MAX))}, …`
}

/** Says that a name is unknown. Names the one that was probably meant, or else those that there are. */
const unknownSentence = (name: string, ast: SchemaAST.AST, whole: Whole) => {
  const names = ast._tag === "Objects" ? ast.propertySignatures.map((it) => String(it.name)) : []
  const meant = nearestName(name, names)
  const sentence = `Remove this ${VALUES[whole]}: it is unknown here`
  if (meant !== undefined) return `${sentence}. Did you mean ${meant}?`
  if (names.length === 0) return `${sentence}, and none is needed`
  return `${sentence}. Known: ${listOf(names)}`
}

/** Says that a value is missing, and what to send. */
const missingSentence = (type: SchemaAST.AST | undefined, whole: Whole) => {
  const act = whole === "headers" ? "Send this header" : `Add this ${VALUES[whole]}`
  return `${act}: ${type === undefined ? "it is required" : describe(type, whole)}`
}

/** Sentence for a rule that has none. A test finds such rules. */
const UNEXPLAINED = "Send another value"

/** Place of an issue in the input. */
interface Place {
  readonly whole: Whole
  readonly path: ReadonlyArray<string>
  readonly depth: number
  /** Schema of the object around it. */
  readonly around?: SchemaAST.AST
}

/** Returns the schema of the member at this place. Unlike that of an issue, it has all that follows a transformation. */
const memberOf = ({ around, path }: Place) =>
  around?._tag === "Objects"
    ? around.propertySignatures.find((it) => it.name === path.at(-1))?.type
    : undefined

const leaves = (issue: SchemaIssue.Issue, place: Place): ReadonlyArray<Leaf> => {
  const { depth, path, whole } = place
  switch (issue._tag) {
    case "Pointer":
      return leaves(issue.issue, { ...place, path: [...path, ...issue.path.map(String)], depth: depth + 1 })
    case "Composite":
      return issue.issues.flatMap((inner) => leaves(inner, { ...place, around: issue.ast }))
    case "Encoding":
      return leaves(issue.issue, place)
    case "Filter": {
      const { filter, issue: inner } = issue
      const innerSentence = () => (inner._tag === "InvalidValue" ? sentenceOf(inner.annotations) : undefined)
      const messageOf = () => sentenceOf(filter.annotations) ?? innerSentence() ?? UNEXPLAINED
      return [leaf(path, depth + 1, codeOf(filter), messageOf)]
    }
    case "AnyOf": {
      const alternatives = issue.issues.map((inner) => leaves(inner, place))
      const mistyped = alternatives.every((found) => found.every((it) => it.depth === depth))
      return alternatives.length === 0 || mistyped
        ? [leaf(path, depth, "invalid", () => `Send ${describe(issue.ast, whole)}`)]
        : closest(alternatives)
    }
    case "MissingKey":
      return [leaf(path, depth, "required", () => missingSentence(memberOf(place), whole))]
    case "UnexpectedKey":
      return [leaf(path, depth, "unknown", () => unknownSentence(path.at(-1) ?? "", issue.ast, whole))]
    case "InvalidType":
      // Of tools without arguments, which take no value of any name.
      if (issue.ast._tag === "Never")
        return [leaf(path, depth, "unknown", () => unknownSentence("", issue.ast, whole))]
      return [leaf(path, depth, "invalid", () => `Send ${describe(memberOf(place) ?? issue.ast, whole)}`)]
    case "InvalidValue":
      return [leaf(path, depth, "invalid", () => sentenceOf(issue.annotations) ?? UNEXPLAINED)]
    case "OneOf":
    case "Forbidden":
      return [leaf(path, depth, "invalid", () => UNEXPLAINED)]
  }
}

/** Maximum number of field errors that an answer lists; it counts the rest. */
const FIELD_ERRORS_MAX = 20

export interface FieldErrors {
  readonly errors: ReadonlyArray<FieldError>
  /** Errors beyond those listed. */
  readonly unlisted: number
}

/** Returns a header name as specifications write it: `Idempotency-Key`. */
const headerName = (name: string) => name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())

/**
 * Returns an error for each member that keeps a request from decoding. Lists the first 20 in the order of the contract.
 */
export const fieldErrorsOf = (issue: SchemaIssue.Issue, whole: Whole): FieldErrors => {
  const seen = new Set<string>()
  const errors: Array<FieldError> = []
  for (const { code, field, messageOf } of leaves(issue, { whole, path: [], depth: 0 })) {
    if (seen.has(field)) continue
    seen.add(field)
    if (errors.length < FIELD_ERRORS_MAX) {
      const name = field === "" ? whole : field.slice(0, 200)
      errors.push({ field: whole === "headers" ? headerName(name) : name, code, message: messageOf() })
    }
  }
  return { errors, unlisted: seen.size - errors.length }
}

/** Joins the errors of several parts of a request, in their order. */
export const together = (parts: ReadonlyArray<FieldErrors>): FieldErrors => {
  const errors = parts.flatMap((it) => it.errors)
  const unlisted = parts.reduce((sum, it) => sum + it.unlisted, Math.max(0, errors.length - FIELD_ERRORS_MAX))
  return { errors: errors.slice(0, FIELD_ERRORS_MAX), unlisted }
}

/** Returns the error that names these members. */
export const validationOf = ({ errors, unlisted }: FieldErrors): Validation =>
  new Validation({ errors, detail: summaryOf(errors, unlisted) })
