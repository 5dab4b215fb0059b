import { Option, Schema } from "effect"
import { PostPatch } from "../../../../schemas/publishing/posts/PostDraft.ts"

type Members = Readonly<Record<string, unknown>>

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the arguments of a tool under the names of the API. Their schema has refused all others. */
export const payloadOf = (fields: Members): PostPatch =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [camel(name), value])) as PostPatch

const decode = Schema.decodeUnknownOption(PostPatch)

/** Returns the arguments of a tool as the service keeps them: without the space around a line, for instance. */
export const keptOf = (fields: Members): PostPatch => {
  const payload = payloadOf(fields)
  return Option.getOrElse(decode(payload), () => payload)
}
