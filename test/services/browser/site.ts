import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Browser, Page } from "playwright-core"
import { freePort } from "../../../layers/postgres/embedded/server.ts"
import { poll } from "../../../layers/time/poll.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { signMessage, walletOf } from "../../support/actors/owner.ts"
import { TestClient } from "../../support/TestClient.ts"
import { started } from "../../wire/server.ts"
import { clientOver, connectionTo } from "../uploadClient.ts"
import { browser, type Tab, tabOf, violations } from "./browser.ts"

/** A Post for sale. The whole text has a word that its teaser has not. */
const FOR_SALE = {
  title: "Eleven lighthouses",
  freeContentMarkdown: "The teaser.",
  paidContentMarkdown: "The rest of the story.",
  enablePaywall: true,
  priceXno: "0.25"
}

/** A browser beside the service, whose pages and redirects name its own address. Payments go over the development ledger. */
export const site = (name: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const port = yield* freePort
    const origin = `http://127.0.0.1:${port}`
    const program = yield* started(name, {}, { PORT: String(port), PUBLIC_BASE_URL: origin, ...environment })
    const client = clientOver(origin)
    const overWire = Effect.provideService(TestClient, client)
    const author = yield* overWire(commenterOf(1))
    const free = yield* overWire(author.published({ title: "On pennies" }))
    const sold = yield* overWire(author.published(FOR_SALE))
    const sql = yield* connectionTo(program.databaseUrl)
    return {
      ...program,
      origin,
      client,
      overWire,
      author,
      sql,
      opened: yield* browser,
      free: { id: free.id as string, path: `/@${author.handle}/${free.slug}` },
      sold: { id: sold.id as string, path: `/@${author.handle}/${sold.slug}` }
    }
  })
export type Site = Effect.Success<ReturnType<typeof site>>

/** Opens a tab of its own browser window, which has cookies of its own. */
export const windowOf = (
  { opened, origin }: { readonly opened: Browser; readonly origin: string },
  options: Parameters<Browser["newContext"]>[0] = {}
) => tabOf(opened, { baseURL: origin, ...options })

/** Opens another tab of the same window. */
export const tabBeside = ({ page }: Tab) =>
  Effect.promise(async (): Promise<Tab> => {
    const beside = await page.context().newPage()
    const errors: Array<string> = []
    beside.on("console", (message) => message.type() === "error" && errors.push(message.text()))
    beside.on("pageerror", (error) => errors.push(String(error)))
    return { page: beside, errors }
  })

/** Acts in a browser. */
export const act = <A>(run: () => Promise<A>) => Effect.promise(run)

/** The browser tells of every page that refuses a form. */
const REFUSED = /^Failed to load resource: the server responded with a status of (401|403|409)/

/** Fields with letters of less than 16 px, into which phones zoom. */
const SMALL_FIELDS = `[...document.querySelectorAll("input, select, textarea")]
  .filter((it) => !["hidden", "checkbox", "radio"].includes(it.type))
  .filter((it) => Number.parseFloat(getComputedStyle(it).fontSize) < 16)
  .map((it) => it.name || it.id)`

/** Asserts that a page has nothing that axe finds, is no wider than its window, and that nothing went wrong in it. */
export const clean = (tab: Tab, name: string) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* violations(tab), [], name)
    const beyond = yield* act(() =>
      tab.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
    )
    assert.isAtMost(beyond, 0, name)
    const small = yield* act(() => tab.page.evaluate<ReadonlyArray<string>>(SMALL_FIELDS))
    assert.deepStrictEqual(small, [], name)
    const errors = tab.errors.filter((it) => !REFUSED.test(it))
    assert.deepStrictEqual(errors, [], name)
  })

/** Returns the path and query of the page that a tab shows. */
export const pathOf = (page: Page) => {
  const { hash, pathname, search } = new URL(page.url())
  return `${pathname}${search}${hash}`
}

const signByWallet = async (page: Page, number: number) => {
  const wallet = walletOf(number)
  await page.getByLabel("Address of your Nano wallet").fill(wallet.account)
  await page.getByRole("button", { name: "Sign in with a wallet" }).click()
  const message = await page.locator("pre").textContent()
  await page.getByLabel("Signature").fill(signMessage(wallet, message ?? ""))
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.waitForURL((url) => url.pathname !== "/sign-in")
}

/** Signs in on the page that asks for it, as `signInAs` does. */
export const signInHere = (page: Page, number: number) => act(() => signByWallet(page, number))

/** Signs in as the owner with the wallet of this number: pastes its signature of the text on the page. */
export const signInAs = (page: Page, number: number, back = "/") =>
  act(async () => {
    // A reader who is signed in is not asked again.
    await page.context().clearCookies({ name: /(^|-)pp$/ })
    await page.goto(`/sign-in?back=${encodeURIComponent(back)}`)
    await signByWallet(page, number)
  })

/** A mail as a program takes it from the outbox: its headers, and its two texts. */
interface ReceivedMail {
  readonly head: string
  readonly text: string
  readonly html: string
}

const bodyOf = (part: string) => {
  const body = part.slice(part.indexOf("\r\n\r\n") + 4)
  if (/^content-transfer-encoding: base64/im.test(part)) return Buffer.from(body, "base64").toString()
  if (!/^content-transfer-encoding: quoted-printable/im.test(part)) return body
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, "latin1").toString()
}

const mailOf = (eml: string): ReceivedMail => {
  const [, boundary = "none"] = /boundary="([^"]+)"/.exec(eml) ?? []
  const [head = "", ...parts] = eml.split(`--${boundary}`)
  const partOf = (type: string) => bodyOf(parts.find((part) => part.includes(`Content-Type: ${type}`)) ?? "")
  return { head, text: partOf("text/plain"), html: partOf("text/html") }
}

/** Waits for a mail to an address, and returns what is found last in all of them. */
const mailed = <A>(
  { dataDirectory }: Site,
  address: string,
  found: (mail: ReceivedMail) => ReadonlyArray<A>
) =>
  poll(
    Effect.sync(() => {
      const outbox = join(dataDirectory, "outbox")
      const all = readdirSync(outbox)
        .filter((name) => name.endsWith(".eml"))
        .toSorted()
        .map((name) => mailOf(readFileSync(join(outbox, name), "utf8")))
        .filter(({ head }) => head.includes(`To: ${address}`))
        .flatMap(found)
      return Option.fromNullishOr(all.at(-1))
    }),
    60_000
  ).pipe(Effect.map(Option.getOrElse(() => assert.fail(`no mail to ${address}`))), onRealClock)

/** Waits for a mail to an address whose text has these words. */
export const receivedMail = (press: Site, address: string, words: RegExp) =>
  mailed(press, address, (mail) => (words.test(mail.text) ? [mail] : []))

/** Waits for the code of the newest mail to an address. */
export const mailedCode = (press: Site, address: string, than = "") =>
  mailed(press, address, ({ text }) => {
    const code = /^\s*(\d{6})\s*$/m.exec(text)?.[1]
    return code === undefined || code === than ? [] : [code]
  })

/** Waits for a mail to an address that has these words, and returns its text. */
export const mailedText = (press: Site, address: string, words: RegExp) =>
  Effect.map(receivedMail(press, address, words), ({ text }) => text)
