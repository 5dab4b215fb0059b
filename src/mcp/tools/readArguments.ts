import { Predicate } from "effect"
import * as Tool from "effect/ai/Tool"

type JsonObject = Readonly<Record<string, unknown>>

const isObject: (value: unknown) => value is JsonObject = Predicate.isObject

/** A number as a person writes it, without more digits than it can have. */
const NUMBER = /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Returns a schema with those that a value may or must match instead. */
const branchesOf = (schema: JsonObject): ReadonlyArray<JsonObject> => [
  schema,
  ...["anyOf", "oneOf", "allOf"].flatMap((name) => list(schema[name]).filter(isObject).flatMap(branchesOf))
]

/** Returns true if a schema takes values of this type. */
const takes = (schema: JsonObject, type: string): boolean =>
  branchesOf(schema).some((branch) => {
    const values = [...list(branch["enum"]), ...("const" in branch ? [branch["const"]] : [])]
    return (
      "$ref" in branch ||
      [branch["type"], ...list(branch["type"])].includes(type) ||
      values.some((value) => (value === null ? "null" : typeof value) === type)
    )
  })

const readText = (text: string, schema: JsonObject): unknown => {
  if (takes(schema, "string")) return text
  if ((takes(schema, "integer") || takes(schema, "number")) && NUMBER.test(text)) return Number(text)
  const word = text.trim().toLowerCase()
  return takes(schema, "boolean") && (word === "true" || word === "false") ? word === "true" : text
}

const readObject = (value: JsonObject, schema: JsonObject): JsonObject => {
  const branches = branchesOf(schema)
  const required = new Set(branches.flatMap((branch) => list(branch["required"])))
  const schemaOf = (name: string) =>
    branches
      .map(({ properties }) =>
        isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
      )
      .find(isObject)
  let isSame = true
  const members = Object.entries(value).flatMap(([name, member]) => {
    const its = schemaOf(name)
    if (its === undefined) return [[name, member] as const]
    const read =
      member === null && !takes(its, "null") && !required.has(name) ? undefined : readValue(member, its)
    isSame &&= read === member
    return read === undefined ? [] : [[name, read] as const]
  })
  return isSame ? value : Object.fromEntries(members)
}

const readArray = (values: ReadonlyArray<unknown>, { items }: JsonObject) => {
  if (!isObject(items)) return values
  const read = values.map((value) => readValue(value, items))
  return read.every((value, index) => value === values[index]) ? values : read
}

/** Returns a value as a schema takes it, or unchanged. */
const readValue = (value: unknown, schema: JsonObject): unknown => {
  if (typeof value === "string") return readText(value, schema)
  if (Array.isArray(value)) return readArray(value, schema)
  return isObject(value) ? readObject(value, schema) : value
}

/**
 * Makes a function that reads the arguments of calls as clients write them: an optional argument that is null is absent, and
 * a number or a truth value may be text. It returns any other message as it is.
 */
export const makeReadArguments = (tools: Readonly<Record<string, Tool.Any>>) => {
  const schemas = new Map<string, JsonObject>()
  const schemaOf = (name: string) => {
    const known = schemas.get(name)
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (known !== undefined || tool === undefined) return known
    const schema = Tool.getJsonSchema(tool) as object as JsonObject
    schemas.set(name, schema)
    return schema
  }

  return (message: JsonObject): JsonObject => {
    const { method, params } = message
    if (method !== "tools/call" || !isObject(params)) return message
    const { arguments: args, name } = params
    const schema = typeof name === "string" ? schemaOf(name) : undefined
    if (schema === undefined || !isObject(args)) return message
    const read = readObject(args, schema)
    return read === args ? message : { ...message, params: { ...params, arguments: read } }
  }
}
