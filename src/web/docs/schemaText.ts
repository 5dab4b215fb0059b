/** A schema of the document, as far as its text shows it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly default?: unknown
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** Returns a schema of the document by its members. The document types it as any object. */
export const schemaOf = (schema: object): JsonSchema => schema

const range = (least: number | undefined, most: number | undefined, unit = "") => {
  if (least === undefined && most === undefined) return ""
  if (least === undefined) return ` (at most ${most}${unit})`
  return most === undefined ? ` (at least ${least}${unit})` : ` (${least} to ${most}${unit})`
}

const boundsOf = ({ items, maxItems, maxLength, maximum, minItems, minLength, minimum }: JsonSchema) =>
  items === undefined
    ? range(minimum, maximum) + range(minLength, maxLength, " characters")
    : range(minItems, maxItems, " elements")

const memberText = (name: string, schema: JsonSchema, isRequired: boolean) => {
  const { description } = schema
  return `${name}${isRequired ? "" : "?"}: ${schemaText(schema)}${description === undefined ? "" : ` /* ${description} */`}`
}

/** Returns the name of the component to which a reference refers. */
export const nameOfRef = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** Returns a schema as a type with its bounds, in the words of TypeScript. */
export const schemaText = (schema: JsonSchema): string => {
  const { $ref, allOf, anyOf, format, items, properties, required = [], type = "unknown" } = schema
  if (typeof type !== "string") return type.map((it) => schemaText({ ...schema, type: it })).join(" | ")
  if ($ref !== undefined) return nameOfRef($ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((it) => JSON.stringify(it)).join(" | ")
  if (anyOf !== undefined) return [...new Set(anyOf.map(schemaText))].join(" | ")
  if (allOf !== undefined) return allOf.map(schemaText).join(" & ")
  if (items !== undefined) {
    const element = schemaText(items)
    return `${element.includes(" ") ? `(${element})` : element}[]${boundsOf(schema)}`
  }
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, it]) =>
      memberText(name, it, required.includes(name))
    )
    return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`
  }
  return `${type}${format === undefined || format === "binary" ? "" : ` (${format})`}${boundsOf(schema)}`
}
