import { Stream } from "effect"

/** A document of JSON, or a part of it: a value, a list that is read piece by piece, or an object of such parts. */
export type JsonPart =
  | { readonly value: unknown }
  | { readonly pages: Stream.Stream<ReadonlyArray<unknown>> }
  | { readonly members: Readonly<Record<string, JsonPart>> }

const one = (text: string) => Stream.make(text)

/** Returns the text of a list, with an item on each line. Only one page of it is in memory. */
const listText = (pages: Stream.Stream<ReadonlyArray<unknown>>): Stream.Stream<string> => {
  let isFirst = true
  const lines = Stream.map(pages, (items) => {
    const text = items.map((item) => `\n${JSON.stringify(item)}`).join(",")
    const separator = isFirst ? "" : ","
    isFirst = false
    return `${separator}${text}`
  })
  return Stream.suspend(() => {
    isFirst = true
    return Stream.concat(one("["), Stream.concat(lines, one("]")))
  })
}

/** Returns a document as text. */
export const jsonText = (part: JsonPart): Stream.Stream<string> => {
  if ("value" in part) return one(JSON.stringify(part.value))
  if ("pages" in part) return listText(Stream.filter(part.pages, (items) => items.length > 0))
  const members = Stream.flatMap(
    Stream.fromIterable(Object.entries(part.members).entries()),
    ([place, [name, member]]) =>
      Stream.concat(one(`${place === 0 ? "" : ",\n"}${JSON.stringify(name)}: `), jsonText(member))
  )
  return Stream.concat(one("{"), Stream.concat(members, one("}")))
}
