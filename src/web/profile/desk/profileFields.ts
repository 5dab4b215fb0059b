import { Option, Result, Schema } from "effect"
import type { Profile, ProfilePatch } from "../../../../schemas/accounts/profile/Profile.ts"
import { isGeneratedHandle, isReservedName } from "../../../../schemas/accounts/profile/reserved.ts"
import type { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"
import { isWrittenAs } from "../../../accounts/profile/tipAmounts.ts"
import { type FieldBounds, LENGTHS, type SentForm } from "../../../platform/http/SentForm.ts"
import { amountSentence, readAmount } from "../../../platform/nano/writtenAmount.ts"

/** The fields of the form of a profile, as they stand in its controls. */
export interface ProfileFields {
  readonly name: string
  readonly handle: string
  readonly bio: string
  readonly location: string
  /** The address of the author's page on X. */
  readonly x: string
  /** The address of a page of the author anywhere else. */
  readonly site: string
  readonly pinned: string
  readonly tipLabel: string
  readonly tip1: string
  readonly tip2: string
  readonly tip3: string
}

/** Names that were never chosen are shown as empty fields. */
const chosenName = (name: string) => (isReservedName(name) ? "" : name)
const chosenHandle = (handle: string) => (isGeneratedHandle(handle) ? "" : handle)

/** Returns the fields that show a saved profile. */
export const fieldsOf = (profile: Profile): ProfileFields => {
  const linkOf = (label: string) => profile.socialLinks.find((it) => it.label === label)?.url ?? ""
  const { amounts, buttonLabel } = profile.tipping
  return {
    name: chosenName(profile.name),
    handle: chosenHandle(profile.handle),
    bio: profile.bio ?? "",
    location: profile.location ?? "",
    x: linkOf("X"),
    site: linkOf("Custom"),
    pinned: profile.pinnedPostId ?? "",
    tipLabel: buttonLabel,
    tip1: String(amounts[0]),
    tip2: String(amounts[1]),
    tip3: String(amounts[2])
  }
}

/** The name of the field with the values from which an author began, as JSON. */
export const BEGAN = "_began"

/** The bounds of the fields. */
export const PROFILE_BOUNDS = {
  [BEGAN]: 4 * LENGTHS.url,
  name: LENGTHS.line,
  handle: LENGTHS.line,
  bio: LENGTHS.text,
  location: LENGTHS.line,
  x: LENGTHS.url,
  site: LENGTHS.url,
  pinned: LENGTHS.word,
  tipLabel: LENGTHS.line,
  tip1: LENGTHS.word,
  tip2: LENGTHS.word,
  tip3: LENGTHS.word
} satisfies FieldBounds<keyof ProfileFields | typeof BEGAN>

const FIELDS = Object.keys(PROFILE_BOUNDS).filter((name) => name !== BEGAN) as ReadonlyArray<
  keyof ProfileFields
>

const decodeBegan = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
)

/** A field that was changed here and elsewhere. */
interface ChangedTwice {
  readonly control: keyof ProfileFields
  readonly saved: string
}

/**
 * Joins the fields that an author changed with a profile that may have been saved elsewhere since. A form without the values from
 * which its author began changes all fields. Also names the fields that were changed in both places.
 */
export const mergedFields = (
  form: SentForm<typeof BEGAN>,
  sent: ProfileFields,
  profile: Profile
): { readonly fields: ProfileFields; readonly twice: ReadonlyArray<ChangedTwice> } => {
  const saved = fieldsOf(profile)
  const began = Option.getOrElse(decodeBegan(form.get(BEGAN)), (): Readonly<Record<string, string>> => ({}))
  const isChangedHere = (name: keyof ProfileFields) => began[name] === undefined || sent[name] !== began[name]
  const fields = Object.fromEntries(FIELDS.map((name) => [name, (isChangedHere(name) ? sent : saved)[name]]))
  const twice = FIELDS.filter(
    (name) =>
      began[name] !== undefined &&
      isChangedHere(name) &&
      saved[name] !== began[name] &&
      saved[name] !== sent[name]
  )
  return {
    fields: fields as unknown as ProfileFields,
    twice: twice.map((control) => ({ control, saved: saved[control] }))
  }
}

/** Returns the reasons for fields that were changed here and elsewhere. The next press replaces the other values knowingly. */
export const refusedTwice = (twice: ReadonlyArray<ChangedTwice>): ReadonlyArray<Refused> =>
  twice.map(({ control, saved }) => ({
    control,
    sentence: `This was changed elsewhere${saved === "" ? ", and is empty now" : ` to “${saved}”`}. Save again to replace it.`
  }))

/** Reads the fields that a browser sent. */
export const readFields = (form: SentForm<keyof ProfileFields>): ProfileFields => {
  const text = (name: keyof ProfileFields) => form.get(name) ?? ""
  const line = (name: keyof ProfileFields) => text(name).trim()
  return {
    name: line("name"),
    handle: line("handle").replace(/^@/, ""),
    bio: text("bio"),
    location: line("location"),
    x: line("x"),
    site: line("site"),
    pinned: line("pinned"),
    tipLabel: line("tipLabel"),
    tip1: line("tip1"),
    tip2: line("tip2"),
    tip3: line("tip3")
  }
}

/** Returns an amount as it is written; no number for any other text, or for one that no number has exactly. */
const amountOf = (text: string) => {
  const written = Result.getOrElse(readAmount(text), () => "")
  const amount = Number(written)
  return written !== "" && isWrittenAs(amount, written) ? amount : Number.NaN
}

const linksOf = ({ site, x }: ProfileFields) => [
  ...(x === "" ? [] : [{ label: "X", url: x }]),
  ...(site === "" ? [] : [{ label: "Website", url: site }])
]

/**
 * Returns the change that a form asks for. It names all members, so that an emptied field clears its member. A name and a
 * handle that stay as they are, or were never chosen, are not named.
 */
export const patchOf = (fields: ProfileFields, profile: Profile): typeof ProfilePatch.Encoded => ({
  ...(fields.name === chosenName(profile.name) ? {} : { name: fields.name }),
  ...(fields.handle === chosenHandle(profile.handle) ? {} : { handle: fields.handle }),
  bio: fields.bio === "" ? null : fields.bio,
  location: fields.location === "" ? null : fields.location,
  socialLinks: linksOf(fields),
  pinnedPostId: fields.pinned === "" ? null : fields.pinned,
  tipping: {
    buttonLabel: fields.tipLabel,
    amounts: [amountOf(fields.tip1), amountOf(fields.tip2), amountOf(fields.tip3)]
  }
})

/** A control whose text was refused, with the reason. */
export interface Refused {
  readonly control: keyof ProfileFields
  readonly sentence: string
}

const LINK = "Enter a full address, such as https://example.com."
const AMOUNTS =
  "Write three amounts in XNO, the smallest first: each different, at least 0.001, with at most six decimals."

const SENTENCES = new Map([
  ["name reserved", "Choose another name. This one looks like one of the site's own."],
  ["name too_short", "Enter your name or a pen name."],
  ["name too_long", "Shorten the name to 50 characters."],
  ["handle reserved", "This handle is reserved. Choose another one."],
  ["handle taken", "Another account has this handle. Choose another one."],
  ["handle too_short", "A handle has at least 4 characters."],
  ["handle too_long", "A handle has at most 30 characters."],
  ["handle invalid", "A handle can only have letters from A to Z, digits and underscores."],
  ["bio too_long", "Shorten the text about you to 250 characters."],
  ["location too_long", "Shorten the place to 80 characters."],
  ["pinnedPostId invalid", "Choose one of your published posts."],
  ["tipping.buttonLabel too_short", "Enter the text of the button."],
  ["tipping.buttonLabel too_long", "Shorten the text of the button to 40 characters."]
])

/** Members that are a control of the same name. */
const OWN = new Set(["name", "handle", "bio", "location"])

const controlOf = (field: string, fields: ProfileFields): keyof ProfileFields => {
  if (OWN.has(field)) return field as "name" | "handle" | "bio" | "location"
  if (field === "pinnedPostId") return "pinned"
  if (field === "tipping.buttonLabel") return "tipLabel"
  const link = /^socialLinks\.(\d)/.exec(field)?.[1]
  if (link !== undefined) return link === "0" && fields.x !== "" ? "x" : "site"
  const amount = /^tipping\.amounts\.([0-2])/.exec(field)?.[1]
  return amount === "1" ? "tip2" : amount === "2" ? "tip3" : "tip1"
}

/** Returns the reason for which an amount was refused. */
const amountRefused = (text: string): string =>
  Result.match(readAmount(text), {
    onFailure: (refusal) =>
      refusal.reason === "ambiguous" ? amountSentence("the amount", text, refusal) : AMOUNTS,
    onSuccess: () => AMOUNTS
  })

const sentenceOf = ({ code, field, message }: FieldError, text: string): string => {
  if (field.startsWith("socialLinks")) return LINK
  if (field.startsWith("tipping.amounts")) return amountRefused(text)
  return SENTENCES.get(`${field} ${code}`) ?? `${message}${/[.!?)]$/.test(message) ? "" : "."}`
}

/** Returns the reasons of the API in the words of the form, one for each control. */
export const refusedOf = (
  errors: ReadonlyArray<FieldError>,
  fields: ProfileFields
): ReadonlyArray<Refused> => {
  const refused = new Map<keyof ProfileFields, string>()
  for (const error of errors) {
    const control = controlOf(error.field, fields)
    if (!refused.has(control)) refused.set(control, sentenceOf(error, fields[control]))
  }
  return [...refused].map(([control, sentence]) => ({ control, sentence }))
}
