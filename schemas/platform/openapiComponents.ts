import type { Response } from "./errors/commonStatuses.ts"
import type { Operation, Paths } from "./openapi.ts"
import { replacing } from "./openapiSchemas.ts"

type Named = Readonly<Record<string, object>>

/** The document of a contract, as far as parts of it are shared. */
export interface Shareable {
  readonly paths: Paths
  /** The requests that receivers of events get. */
  readonly webhooks?: Paths
  readonly components: Readonly<Record<"headers" | "schemas" | "securitySchemes", Named>>
}

/** A part of an operation, and how a reference takes its place. */
interface Part {
  readonly name: string
  readonly value: object
  readonly replace: (reference: { readonly $ref: string }) => void
}

const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

/**
 * Moves parts that are equal in several places under their name, and returns them. If parts with one name differ, the
 * most frequent one gets the name, and the others get it with a number.
 */
const shared = (kind: string, parts: ReadonlyArray<Part>): Named => {
  const named: Record<string, object> = {}
  for (const [name, alike] of Map.groupBy(parts, (it) => it.name)) {
    const groups = [...Map.groupBy(alike, ({ value }) => JSON.stringify(value)).values()]
      .filter(({ length }) => length > 1)
      .toSorted((one, other) => other.length - one.length)
    for (const [index, group] of groups.entries()) {
      const numbered = index === 0 ? name : `${name}${index + 1}`
      for (const { replace, value } of group) {
        named[numbered] = value
        replace(reference(kind, numbered))
      }
    }
  }
  return named
}

const headersOf = (response: Response): ReadonlyArray<Part> => {
  const headers = response.headers ?? {}
  const own = Object.entries(headers).filter(([, value]) => !("$ref" in value))
  return own.map(([name, value]) => ({
    name,
    value,
    replace: (it) => {
      headers[name] = it
    }
  }))
}

const parametersOf = ({ parameters }: Operation): ReadonlyArray<Part> => {
  const places: Array<object> = parameters
  return parameters.map((value, index) => ({
    name: value.name,
    value,
    replace: (it) => {
      places[index] = it
    }
  }))
}

/** Names of answers without a body. */
const BODILESS: Readonly<Record<string, string>> = {
  "204": "NoContent",
  "304": "NotModified",
  "308": "Moved"
}

const SCHEMAS = "#/components/schemas/"

interface Reference {
  readonly $ref?: string
  readonly anyOf?: ReadonlyArray<Reference>
}

/** Returns the name of an answer: those of its schemas; undefined for an answer with a schema of its own. */
const nameOf = (status: string, { content, headers }: Response): string | undefined => {
  if (content === undefined) return BODILESS[status]
  const schemas = Object.values(content).flatMap(
    ({ schema }: { readonly schema: Reference }) => schema.anyOf ?? [schema]
  )
  const names = schemas.map(({ $ref }) =>
    $ref?.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined
  )
  if (names.includes(undefined)) return undefined
  // Any error of a family has one schema for all statuses.
  const name = names.join("Or").replace(/^Any.*/, (any) => `${any}${status}`)
  return headers !== undefined && "Payment-Response" in headers ? `${name}OfPayment` : name
}

const responsesOf = ({ responses }: Operation): ReadonlyArray<Part> =>
  Object.entries(responses).flatMap(([status, value]) => {
    const name = nameOf(status, value)
    const replace: Part["replace"] = (it) => {
      responses[status] = it as Response
    }
    return name === undefined ? [] : [{ name, value, replace }]
  })

/** Returns the shorter names of components that the generator calls `…Encoded`, by those names. */
const shorterNames = (schemas: Named): ReadonlyMap<string, string> => {
  const shorter = Object.keys(schemas).map((name) => [name, name.replace(/Encoded(?=_\d+$|$)/, "")] as const)
  return new Map(shorter.filter(([name, short]) => short !== name && !(short in schemas)))
}

/**
 * Returns the document with its repeated parts in its components: headers, parameters, answers, and the schemas of this
 * table. It says the same in less than half of the bytes.
 */
export const withSharedParts = <A extends Shareable>(
  { components, paths, webhooks, ...others }: A,
  schemas: Named
) => {
  const nameBySchema = new Map(Object.entries(schemas).map(([name, it]) => [JSON.stringify(it), name]))
  const shorter = shorterNames(components.schemas)
  const referring = (value: unknown) =>
    replacing(value, (object) => {
      const { $ref } = object
      if (typeof $ref === "string" && $ref.startsWith(SCHEMAS)) {
        const name = $ref.slice(SCHEMAS.length)
        return reference("schemas", shorter.get(name) ?? name)
      }
      const name = nameBySchema.get(JSON.stringify(object))
      return name === undefined ? object : reference("schemas", name)
    })
  const own = Object.entries(components.schemas).map(([name, it]) => [
    shorter.get(name) ?? name,
    referring(it)
  ])
  const shortened = referring(paths) as Paths
  const received = webhooks === undefined ? {} : { webhooks: referring(webhooks) as Paths }
  const parametrized = Object.values({ ...shortened, ...received.webhooks }).flatMap((methods) =>
    Object.values(methods)
  )
  const operations = Object.values(shortened).flatMap((methods) => Object.values(methods))
  const responses = operations.flatMap((operation) => Object.values(operation.responses))
  const headers = shared("headers", responses.flatMap(headersOf))
  return {
    ...others,
    paths: shortened,
    ...received,
    components: {
      ...components,
      schemas: { ...Object.fromEntries(own), ...schemas },
      headers: { ...components.headers, ...headers },
      parameters: shared("parameters", parametrized.flatMap(parametersOf)),
      responses: shared("responses", operations.flatMap(responsesOf))
    }
  }
}
