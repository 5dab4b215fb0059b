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

/** Asserts that a document is valid HTML. Returns it as a tree. */
export const validated = (text: string, name = "a page") => {
  const { results } = validator.validateStringSync(text)
  const messages = results.flatMap((it) =>
    it.messages.map(({ line, message, ruleId }) => `${ruleId} ${line}: ${message}`)
  )
  assert.deepStrictEqual(messages, [], name)
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
