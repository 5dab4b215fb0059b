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

/** Returns a generated schema in the words that most readers of OpenAPI know. */
export const plainSchema = (schema: Record<string, unknown>): object => {
  if (schema["type"] === "array") return plainTuple(schema)
  return schema["type"] === "integer" ? plainNumber(schema) : schema
}
