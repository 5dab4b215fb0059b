import type { SchemaAST, SchemaIssue } from "effect"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"

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

const expectedOf = (annotations: { readonly [key: string]: unknown } | undefined) => {
  const expected = annotations?.["message"] ?? annotations?.["expected"] ?? annotations?.["title"]
  return typeof expected === "string" ? expected : undefined
}

const typeNames: Readonly<Record<string, string>> = {
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Null: "null",
  Arrays: "an array",
  Objects: "an object"
}

const describe = (ast: SchemaAST.AST): string => {
  if (ast._tag === "Literal") return JSON.stringify(ast.literal)
  if (ast._tag === "Union") return ast.types.map(describe).join(" or ")
  return expectedOf(ast.annotations) ?? typeNames[ast._tag] ?? "another value"
}

interface Leaf extends FieldError {
  /** An alternative of a union that is further from what was sent is not told. */
  readonly depth: number
}

/** The alternative that got furthest into the input says best what is wrong with it. */
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
      const inner = issue.issue._tag === "InvalidValue" ? expectedOf(issue.issue.annotations) : undefined
      const expected = expectedOf(issue.filter.annotations) ?? inner ?? "another value"
      return [leaf(path, depth + 1, codeOf(issue.filter), `Expected ${expected}`)]
    }
    case "AnyOf": {
      const alternatives = issue.issues.map((inner) => leaves(inner, path, depth))
      const mistyped = alternatives.every((found) => found.every((it) => it.depth === depth))
      return alternatives.length === 0 || mistyped
        ? [leaf(path, depth, "invalid", `Expected ${describe(issue.ast)}`)]
        : closest(alternatives)
    }
    case "MissingKey":
      return [leaf(path, depth, "required", "This member is required")]
    case "UnexpectedKey":
      return [leaf(path, depth, "unknown", "There is no such member here")]
    case "InvalidType":
      return [leaf(path, depth, "invalid", `Expected ${describe(issue.ast)}`)]
    case "InvalidValue":
      return [leaf(path, depth, "invalid", expectedOf(issue.annotations) ?? "The value is not valid")]
    case "OneOf":
    case "Forbidden":
      return [leaf(path, depth, "invalid", "The value is not valid")]
  }
}

/** Field errors that an answer lists; it counts the others. */
const FIELD_ERRORS_MAX = 20

/** The field of an error about the whole body, header or query. */
type Whole = "body" | "headers" | "query" | "path"

export interface FieldErrors {
  readonly errors: ReadonlyArray<FieldError>
  /** Errors beyond those listed. */
  readonly unlisted: number
}

/** Returns an error for each member that keeps a request from decoding, in the order of the contract, the first 20. */
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
