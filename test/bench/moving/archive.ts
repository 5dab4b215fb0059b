import { createWriteStream } from "node:fs"
import { finished } from "node:stream/promises"
import { Effect, Stream } from "effect"
import { Zip } from "effect/encoding"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { randomFrom, wordOf, WORDS } from "../seed/words.ts"

/** The size of a file that an author brings. */
export interface ArchiveSize {
  readonly posts: number
  /** Pictures, each of another post. */
  readonly pictures: number
  /** Characters of a post. */
  readonly characters: number
}

const BEGIN = Date.UTC(2016, 0, 1)
const HOUR = 3_600_000
/** Pixels of a side of a picture: noise, so about 64 kB. */
const SIDE = 128
const PARAGRAPH_WORDS = 60

/** Returns a text with headings, lists, emphasis and links to other posts, as people write it. */
const textOf = (n: number, { characters, pictures, posts }: ArchiveSize) => {
  const random = randomFrom(n)
  const word = () => wordOf(Math.floor(WORDS ** random()) - 1)
  const words = (count: number) => Array.from({ length: count }, word).join(" ")
  const other = () => `/posts/post-${Math.floor(random() * posts)}`
  const blocks = [`${words(20)}, [${words(2)}](${other()}).`]
  if (n < pictures) blocks.push(`![${words(3)}](/images/${n}.png)`)
  let length = 0
  while (length < characters) {
    const block =
      length % 7 === 0
        ? `## ${words(4)}\n\n- ${words(9)}\n- **${words(2)}** ${words(7)}`
        : `${words(PARAGRAPH_WORDS)} *${words(2)}* [${words(2)}](https://example.com/${word()}).`
    blocks.push(block)
    length += block.length
  }
  const date = new Date(BEGIN + n * HOUR).toISOString()
  return `---\ntitle: "${words(5)}"\ndate: ${date}\nslug: post-${n}\ndescription: "${words(12)}"\n---\n\n${blocks.join("\n\n")}\n`
}

/** Writes a ZIP of Markdown with pictures into a file. */
export const writeArchive = Effect.fnUntraced(function* (path: string, size: ArchiveSize) {
  const mtime = new Date(BEGIN)
  const text = new TextEncoder()
  const posts = Stream.map(Stream.range(0, size.posts - 1), (n) =>
    Zip.file(`posts/post-${n}.md`, text.encode(textOf(n, size)), { mtime })
  )
  const pictures = Stream.map(Stream.range(0, size.pictures - 1), (n) =>
    Zip.file(`images/${n}.png`, pngOf({ width: SIDE, height: SIDE, seed: n + 1 }), { mtime, method: "Store" })
  )
  const file = createWriteStream(path)
  yield* Stream.concat(posts, pictures).pipe(
    Stream.pipeThroughChannel(Zip.encode()),
    Stream.runForEach((part) => Effect.promise(() => new Promise((done) => file.write(part, done))))
  )
  yield* Effect.promise(() => {
    file.end()
    return finished(file)
  })
})
