import { type Html, html } from "../../platform/pages/html.ts"
import type { Resolve } from "./operationParts.ts"
import { type JsonSchema, schemaText } from "./schemaText.ts"

/** References that lead to a place. A schema that holds itself is shown once on the way. */
type Way = ReadonlySet<string>

const START: Way = new Set()

/** Longest pattern that says more to a reader than it costs to read. */
const PATTERN_LENGTH = 60

const partsOf = ({ allOf = [], anyOf = [], items }: JsonSchema) => [
  ...allOf,
  ...anyOf,
  ...(items === undefined ? [] : [items])
]

/** Returns the objects of a value: itself, its elements, or its alternatives. */
const objectsOf = (
  schema: JsonSchema,
  resolve: Resolve,
  way: Way
): ReadonlyArray<{ readonly object: JsonSchema; readonly way: Way }> => {
  const { $ref, properties = {} } = schema
  if ($ref !== undefined) {
    return way.has($ref) ? [] : objectsOf({ ...resolve(schema) }, resolve, new Set([...way, $ref]))
  }
  const own = Object.keys(properties).length === 0 ? [] : [{ object: schema, way }]
  return [...own, ...partsOf(schema).flatMap((it) => objectsOf(it, resolve, way))]
}

/** Returns a schema whose text has no members: they have lines of their own, below its name. */
const outlineOf = (schema: JsonSchema, resolve: Resolve, way: Way): JsonSchema => {
  const { $ref, allOf, anyOf, items, properties: _, ...rest } = schema
  if ($ref !== undefined) {
    const isNamed = way.has($ref) || objectsOf(schema, resolve, way).length > 0
    return isNamed ? { $ref } : outlineOf(resolve({ ...schema }), resolve, new Set([...way, $ref]))
  }
  const outline = (it: JsonSchema) => outlineOf(it, resolve, way)
  return {
    ...rest,
    ...(allOf === undefined ? {} : { allOf: allOf.map(outline) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(outline) }),
    ...(items === undefined ? {} : { items: outline(items) })
  }
}

/** Returns the first value that a schema, its component or one of its parts has. */
const firstIn = <A>(
  schema: JsonSchema,
  resolve: Resolve,
  get: (schema: JsonSchema) => A | undefined
): A | undefined =>
  get(schema) ??
  get(resolve(schema)) ??
  partsOf(schema).reduce<A | undefined>((found, it) => found ?? firstIn(it, resolve, get), undefined)

/** Shows a text of the document, in which backticks mark code. */
export const described = (text: string): Html =>
  html`${text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`

/** Returns the type of a value with its bounds, in words. */
export const typeText = (schema: JsonSchema, resolve: Resolve): string =>
  schemaText(outlineOf(schema, resolve, START))

/** Shows the sentence about a value, or the pattern that it matches when it has no sentence. */
export const valueNote = (schema: JsonSchema, resolve: Resolve): Html | false => {
  const sentence = firstIn(schema, resolve, ({ description }) => description)
  if (sentence !== undefined) return described(sentence)
  const pattern = firstIn(schema, resolve, (it) => it.pattern)
  return pattern !== undefined && pattern.length <= PATTERN_LENGTH && html`It matches <code>${pattern}</code>`
}

const memberList = ({ properties = {}, required = [] }: JsonSchema, resolve: Resolve, way: Way): Html =>
  html`<ul>
    ${Object.entries(properties).map(
      ([name, it]) =>
        html`<li>
          <code>${name}</code>
          <span class="hint"
            >${schemaText(outlineOf(it, resolve, way))},
            ${required.includes(name) ? "required" : "optional"}</span
          >
          ${valueNote(it, resolve)} ${membersOf(it, resolve, way)}
        </li>`
    )}
  </ul>`

const membersOf = (schema: JsonSchema, resolve: Resolve, way: Way): Html | false => {
  const objects = objectsOf(schema, resolve, way)
  if (objects.length === 0) return false
  const lists = objects.map(({ object, way }) => memberList(object, resolve, way))
  return lists.length === 1
    ? html`${lists}`
    : html`<ul>
        ${lists.map((list, index) => html`<li>${index === 0 ? "Either:" : "Or:"} ${list}</li>`)}
      </ul>`
}

/** Lists the members of a value, with those of the objects in it below them; `false` for a value without members. */
export const schemaList = (schema: JsonSchema, resolve: Resolve): Html | false =>
  membersOf(schema, resolve, START)
