import { Context, Option } from "effect"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import type { Operation, Paths } from "./openapi.ts"

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>

/** A group of operations, as the document names it. */
export interface Tag {
  readonly name: string
  readonly description?: string
}

/** A whole document, or that of one tag. */
export interface Document {
  readonly info: Readonly<Record<string, unknown>>
  readonly tags: ReadonlyArray<Tag>
  readonly paths: Paths
  readonly webhooks?: Paths
  readonly components: Components
}

/** Returns the name of a tag in paths: `Own Posts` is `own-posts`. */
export const slugOfTag = ({ name }: Tag): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

/** Returns the tags of a contract: the titles and descriptions of its groups. */
export const tagsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Tag> => {
  const tags: Array<Tag> = []
  HttpApi.reflect(api, {
    onGroup: ({ group: { annotations, identifier } }) => {
      const name = Option.getOrElse(Context.getOption(annotations, OpenApi.Title), () => identifier)
      const description = Context.getOption(annotations, OpenApi.Description)
      tags.push(Option.isNone(description) ? { name } : { name, description: description.value })
    },
    onEndpoint: () => {}
  })
  return tags
}

/** Returns the operations of a document with their methods and paths. */
export const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  )

/** Collects the components to which a value refers, and those to which they refer. */
const collect = (value: unknown, components: Components, used: Map<string, Map<string, object>>): void => {
  if (typeof value !== "object" || value === null) return
  for (const [key, it] of Object.entries(value)) {
    const [, kind = "", name = ""] =
      key === "$ref" && typeof it === "string" ? (/^#\/components\/(\w+)\/(.+)$/.exec(it) ?? []) : []
    const component = components[kind]?.[name]
    const known = used.get(kind) ?? new Map<string, object>()
    if (component !== undefined && !known.has(name)) {
      used.set(kind, known.set(name, component))
      collect(component, components, used)
    }
    collect(it, components, used)
  }
}

const isOfTag = ({ tags }: Operation, { name }: Tag) => tags.includes(name)

/** Returns the document of one tag: its operations, and all that they refer to. */
export const documentOfTag = <A extends Document>(document: A, tag: Tag) => {
  const { components, info, paths, webhooks = {}, ...others } = document
  const ofTag = (all: Paths) =>
    Object.entries(all).flatMap(([path, methods]) => {
      const kept = Object.entries(methods).filter(([, operation]) => isOfTag(operation, tag))
      return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const]
    })
  const own = ofTag(paths)
  const ownPaths: Paths = Object.fromEntries(own)
  const received = ofTag(webhooks)
  const ownWebhooks: Paths = Object.fromEntries(received)
  const used = new Map<string, Map<string, object>>()
  collect([ownPaths, ownWebhooks], components, used)
  const schemes = new Set(
    own.flatMap(([, methods]) =>
      Object.values(methods).flatMap(({ security }) => security.flatMap(Object.keys))
    )
  )
  const securitySchemes = Object.entries(components["securitySchemes"] ?? {}).filter(([name]) =>
    schemes.has(name)
  )
  return {
    ...others,
    info: {
      ...info,
      title: `${String(info["title"])}: ${tag.name}`,
      description: tag.description ?? tag.name
    },
    tags: [tag],
    paths: ownPaths,
    ...(received.length === 0 ? {} : { webhooks: ownWebhooks }),
    components: {
      ...Object.fromEntries([...used].map(([kind, named]) => [kind, Object.fromEntries(named)])),
      ...(securitySchemes.length === 0 ? {} : { securitySchemes: Object.fromEntries(securitySchemes) })
    }
  }
}
