import axe from "axe-core"
import { Effect } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { soak } from "../../support/soak.ts"

const executablePath = process.env["SERVICES_CHROMIUM"] ?? "/usr/bin/chromium-headless-shell"

let launched: Promise<Browser> | undefined

/** Starts Debian's Chromium once for this worker. It runs without its sandbox, which root may not have. */
const launch = async () => {
  if (launched === undefined || !(await launched).isConnected())
    launched = chromium.launch({ executablePath, args: ["--no-sandbox"] })
  return launched
}

/** The browser of this worker. A test opens windows of its own, which end with the scope. */
export const browser = Effect.acquireRelease(Effect.promise(launch), (opened) =>
  Effect.promise(() => Promise.all(opened.contexts().map((it) => it.close())))
)

/** The colours and widths for which pages are analyzed. The short form has each of both once. */
export const APPEARANCES = (["light", "dark"] as const)
  .flatMap((colorScheme, scheme) =>
    [1280, 320].map((width, size) => ({ colorScheme, width, isShort: scheme === size }))
  )
  .filter(({ isShort }) => soak(0, 1) === 1 || isShort)

/** A tab, and the errors that the browser told of it. */
export interface Tab {
  readonly page: Page
  readonly errors: Array<string>
}

export const tabOf = (opened: Browser, options: Parameters<Browser["newContext"]>[0]) =>
  Effect.promise(async (): Promise<Tab> => {
    const page = await (await opened.newContext(options)).newPage()
    const errors: Array<string> = []
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()))
    page.on("pageerror", (error) => errors.push(String(error)))
    return { page, errors }
  })

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

const runOf = (rules: ReadonlyArray<string>) =>
  `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + " " + nodes[0].html))`

/** Returns what axe finds on a page. It runs through the debugger, so that the page keeps its strict policy. */
export const violations = ({ page }: Tab, rules: ReadonlyArray<string> = RULES) =>
  Effect.promise(async (): Promise<ReadonlyArray<string>> => {
    const session = await page.context().newCDPSession(page)
    await session.send("Runtime.evaluate", { expression: axe.source })
    const options = { expression: runOf(rules), awaitPromise: true, returnByValue: true }
    const { result } = await session.send("Runtime.evaluate", options)
    await session.detach()
    return result.value
  })
