/** The comment that begins a block of the block editor. */
export interface BlockComment {
  readonly at: number
  readonly name: string
  /** Its values, as they are written. */
  readonly given: string
  readonly isSelfClosing: boolean
}

const NAME = /^<!--\s{1,10}wp:([a-z][\w/-]{0,100})/i

/** Yields the comments that begin blocks, also those within another comment. Takes linear time. */
export function* blockComments(content: string): Generator<BlockComment> {
  let end = -1
  for (let at = content.indexOf("<!--"); at >= 0;) {
    const next = content.indexOf("<!--", at + 4)
    if (end < at) end = content.indexOf("-->", at)
    // A comment without an end begins no block.
    if (end < 0) return
    const match = NAME.exec(content.slice(at, at + 120))
    if (match?.[1] !== undefined) {
      const given = content.slice(at + match[0].length, next >= 0 && next < end ? next : end)
      yield { at, name: match[1], given, isSelfClosing: given.trimEnd().endsWith("/") }
    }
    at = next
  }
}
