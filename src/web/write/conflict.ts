import { Option } from "effect"
import { rawOfXno, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { type FieldBounds, LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { fieldsOf, membersOf, plainPrice, type PostFields, type SentFields } from "./postForm.ts"

/** The field behind each control of the form, in the order of the form. */
const FIELD_OF = {
  title: "title",
  description: "description",
  free: "free",
  sell: "isSold",
  paid: "paid",
  price: "price",
  primary: "primary",
  secondary: "secondary",
  method: "method",
  details: "details",
  attested: "isAttested",
  slug: "slug",
  language: "language",
  comments: "hasComments",
  unmailed: "isUnmailed",
  cardTitle: "cardTitle",
  cardDescription: "cardDescription",
  cardImage: "cardImage",
  canonical: "canonical"
} as const satisfies Readonly<Record<string, keyof PostFields>>

/** A control of the form whose value can differ from the saved one. */
export type Control = keyof typeof FIELD_OF

const CONTROLS = Object.keys(FIELD_OF) as ReadonlyArray<Control>

/** The value that an author keeps: the one in the form, or the one that was saved elsewhere. */
type Choice = "mine" | "saved"

/** The choices of an author, by control. Undefined before one is made. */
export type Choices = ReadonlyMap<Control, Choice | undefined>

/** Returns the name of the buttons by which an author chooses the value of a control. */
export const choiceName = <C extends Control>(control: C): `choose-${C}` => `choose-${control}`

const choiceNames = CONTROLS.map(choiceName)

/** The bounds of the fields that a form has after a conflict. `_differing` names the controls on which an author decides. */
export const CONFLICT_BOUNDS = {
  _differing: LENGTHS.line,
  ...(Object.fromEntries(choiceNames.map((name) => [name, LENGTHS.word])) as FieldBounds<
    (typeof choiceNames)[number]
  >)
}

/** Returns the choices that a form asked for. */
export const readChoices = (form: SentForm<keyof typeof CONFLICT_BOUNDS>): Choices => {
  const names = new Set((form.get("_differing") ?? "").split(" "))
  return new Map(
    CONTROLS.filter((control) => names.has(control)).map((control) => {
      const choice = form.get(choiceName(control))
      return [control, choice === "mine" || choice === "saved" ? choice : undefined]
    })
  )
}

/** Returns the fields as a saved post has them: only a written part that is sold has a price. A guessed language is no value. */
const settled = (it: SentFields): SentFields => {
  const isSold = it.isSold && it.paid !== ""
  const price = it.price === undefined ? undefined : rawOfXno(plainPrice(it.price))
  const shown = price && Option.match(price, { onNone: () => it.price, onSome: xnoOfRaw })
  const language = it.language === "" ? undefined : it.language
  return { ...it, isSold, language, price: it.price === undefined || isSold !== false ? shown : "" }
}

/** Returns true for a saved post that has all that was written, so that nothing is left to save. */
export const isSavedAs = (post: Post, written: SentFields): boolean => {
  const saved = { ...membersOf(settled(fieldsOf(post))), slug: post.slug }
  return Object.entries(membersOf(settled(written))).every(
    ([member, value]) => saved[member as keyof typeof saved] === value
  )
}

/** Returns the controls whose values differ from those of the saved post. One that the form does not have keeps its value. */
export const differencesOf = (post: Post, written: SentFields): ReadonlyArray<Control> => {
  const saved = settled(fieldsOf(post))
  const mine = settled(written)
  return CONTROLS.filter((control) => {
    const field = FIELD_OF[control]
    return mine[field] !== undefined && mine[field] !== saved[field]
  })
}

/** Returns what an author wrote, with the values of the saved post where the author chose them. */
export const chosenFields = (post: Post, written: SentFields, choices: Choices): SentFields => {
  const saved = fieldsOf(post)
  const taken = [...choices].flatMap(([control, choice]) => {
    const field = FIELD_OF[control]
    return choice === "saved" ? [[field, saved[field]]] : []
  })
  return { ...written, ...Object.fromEntries(taken) }
}
