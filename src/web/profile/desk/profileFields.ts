import type { Profile, ProfilePatch } from "../../../../schemas/accounts/profile/Profile.ts"
import { isGeneratedHandle, isReservedName } from "../../../../schemas/accounts/profile/reserved.ts"
import type { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"
import { isWrittenAs } from "../../../accounts/profile/tipAmounts.ts"

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

/** Reads the fields that a browser sent. */
export const readFields = (form: URLSearchParams): ProfileFields => {
  const text = (name: string) => form.get(name) ?? ""
  const line = (name: string) => text(name).trim()
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

/** An amount as it is written, also with a decimal comma; none for any other text. */
const amountOf = (text: string) => {
  const written = text.replace(",", ".")
  const amount = /^\d{1,15}(\.\d{1,15})?$/.test(written) ? Number(written) : Number.NaN
  return isWrittenAs(amount, written) ? amount : Number.NaN
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

const LINK = "Write a whole address, such as https://example.com."
const AMOUNTS =
  "Write three amounts in XNO, the smallest first: each different, at least 0.001, with at most six decimals."

const SENTENCES = new Map([
  ["name reserved", "Choose another name. This one looks like one of the site's own."],
  ["name too_short", "Write your name, or one that you write under."],
  ["name too_long", "Shorten the name to 50 characters."],
  ["handle reserved", "This handle is reserved. Choose another one."],
  ["handle taken", "Another account has this handle. Choose another one."],
  ["handle too_short", "A handle has at least 4 characters."],
  ["handle too_long", "A handle has at most 30 characters."],
  ["handle invalid", "A handle has letters from A to Z, digits and underscores only."],
  ["bio too_long", "Shorten the text about you to 250 characters."],
  ["location too_long", "Shorten the place to 80 characters."],
  ["pinnedPostId invalid", "Choose one of your published posts."],
  ["tipping.buttonLabel too_short", "Write what the button says."],
  ["tipping.buttonLabel too_long", "Shorten the words of the button to 40 characters."]
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

const sentenceOf = ({ code, field, message }: FieldError): string => {
  if (field.startsWith("socialLinks")) return LINK
  if (field.startsWith("tipping.amounts")) return AMOUNTS
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
    if (!refused.has(control)) refused.set(control, sentenceOf(error))
  }
  return [...refused].map(([control, sentence]) => ({ control, sentence }))
}
