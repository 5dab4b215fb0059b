import { classifyCharacter } from "micromark-util-classify-character"
import type {
  Code,
  Construct,
  Event,
  Extension,
  Point,
  Resolver,
  Token,
  Tokenizer
} from "micromark-util-types"
import { type DelimiterRun, pair, type Pairing } from "./pairDelimiters.ts"

declare module "micromark-util-types" {
  interface TokenTypeMap {
    delimiterRun: "delimiterRun"
    delimiterSequence: "delimiterSequence"
    strikethrough: "strikethrough"
    underline: "underline"
  }
}

const ASTERISK = 42
const PLUS = 43
const UNDERSCORE = 95
const TILDE = 126

/** Maximum depth of nested emphasis; deeper marks stay text. People stop at five. */
const SPANS_MAX = 100

const WHITE_SPACE = 1
const PUNCTUATION = 2

/** Opens and closes `*` and `_` as CommonMark does, and ignores a `~` beside them as GFM does. */
const tokenizeEmphasis: Tokenizer = function (effects, ok) {
  const { previous } = this
  const before = classifyCharacter(previous)
  let marker: Code = null
  const within = (code: Code) => {
    if (code === marker) {
      effects.consume(code)
      return within
    }
    const run = effects.exit("delimiterRun")
    const after = classifyCharacter(code)
    const open = after !== WHITE_SPACE && (after !== PUNCTUATION || before !== undefined || code === TILDE)
    const close =
      before !== WHITE_SPACE && (before !== PUNCTUATION || after !== undefined || previous === TILDE)
    run._open = marker === ASTERISK ? open : open && (before !== undefined || !close)
    run._close = marker === ASTERISK ? close : close && (after !== undefined || !open)
    return ok(code)
  }
  return (code) => {
    marker = code
    effects.enter("delimiterRun")
    return within(code)
  }
}

/**
 * Runs of two: `~~` of a strikethrough, `++` of an underline. GFM also strikes out between single tildes, which are the
 * ranges of a text here, as in `80~100`.
 */
const tokenizePair: Tokenizer = function (effects, ok, nok) {
  const { previous } = this
  const before = classifyCharacter(previous)
  const isEscaped = this.events.at(-1)?.[1].type === "characterEscape"
  let marker: Code = null
  let size = 0
  const within = (code: Code) => {
    if (code === marker) {
      if (++size > 2) return nok(code)
      effects.consume(code)
      return within
    }
    if (size < 2) return nok(code)
    const run = effects.exit("delimiterRun")
    const after = classifyCharacter(code)
    run._open = after === undefined || (after === PUNCTUATION && before !== undefined)
    run._close = before === undefined || (before === PUNCTUATION && after !== undefined)
    return ok(code)
  }
  return (code) => {
    // The rest of a too long run.
    if (code === previous && !isEscaped) return nok(code)
    marker = code
    effects.enter("delimiterRun")
    return within(code)
  }
}

const spanOf = (marker: number, size: number) => {
  if (marker === TILDE) return "strikethrough"
  if (marker === PLUS) return "underline"
  return size === 2 ? "strong" : "emphasis"
}

/** Moves a point within a run by characters; a run never spans lines. */
const moved = (point: Point, by: number): Point => ({
  ...point,
  column: point.column + by,
  offset: point.offset + by,
  _bufferIndex: point._bufferIndex + by
})

const isRun = ([kind, token]: Event) => kind === "enter" && token.type === "delimiterRun"

/** Writes the spans of the runs of one text into its events, in one pass. */
const resolveRuns: Resolver = (events, context) => {
  if (!events.some(isRun)) return events
  const runs: Array<DelimiterRun> = []
  for (const event of events) {
    if (!isRun(event)) continue
    const [, { _close, _open, end, start }] = event
    runs.push({
      marker: context.sliceSerialize({ start, end: moved(start, 1) }).charCodeAt(0),
      size: end.offset - start.offset,
      canOpen: _open === true,
      canClose: _close === true
    })
  }
  const pairings = pair(runs)
  const resolved: Array<Event> = []
  /** The open spans, without those that nest too deeply. */
  const open: Array<Token | undefined> = []

  const sequence = (start: Point, end: Point): Token => ({ type: "delimiterSequence", start, end })
  const push = (kind: "enter" | "exit", token: Token) => resolved.push([kind, token, context])

  const write = (run: Token, { marker, size }: DelimiterRun, { closes, opens }: Pairing) => {
    let used = 0
    const next = (length: number) => {
      const start = used === 0 ? run.start : moved(run.start, used)
      used += length
      return sequence(start, used === size ? run.end : moved(run.start, used))
    }
    const literal = (token: Token) => {
      token.type = "data"
      push("enter", token)
      push("exit", token)
    }
    for (const length of closes) {
      const token = next(length)
      const span = open.pop()
      if (span === undefined) literal(token)
      else {
        push("enter", token)
        push("exit", token)
        span.end = token.end
        push("exit", span)
      }
    }
    const left = size - closes.reduce(sum, 0) - opens.reduce(sum, 0)
    if (left > 0) literal(next(left))
    for (const length of opens.toReversed()) {
      const token = next(length)
      if (open.length >= SPANS_MAX) {
        open.push(undefined)
        literal(token)
        continue
      }
      const span: Token = { type: spanOf(marker, length), start: token.start, end: token.end }
      open.push(span)
      push("enter", span)
      push("enter", token)
      push("exit", token)
    }
  }

  let at = 0
  for (const event of events) {
    if (event[1].type !== "delimiterRun") resolved.push(event)
    else if (event[0] === "enter") {
      const run = runs[at]
      const pairing = pairings[at++]
      if (run !== undefined && pairing !== undefined) write(event[1], run, pairing)
    }
  }
  // The parser keeps a reference to this array.
  events.length = 0
  for (const event of resolved) events.push(event)
  return events
}

const sum = (a: number, b: number) => a + b

const construct = (tokenize: Tokenizer): Construct => ({
  name: "delimiterRun",
  tokenize,
  resolveAll: resolveRuns
})

const emphasis = construct(tokenizeEmphasis)
const wholePair = construct(tokenizePair)

/**
 * Reads emphasis, strong emphasis, `~~strikethrough~~` and `++underline++` together: runs of `*`, `_`, `~` and `+` share the
 * stack of CommonMark's appendix. Takes linear time, where the parser's own constructs search and copy the whole text
 * for each run.
 */
export const delimiterRuns: Extension = {
  disable: { null: ["attention"] },
  text: {
    [ASTERISK]: emphasis,
    [UNDERSCORE]: emphasis,
    [TILDE]: wholePair,
    [PLUS]: wholePair
  },
  insideSpan: { null: [emphasis] }
}
