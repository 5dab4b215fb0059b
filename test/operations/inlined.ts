/** Parts of operations to which the document refers. Schemas stay references, because validators follow them. */
const PLACES = /^#\/components\/(headers|parameters|responses)\/(.+)$/

/** Returns a document with its shared parts in the places that refer to them, as a reader without a parser wants it. */
export const inlined = <A extends { readonly components: object }>(document: A): A => {
  const components = document.components as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  const visit = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(visit)
    const [, kind = "", name = ""] = PLACES.exec("$ref" in value ? String(value.$ref) : "") ?? []
    const part = components[kind]?.[name]
    if (part !== undefined) return visit(part)
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, visit(it)]))
  }
  return visit(document) as A
}
