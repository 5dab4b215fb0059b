import { join } from "node:path"
import { Effect, FileSystem, Result } from "effect"
import { SECTION_CHARACTERS_MAX } from "../../schemas/publishing/posts/PostDraft.ts"
import type { SitePage } from "../../src/platform/ports/Settings.ts"
import { parse, type Part } from "../../src/publishing/content/parser/parse.ts"
import { TooComplex } from "../../src/publishing/content/parser/parserLimits.ts"
import { frontMatterIn } from "../../src/publishing/content/reading/frontMatter.ts"
import { remedyOf } from "../../src/publishing/content/reading/remedies.ts"
import { titledTextOf } from "../../src/publishing/content/reading/titledText.ts"
import { unsupportedIn } from "../../src/publishing/content/reading/unsupported.ts"

/** Pages that a footer can link. */
const PAGES_MAX = 20

const TITLE_MAX = 80

const TOO_LONG = `line 1: The file is longer than ${SECTION_CHARACTERS_MAX} characters. Divide it into several pages`

/** Maximum bytes of UTF-8 for a number of characters. */
const BYTES_MAX = 4 * SECTION_CHARACTERS_MAX

/** A name that an address has without escapes. */
const NAME = /^([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/

/** Pages that readers look for first, in this order. The others follow by their names. */
const FIRST = ["imprint", "terms", "privacy", "contact"]

const placeOf = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)

const byPlace = (one: SitePage, other: SitePage) =>
  placeOf(one.name) - placeOf(other.name) || (one.name < other.name ? -1 : 1)

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decoded = (bytes: Uint8Array) => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

const parsed = (source: string): ReadonlyArray<Part> | undefined => {
  try {
    return parse(source)
  } catch (error) {
    if (error instanceof TooComplex) return undefined
    throw error
  }
}

/** Reads the text of a page. Fails with the line and the reason. */
const readText = (name: string, bytes: Uint8Array): Result.Result<SitePage, string> => {
  const refused = (line: number, reason: string) => Result.fail(`line ${line}: ${reason}`)
  const text = decoded(bytes)
  if (text === undefined) return refused(1, "The file is not UTF-8. Save it again as UTF-8")
  if (text.length > SECTION_CHARACTERS_MAX) return Result.fail(TOO_LONG)
  const frontMatter = frontMatterIn(text)
  if (frontMatter !== undefined)
    return refused(
      frontMatter.line,
      `Remove the front matter, up to line ${frontMatter.lastLine}: it would be shown as text`
    )
  const parts = parsed(text)
  if (parts === undefined)
    return refused(1, "Simplify the text: its brackets, lists or quotations nest too deeply")
  const [unsupported] = unsupportedIn(parts)
  if (unsupported !== undefined) return refused(unsupported.line, remedyOf(unsupported))
  const titled = titledTextOf(text, parts)
  if (titled === undefined)
    return refused(1, "Begin the page with a heading such as # Imprint, which is its title")
  const { line, markdown, title } = titled
  if (title === "") return refused(line, "Write words into the first heading, which is the title of the page")
  if (title.length > TITLE_MAX)
    return refused(line, `Shorten the first heading to ${TITLE_MAX} characters: it is the title of the page`)
  return Result.succeed({ name, title, markdown })
}

const readPage = Effect.fnUntraced(function* (folder: string, file: string) {
  const fs = yield* FileSystem.FileSystem
  const [, name] = NAME.exec(file) ?? []
  const path = join(folder, file)
  const info = yield* Effect.option(fs.stat(path))
  if (name === undefined || info._tag === "None" || info.value.type !== "File")
    return Result.fail(
      `${file}: Only files such as imprint.md or house-rules.md are pages, with small letters, digits and hyphens. Keep others elsewhere`
    )
  if (info.value.size > BYTES_MAX) return Result.fail(`${file}, ${TOO_LONG}`)
  const bytes = yield* Effect.option(fs.readFile(path))
  if (bytes._tag === "None") return Result.fail(`${file}: The file cannot be read. Check its permissions`)
  return Result.mapError(readText(name, bytes.value), (problem) => `${file}, ${problem}`)
})

/** Reads the pages of a folder, in the order of the footer. Fails with a sentence for each file that is not a page. */
export const readSitePages = Effect.fnUntraced(function* (
  folder: string
): Effect.fn.Return<ReadonlyArray<SitePage>, ReadonlyArray<string>, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  const entries = yield* Effect.mapError(fs.readDirectory(folder), () => [
    `${folder} is not a folder that can be read. Check its path and permissions`
  ])
  // Hidden files belong to programs: editors, and mounts of containers.
  const files = entries.filter((it) => !it.startsWith(".")).toSorted()
  if (files.length > PAGES_MAX)
    return yield* Effect.fail([
      `${folder} has ${files.length} files. Keep at most ${PAGES_MAX}: the footer links each`
    ])
  const pages = yield* Effect.forEach(files, (file) => readPage(folder, file))
  const problems = pages.flatMap((it) => (Result.isFailure(it) ? [it.failure] : []))
  if (problems.length > 0) return yield* Effect.fail(problems)
  return pages.flatMap((it) => (Result.isSuccess(it) ? [it.success] : [])).toSorted(byPlace)
})
