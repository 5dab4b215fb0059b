import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { OwnerId, PostId } from "../../platform/Ids.ts"
import {
  atLeast,
  atMost,
  described,
  HttpUrl,
  line,
  lines,
  trimmedText,
  visibleLine
} from "../../platform/Text.ts"
import { impersonatesService } from "./impersonation.ts"
import { isGeneratedHandle, isReservedHandle, isReservedName, RESERVED_NAME } from "./reserved.ts"

/** Maximum number of social links of a Profile (spec 8). */
export const SOCIAL_LINKS_MAX = 2
/** The smallest suggested tip, in XNO (spec 8). */
export const TIP_AMOUNT_MIN_XNO = 0.001
/** The largest tip, in XNO: no more Nano than this exists. */
export const TIP_AMOUNT_MAX_XNO = 133_248_297

/** The label of an account. `human` becomes `agent` once, and only an administrator can undo this. */
export const AuthorKind = Schema.Literals(["human", "agent"]).annotate({ identifier: "AuthorKind" })
export type AuthorKind = typeof AuthorKind.Type

const isNotReservedName = Schema.makeFilter((name: string) => !isReservedName(name), {
  expected: `another name than ${RESERVED_NAME}`,
  fieldCode: "reserved",
  toJsonSchema: () => [{}, true]
})

const isNotTheService = Schema.makeFilter((name: string) => !impersonatesService(name), {
  expected: "a name that does not look like the service's own",
  fieldCode: "reserved",
  toJsonSchema: () => [{}, true]
})

/** 1 to 50 characters after trimming, as readers count them (spec 2.3). */
export const ProfileName = visibleLine(50).check(isNotReservedName, isNotTheService)

/**
 * 4 to 30 ASCII letters, digits or underscores after trimming, not a generated handle (spec 2.3, 4.2.3). An account may
 * already have it, so only the service decides whether it is reserved.
 */
export const WrittenHandle = trimmedText(
  { minLength: 4, pattern: String.raw`^\s*[A-Za-z0-9_]{4,30}\s*$` },
  "4 to 30 ASCII letters, digits or underscores; white space around them is trimmed."
).check(
  atLeast(4),
  atMost(30),
  Schema.isPattern(/^[A-Za-z0-9_]*$/u, { expected: "ASCII letters, digits and underscores" }),
  Schema.makeFilter((handle: string) => !isGeneratedHandle(handle), {
    expected: "a handle without the prefix of generated ones",
    fieldCode: "reserved",
    toJsonSchema: () => [{}, true]
  })
)

/** A handle that an account without it can choose; unique without regard to case (spec 4.2.3). */
export const Handle = WrittenHandle.check(
  Schema.makeFilter((handle: string) => !isReservedHandle(handle), {
    expected: "a handle that is not reserved",
    fieldCode: "reserved",
    toJsonSchema: () => [{}, true]
  })
)

/** A link as it is saved: one of two categories (spec 4.2.4). */
export const SocialLink = Schema.Struct({
  label: Schema.Literals(["X", "Custom"]),
  url: Schema.String
}).annotate({
  identifier: "SocialLink"
})
export type SocialLink = typeof SocialLink.Type

const TipAmounts = Schema.Tuple([Schema.Finite, Schema.Finite, Schema.Finite])

const describedAmount = Schema.Finite.check(
  described<number>({ minimum: TIP_AMOUNT_MIN_XNO, maximum: TIP_AMOUNT_MAX_XNO })
)

/** The tips that readers are offered. Amounts are in XNO, and suggestions only. */
export const Tipping = Schema.Struct({ buttonLabel: Schema.String, amounts: TipAmounts }).annotate({
  identifier: "Tipping"
})
export type Tipping = typeof Tipping.Type

/** The owner's own view of their Profile (spec 2.3). */
export const Profile = Schema.Struct({
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  bio: Schema.NullOr(Schema.String),
  location: Schema.NullOr(Schema.String),
  socialLinks: Schema.Array(SocialLink),
  pinnedPostId: Schema.NullOr(PostId),
  avatarUrl: Schema.NullOr(Schema.String),
  headerImageUrl: Schema.NullOr(Schema.String),
  authorKind: AuthorKind,
  tipping: Tipping
}).annotate({ identifier: "Profile" })
export type Profile = typeof Profile.Type

/** Tells the caller how many decimals an amount may have. */
export const TIP_AMOUNT_DECIMALS_MESSAGE = "Send amounts with at most six decimals"

type Amounts = readonly [number, number, number]

const everyAmount = (accepts: (amount: number) => boolean, message: string) =>
  Schema.makeFilter((amounts: Amounts) => amounts.every(accepts), {
    message,
    fieldCode: "out_of_range",
    toJsonSchema: () => [{}, true]
  })

/** The shortest text of a number is the decimal that was written, because up to 15 digits survive a double. */
const hasSixDecimals = (amount: number) => /^\d+(\.\d{1,6})?(e\+\d+)?$/.test(String(amount))

/** Both members, always (spec 4.2.6). */
const TippingPatch = Schema.Struct({
  buttonLabel: visibleLine(40),
  amounts: Schema.Tuple([describedAmount, describedAmount, describedAmount]).check(
    everyAmount(
      (amount) => amount >= TIP_AMOUNT_MIN_XNO,
      `Send amounts of at least ${TIP_AMOUNT_MIN_XNO} XNO`
    ),
    everyAmount(
      (amount) => amount <= TIP_AMOUNT_MAX_XNO,
      `Send amounts of at most ${TIP_AMOUNT_MAX_XNO} XNO: no more Nano than that exists`
    ),
    everyAmount(hasSixDecimals, TIP_AMOUNT_DECIMALS_MESSAGE),
    Schema.makeFilter(([first, second, third]: Amounts) => first < second && second < third, {
      expected: "three different amounts in ascending order",
      toJsonSchema: () => [{}, true]
    })
  )
})

/** A link as a caller writes it: any label of 1 to 40 characters after trimming (spec 4.2.4). */
const SocialLinkInput = Schema.Struct({ label: visibleLine(40), url: HttpUrl })
export type SocialLinkInput = typeof SocialLinkInput.Type

const SocialLinksPatch = Schema.Array(SocialLinkInput).check(
  Schema.isMaxLength(SOCIAL_LINKS_MAX, { fieldCode: "too_long" })
)

/** Any nonempty part. Absent members stay unchanged, and null clears (spec 4.2). */
export const ProfilePatch = Schema.Struct({
  name: Schema.optionalKey(ProfileName),
  handle: Schema.optionalKey(WrittenHandle),
  bio: Schema.optionalKey(Schema.NullOr(lines(250))),
  location: Schema.optionalKey(Schema.NullOr(line(80))),
  socialLinks: Schema.optionalKey(Schema.NullOr(SocialLinksPatch)),
  pinnedPostId: Schema.optionalKey(Schema.NullOr(PostId)),
  tipping: Schema.optionalKey(TippingPatch)
})
  .check(Schema.isMinProperties(1, { expected: "at least one member to change", fieldCode: "required" }))
  .annotate({ identifier: "ProfilePatch" })
export type ProfilePatch = typeof ProfilePatch.Type

/** The account is labelled now, or was before (spec 3.4b). */
export const AgentDeclared = Schema.Struct({ authorKind: Schema.Literal("agent") }).annotate({
  identifier: "AgentDeclared"
})
export type AgentDeclared = typeof AgentDeclared.Type

/** 409; `errors` is `[{field: "handle", code: "taken", message}]` (spec 4.2.8). */
export class HandleTaken extends ServiceError<HandleTaken>()("HandleTaken") {}
