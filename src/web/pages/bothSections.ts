import { Effect } from "effect"
import { REST, withMark } from "../../publishing/content/html/restMark.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"

/** The sections of a post as Markdown, and the address of its page. */
interface Sections {
  readonly free: string | null
  readonly paid: string | null
  readonly url: string
}

/** Makes the function that renders both sections of a post, for pages that show the paid one below the free one. */
export const makeBothSections = Effect.map(SectionReader, (reader) =>
  Effect.fnUntraced(function* (key: string, { free, paid, url }: Sections) {
    const rendered = (source: string | null) => reader.pageText(key, { source: source ?? "", url })
    const first = yield* rendered(free)
    if (paid === null) return { free: first, rest: null, paid: null }
    const rest = yield* rendered(paid)
    // Read after the free part, so that no two headings or footnotes of the page have the same name.
    const whole = yield* rendered(withMark(free, paid))
    return { free: first, rest, paid: whole.html.split(REST)[1] ?? rest.html }
  })
)
