import { Result } from "effect"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { type PostDraft, SECTION_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { amountSentence, readAmount } from "../../platform/nano/writtenAmount.ts"
import { slugBaseOf } from "../../publishing/posts/slug.ts"
import { askedLanguage, guessedLanguage } from "./guessedLanguage.ts"

/** The fields of the form in which a person writes a post, as they stand in its controls. */
export interface PostFields {
  readonly title: string
  readonly description: string
  /** Undefined for a section that this form cannot rewrite. */
  readonly free: string | undefined
  readonly paid: string | undefined
  readonly isSold: boolean
  readonly price: string
  readonly primary: string
  readonly secondary: string
  /** Empty for a draft whose language is guessed from its text. */
  readonly language: string
  /** Empty while it follows the title. Undefined once the address of the post is fixed. */
  readonly slug: string | undefined
  readonly hasComments: boolean
  /** True for a draft that readers by mail do not get. */
  readonly isUnmailed: boolean
  readonly method: string
  readonly details: string
  readonly isAttested: boolean
  readonly cardTitle: string
  readonly cardDescription: string
  readonly cardImage: string
  readonly canonical: string
}

/** The fields that one form has. Those that are undefined stay as they are saved. */
export type SentFields = { readonly [Field in keyof PostFields]: PostFields[Field] | undefined }

/** The fields of a form that has none. */
const noFields: SentFields = {
  title: undefined,
  description: undefined,
  free: undefined,
  paid: undefined,
  isSold: undefined,
  price: undefined,
  primary: undefined,
  secondary: undefined,
  language: undefined,
  slug: undefined,
  hasComments: undefined,
  isUnmailed: undefined,
  method: undefined,
  details: undefined,
  isAttested: undefined,
  cardTitle: undefined,
  cardDescription: undefined,
  cardImage: undefined,
  canonical: undefined
}

/** The fields of a post that was not yet written. It is sold at first: nothing in the paid part is free by an omission. */
export const emptyFields: SentFields = {
  ...noFields,
  title: "",
  free: "",
  paid: "",
  isSold: true,
  price: "",
  language: "",
  slug: "",
  cardImage: ""
}

/** Returns true for an address that a title gave, perhaps with a number. */
const isOfTitle = ({ id, slug, title }: Post): boolean => {
  const base = slugBaseOf(title, id)
  return slug.startsWith(base) && /^(-[0-9]+)?$/.test(slug.slice(base.length))
}

const idOf = (id: number | null) => (id === null ? "" : String(id))

/** Returns the fields that show a saved post. */
export const fieldsOf = (post: Post): PostFields => ({
  title: post.title,
  description: post.description,
  free: post.contentEditability.free.editable ? (post.freeContentMarkdown ?? "") : undefined,
  paid: post.contentEditability.paid.editable ? (post.paidContentMarkdown ?? "") : undefined,
  isSold: post.paidContentMarkdown === null || post.enablePaywall,
  price: post.priceRaw === null ? "" : xnoOfRaw(BigInt(post.priceRaw)),
  primary: idOf(post.primaryCategoryId),
  secondary: idOf(post.secondaryCategoryId),
  language: post.language,
  slug: post.status === "published" ? undefined : isOfTitle(post) ? "" : post.slug,
  hasComments: post.commentsEnabled,
  isUnmailed: !post.mailReaders,
  method: post.creationMethod ?? "",
  details: post.creationDetails ?? "",
  isAttested: post.creationAttested,
  cardTitle: post.ogTitle ?? "",
  cardDescription: post.ogDescription ?? "",
  cardImage: post.ogImage ?? "",
  canonical: post.canonicalUrl ?? ""
})

type Texts = Readonly<Partial<Record<"free" | "paid" | "title", string | null | undefined>>>

const guessOf = ({ free, paid, title }: Texts) =>
  guessedLanguage([title, free, paid].filter((it) => it).join("\n\n"))

/** The language of a post whose author names none. */
const DEFAULT_LANGUAGE = "en"

/** A language that may be a guess: its author did not choose it, and perhaps a browser asked for it. */
export interface LanguageOrigin {
  readonly isChosen: boolean
  readonly acceptLanguage: string | undefined
}

/** As `fieldsOf`. The language of a draft is empty while it can be a guess: then each save guesses it. Any other one was chosen. */
export const formFieldsOf = (post: Post, { acceptLanguage, isChosen }: LanguageOrigin): PostFields => {
  const { freeContentMarkdown: free, language, paidContentMarkdown: paid, title } = post
  const guess = guessOf({ free, paid, title })
  const guesses = guess === undefined ? [DEFAULT_LANGUAGE, askedLanguage(acceptLanguage)] : [guess]
  const isGuessed = post.status === "draft" && !isChosen && guesses.includes(language)
  return { ...fieldsOf(post), language: isGuessed ? "" : language }
}

/** The fields of the sheet on which an author writes. All others are decided where the post is published. */
const ON_SHEET = ["title", "free", "isSold", "paid", "price", "cardImage"] as const

/** Returns the fields of the sheet. The address and the language of a draft are empty while they follow its text. */
export const sheetFieldsOf = (post: Post, origin: LanguageOrigin): SentFields => {
  const fields = formFieldsOf(post, origin)
  const follows = {
    slug: fields.slug === "" ? "" : undefined,
    language: fields.language === "" ? "" : undefined
  }
  return { ...noFields, ...Object.fromEntries(ON_SHEET.map((name) => [name, fields[name]])), ...follows }
}

/** Returns fields with those of the sheet that an author sent. */
export const withSheet = (fields: SentFields, sent: SentFields): SentFields => ({
  ...fields,
  ...Object.fromEntries(ON_SHEET.map((name) => [name, sent[name]]))
})

/** Returns fields with the language of the text, where it is to be guessed. That of a text which says little stays as it is. */
export const withLanguage = (fields: SentFields, text: Texts = fields): SentFields =>
  fields.language === "" ? { ...fields, language: guessOf(text) } : fields

/** Returns the fields of a new post. If its text says little, it has the language that its author's browser asks for. */
export const newFields = (fields: SentFields, acceptLanguage: string | undefined): SentFields => {
  const guessed = withLanguage({ ...fields, language: fields.language ?? "" })
  return { ...guessed, language: guessed.language ?? askedLanguage(acceptLanguage) }
}

/** The bounds of the fields in which a person writes. */
export const POST_BOUNDS = {
  title: LENGTHS.line,
  description: 2000,
  free: SECTION_CHARACTERS_MAX,
  paid: SECTION_CHARACTERS_MAX,
  sell: LENGTHS.word,
  price: LENGTHS.word,
  primary: LENGTHS.word,
  secondary: LENGTHS.word,
  language: LENGTHS.word,
  slug: LENGTHS.line,
  comments: LENGTHS.word,
  unmailed: LENGTHS.word,
  method: LENGTHS.word,
  details: LENGTHS.line,
  attested: LENGTHS.word,
  cardTitle: LENGTHS.line,
  cardDescription: 2000,
  cardImage: LENGTHS.url,
  canonical: LENGTHS.url
}
type PostField = keyof typeof POST_BOUNDS

/** The value of a choice that stands for a box which is not ticked. */
export const NOT_TICKED = "0"

/** Returns a language as tags are written. Systems write `en_US` for `en-US`. */
const languageOf = (text: string) => {
  if (!text.includes("_")) return text
  try {
    return Intl.getCanonicalLocales(text.replaceAll("_", "-"))[0] ?? text
  } catch {
    return text
  }
}

/**
 * Reads what was sent. A box that is not ticked is not sent, so `boxes` names those of the form. A title of several lines, as a
 * browser sends it without a script, is one line.
 */
export const readFields = (form: SentForm<PostField>, boxes: ReadonlySet<string>): SentFields => {
  const text = (name: PostField) => form.get(name)
  const line = (name: PostField) => text(name)?.trim()
  const box = (name: PostField) =>
    form.has(name) ? text(name) !== NOT_TICKED : boxes.has(name) ? false : undefined
  const language = line("language")
  return {
    title: line("title")?.replaceAll(/\s*\n\s*/g, " "),
    description: line("description"),
    free: text("free"),
    paid: text("paid"),
    isSold: box("sell"),
    price: line("price"),
    primary: line("primary"),
    secondary: line("secondary"),
    language: language === undefined ? undefined : languageOf(language),
    slug: line("slug"),
    hasComments: box("comments"),
    isUnmailed: box("unmailed"),
    method: line("method"),
    details: line("details"),
    isAttested: box("attested"),
    cardTitle: line("cardTitle"),
    cardDescription: line("cardDescription"),
    cardImage: line("cardImage"),
    canonical: line("canonical")
  }
}

/** Returns fields with those that a form has. */
export const withSent = (fields: PostFields, sent: SentFields): PostFields => ({
  ...fields,
  ...(Object.fromEntries(
    Object.entries(sent).filter(([, value]) => value !== undefined)
  ) as Partial<PostFields>)
})

/** Returns a price as the API takes it. A text that is no price stays as it is, and is refused. */
export const plainPrice = (text: string) => Result.getOrElse(readAmount(text), () => text)

const orNull = (text: string | undefined) => (text === "" ? null : text)
const numberOrNull = (text: string | undefined) =>
  text === undefined ? undefined : text === "" ? null : Number(text)
/** Returns a value that is set by something else while its field is empty. */
const orNothing = (text: string | undefined) => (text === "" ? undefined : text)

/**
 * Returns the members of the API that say the same, not checked. Everything that the form has is sent, so that an emptied
 * field clears its member. A field that it does not have stays as it is.
 */
export const membersOf = (it: SentFields) => {
  const members = {
    title: it.title,
    description: it.description,
    freeContentMarkdown: orNull(it.free),
    paidContentMarkdown: orNull(it.paid),
    enablePaywall: it.isSold,
    priceXno: it.price === undefined ? undefined : orNull(plainPrice(it.price)),
    primaryCategoryId: numberOrNull(it.primary),
    secondaryCategoryId: numberOrNull(it.secondary),
    slug: orNothing(it.slug),
    language: orNothing(it.language),
    commentsEnabled: it.hasComments,
    mailReaders: it.isUnmailed === undefined ? undefined : !it.isUnmailed,
    creationMethod: orNull(it.method),
    creationDetails: orNull(it.details),
    creationAttested: it.isAttested,
    ogTitle: orNull(it.cardTitle),
    ogDescription: orNull(it.cardDescription),
    ogImage: orNull(it.cardImage),
    canonicalUrl: orNull(it.canonical)
  }
  const sent = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(sent) as Partial<typeof PostDraft.Encoded>
}

/** The name of the control for each member of the API. */
const CONTROLS: Readonly<Record<string, string>> = {
  freeContentMarkdown: "free",
  content: "free",
  paidContentMarkdown: "paid",
  enablePaywall: "sell",
  priceXno: "price",
  priceRaw: "price",
  primaryCategoryId: "primary",
  secondaryCategoryId: "secondary",
  creationMethod: "method",
  creationDetails: "details",
  creationAttested: "attested",
  commentsEnabled: "comments",
  mailReaders: "unmailed",
  ogTitle: "cardTitle",
  ogDescription: "cardDescription",
  ogImage: "cardImage",
  canonicalUrl: "canonical"
}

/** Sentences for people, where those of the API speak of its members. */
const SENTENCES: Readonly<Record<string, string>> = {
  "title required": "Give the post a title.",
  "description required": "Say in a sentence or two what it is about.",
  "content required": "Write the text that everyone reads, or the part that you sell.",
  "freeContentMarkdown required": "Write the text that everyone reads, or the part that you sell.",
  "priceRaw required": "Set a price, or stop selling the rest.",
  "priceXno out_of_range": "Choose a price from 0.00001 to 9999 XNO.",
  "primaryCategoryId required": "Choose a category.",
  "primaryCategoryId invalid": "Choose a category.",
  "secondaryCategoryId mismatch": "Choose another second category, or none.",
  "creationMethod required": "Say how the post was made.",
  "creationAttested required": "Confirm that you reviewed the post.",
  "language invalid": "Choose a language.",
  "language too_long": "Choose a language.",
  "slug taken": "Another post of yours has this address. Choose a different one.",
  "attachments required": "Wait until all files are uploaded."
}

/** Markdown that is refused, as people call it. */
const FEATURES: Readonly<Record<string, string>> = {
  html: "HTML",
  task_list: "a task list",
  table_cell_image: "a picture in a table",
  table_row_too_long: "a row with too many cells",
  table_cell_code_whitespace: "spaces around code in a table",
  link_target: "an address that a link cannot have",
  image_target: "an address that a picture cannot have"
}

/** A reason for which a post was refused, for people. */
export interface Refused {
  /** The control that it is about, or another thing of the author, such as `payoutAddress`. */
  readonly control: string
  readonly sentence: string
  /** The place in the text of the control. Line and column count from 1. */
  readonly place?: { readonly line: number; readonly column: number }
}

/** Returns what Markdown is refused, where, and what to write instead. The API names the feature in parentheses. */
const placed = (message: string, feature: string, { column, line }: NonNullable<Refused["place"]>) => {
  const remedy = message.replace(/ \([^()]*\)$/, "")
  const more = /; (and \d+ more places)\)$/.exec(message)?.[1]
  const others = more === undefined ? "" : ` The same problem is in other places (${more}).`
  return `Line ${line}, column ${column}: ${FEATURES[feature] ?? feature}. ${remedy}.${others}`
}

/** Returns the reasons for fields that were cut. Those of sections say so, because a text of that length was written. */
export const refusedCuts = (names: ReadonlyArray<string>): ReadonlyArray<Refused> =>
  names.map((control) => ({
    control,
    sentence:
      control === "free" || control === "paid"
        ? `This part has more than ${SECTION_CHARACTERS_MAX.toLocaleString("en")} characters. Only its beginning is here. Go back to the full text and shorten it.`
        : "This was far too long. Only its beginning is here."
  }))

/** Returns the reason for which a price was not read. */
const priceSentence = (price: string) =>
  Result.match(readAmount(price), {
    onFailure: (refusal) => amountSentence("the price", price, refusal),
    onSuccess: () => undefined
  })

/** Returns the reasons of the API in the words of the form. `price` is the text in its field. */
export const refusedOf = (errors: ReadonlyArray<FieldError>, price: string): ReadonlyArray<Refused> =>
  errors.map(({ code, column, feature, field, line, message }) => {
    const member = field.split(/[.[]/, 1)[0] ?? field
    const control = CONTROLS[member] ?? member
    const place = line === undefined || column === undefined ? undefined : { line, column }
    if (place !== undefined && feature !== undefined)
      return { control, place, sentence: placed(message, feature, place) }
    const unread = member === "priceXno" ? priceSentence(price) : undefined
    const sentence =
      unread ?? SENTENCES[`${member} ${code}`] ?? `${message}${/[.!?)]$/.test(message) ? "" : "."}`
    return { control, sentence, ...(place === undefined ? {} : { place }) }
  })
