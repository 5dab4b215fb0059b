import { html } from "../../../platform/pages/html.ts"

/**
 * Makes the function from a count to its words. They have a form for each category of plurals in the language; `#` stands for
 * the count, as the language writes it.
 */
export type Counting<Category extends Intl.LDMLPluralRule> = (
  forms: Readonly<Record<Category, string>>
) => (count: number) => string

/** Makes a sentence with parts that are HTML. It is `html` by a name that no formatter breaks into lines, which are spaces in CJK. */
export const phrase: typeof html = html

/** Returns how words are counted in a language. A category without a form has that of `other`. */
export const countingIn = (language: string) => {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return <Category extends Intl.LDMLPluralRule>(forms: Readonly<Record<Category, string>>) => {
    const all: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = forms
    return (count: number): string =>
      (all[rules.select(count)] ?? all.other ?? "").replace("#", numbers.format(count))
  }
}
