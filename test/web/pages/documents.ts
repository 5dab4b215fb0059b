import { hash } from "node:crypto"
import { assert } from "@effect/vitest"
import { HtmlValidate, type ResolvedConfig, StaticConfigLoader } from "html-validate"
import { parse } from "parse5"

/** Resolves the rules once. Otherwise each page resolves them again, which takes longer than most pages. */
class OneConfig extends StaticConfigLoader {
  private resolved: ResolvedConfig | Promise<ResolvedConfig> | undefined

  override getConfigFor(handle: string) {
    return (this.resolved ??= super.getConfigFor(handle))
  }
}

const loader = new OneConfig({
  extends: ["html-validate:recommended", "html-validate:document"],
  rules: {
    // The templates are formatted; readers do not see it.
    "no-trailing-whitespace": "off",
    "void-style": "off",
    "doctype-style": "off",
    // The files are of the same origin, and their names have a digest of their content.
    "require-sri": "off",
    // Titles are those of authors.
    "long-title": "off"
  }
})
const validator = new HtmlValidate(loader)

/** Ids, addresses and secrets, and long words, which have no digit. */
const TOKENS = /[\w-]{22,}/g

/** Digests of the valid documents so far, whose tokens are numbered. */
const valid = new Set<string>()

/** Returns the digest of a document. It is that of an earlier one that has other tokens in the same places. */
const digestOf = (text: string) => {
  const numbers = new Map<string, string>()
  const numbered = text.replaceAll(TOKENS, (token) => {
    if (!/\d/.test(token)) return token
    const number = numbers.get(token) ?? `token-${numbers.size}`
    numbers.set(token, number)
    return number
  })
  return hash("sha256", numbered)
}

/** Asserts that a document is valid HTML. Returns it as a tree. */
export const validated = (text: string, name = "a page") => {
  const digest = digestOf(text)
  if (!valid.has(digest)) {
    const { results } = validator.validateStringSync(text)
    const messages = results.flatMap((it) =>
      it.messages.map(({ line, message, ruleId }) => `${ruleId} ${line}: ${message}`)
    )
    assert.deepStrictEqual(messages, [], name)
    valid.add(digest)
  }
  return treeOf(text)
}

export interface Found {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
}

const textOf = (node: any): string =>
  node.nodeName === "#text" ? node.value : (node.childNodes ?? []).map(textOf).join("")

/** Returns the elements of a document in their order. */
const treeOf = (text: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const visit = (node: any) => {
    if (node.tagName !== undefined) {
      const attributes = Object.fromEntries(node.attrs.map((it: any) => [it.name, it.value]))
      found.push({ tag: node.tagName, attributes, text: textOf(node) })
    }
    for (const child of node.childNodes ?? []) visit(child)
  }
  visit(parse(text))
  return found
}

/** Returns the titles of the Posts that a page in English names to read next. */
export const titlesOf = (page: string) =>
  [...page.matchAll(/hreflang="en">([^<]*)</g)].map(([, title]) => title)
