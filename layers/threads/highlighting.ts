import { createRequire } from "node:module"
import { createContext, Script } from "node:vm"
import type { Highlight } from "../../src/publishing/content/html/pageText.ts"

type Nodes = NonNullable<ReturnType<Highlight>>

interface Highlighter {
  readonly registered: (language: string) => boolean
  readonly registerAlias: (aliases: Readonly<Record<string, ReadonlyArray<string>>>) => void
  readonly highlight: (language: string, code: string) => { readonly children: Nodes }
}

/** The part of `lowlight` that is used here. Its own types bring those of browsers, which the service does not have. */
interface Lowlight {
  readonly common: Readonly<Record<string, object>>
  readonly createLowlight: (grammars: object) => Highlighter
}

const load = createRequire(import.meta.url)

/** The languages that have colours. Each has other names, too: `ts`, `sh`, `html`. */
export const LANGUAGES = [
  "bash",
  "c",
  "cpp",
  "csharp",
  "css",
  "diff",
  "go",
  "java",
  "javascript",
  "json",
  "kotlin",
  "markdown",
  "php",
  "python",
  "ruby",
  "rust",
  "sql",
  "typescript",
  "xml",
  "yaml"
] as const

let loaded: Highlighter | undefined

/**
 * Returns the highlighter. The first block of code loads it, because its grammars take 20 MB of each thread. They are
 * compiled with it: the end of a budget must not come upon one that is half compiled.
 */
const highlighter = (): Highlighter => {
  if (loaded === undefined) {
    const { common, createLowlight } = load("lowlight") as Lowlight
    loaded = createLowlight(Object.fromEntries(LANGUAGES.map((name) => [name, common[name]])))
    loaded.registerAlias({ bash: ["shell", "console"] })
    for (const language of LANGUAGES) loaded.highlight(language, "")
  }
  return loaded
}

/** Processor time in milliseconds that a block of code may take, and that all blocks of a text may take together. */
interface Budget {
  readonly blockMillis: number
  readonly textMillis: number
}

const BUDGET: Budget = { blockMillis: 50, textMillis: 200 }

const STOPPED = Symbol("stopped")

const TIMEOUT = "ERR_SCRIPT_EXECUTION_TIMEOUT"

const call = new Script("call()")
const context = createContext({ call: undefined })

/**
 * Runs a function, and stops it after some milliseconds, even within a regular expression. Nothing else of Node does that
 * inside a thread. Returns undefined if the function throws.
 */
const within = (timeout: number, work: () => Nodes): Nodes | typeof STOPPED | undefined => {
  context["call"] = work
  try {
    return call.runInContext(context, { timeout }) as Nodes
  } catch (error) {
    // The error of a stop belongs to the context, so it is no `Error` of this one.
    return (error as { readonly code?: unknown } | null)?.code === TIMEOUT ? STOPPED : undefined
  }
}

const processorMillis = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/**
 * Makes the function that colours the code of one text. Grammars are made for what people write: 20 kB of another text
 * can take them a minute. A block that takes too long has no colours, and neither have the blocks after the budget of
 * the text. The same holds for a block that a grammar fails to read.
 */
export const makeHighlight = (budget: Budget = BUDGET): Highlight => {
  let textMillis = budget.textMillis
  return (code, language) => {
    const lowlight = highlighter()
    if (!lowlight.registered(language)) return undefined
    let blockMillis = budget.blockMillis
    // A stop measures elapsed time. A busy machine gives a thread only a part of the processor in it.
    for (;;) {
      const timeout = Math.floor(Math.min(blockMillis, textMillis))
      if (timeout < 1) return undefined
      const before = processorMillis()
      const nodes = within(timeout, () => lowlight.highlight(language, code).children)
      const used = processorMillis() - before
      textMillis -= used
      if (nodes !== STOPPED) return nodes
      if (used > timeout / 2) return undefined
      blockMillis -= Math.max(used, 1)
    }
  }
}
