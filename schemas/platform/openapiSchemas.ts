/** Returns a value with each of its objects replaced, the innermost first. */
export const replacing = (value: unknown, replace: (object: Record<string, unknown>) => object): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((it) => replacing(it, replace))
  return replace(Object.fromEntries(Object.entries(value).map(([key, it]) => [key, replacing(it, replace)])))
}

/** Returns a tuple as an array of its length, which readers of OpenAPI know: they ask every array for its `items`. */
const plainTuple = ({ prefixItems, ...schema }: Record<string, unknown>) => {
  if (!Array.isArray(prefixItems)) return schema
  const distinct = [...new Map(prefixItems.map((it) => [JSON.stringify(it), it])).values()]
  return distinct.length === 1
    ? { ...schema, items: distinct[0] }
    : { ...schema, prefixItems, items: { anyOf: distinct } }
}

/** Leaves out bounds that are those of JavaScript's numbers, and not of the service. */
const plainNumber = ({ maximum, minimum, ...schema }: Record<string, unknown>) => ({
  ...schema,
  ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
  ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum })
})

/** Returns a schema that also takes null as one with two types, which says the same as two alternatives in half the words. */
const plainNullable = ({ anyOf, ...schema }: Record<string, unknown>) => {
  const [value, none, ...others]: ReadonlyArray<Record<string, unknown>> = Array.isArray(anyOf) ? anyOf : []
  const isPlain = value !== undefined && Object.keys(value).join() === "type" && value["type"] !== "null"
  return isPlain && none?.["type"] === "null" && others.length === 0
    ? { ...schema, type: [value["type"], "null"] }
    : { ...schema, anyOf }
}

/** Returns a generated schema in the words that most readers of OpenAPI know. */
export const plainSchema = (schema: Record<string, unknown>): object => {
  if (schema["type"] === "array") return plainTuple(schema)
  if (schema["anyOf"] !== undefined) return plainNullable(schema)
  return schema["type"] === "integer" ? plainNumber(schema) : schema
}
